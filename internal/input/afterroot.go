package input

// An AfterRoot is an error after the root of an XML document: nothing of the document is missing.
type AfterRoot struct{ Err error }

// Error returns the text of Err.
func (e *AfterRoot) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *AfterRoot) Unwrap() error { return e.Err }
