package input

// An AfterRoot is the error by which a document ended behind the root of its XML: nothing of it
// is missing.
type AfterRoot struct{ Err error }

// Error returns the text of Err.
func (e *AfterRoot) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *AfterRoot) Unwrap() error { return e.Err }
