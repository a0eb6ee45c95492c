package batch

// SetMaxFile sets how much may wait in the file.
func (s *InOrder) SetMaxFile(n int64) { s.maxFile = n }
