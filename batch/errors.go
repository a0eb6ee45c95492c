package batch

import "errors"

// Causes of errors, for errors.Is.
var (
	// ErrStale means that another worker has taken over a domain: its state has another revision, or
	// the lease has ended.
	ErrStale = errors.New("batch: another worker has taken over the domain")
	// ErrDamaged means that a part is not whole. It counts as missing and is done again.
	ErrDamaged = errors.New("damaged part")
	// ErrTask is the error of a task that can never be done, such as one whose domain is no host. It
	// fails alone: the worker goes on with the next.
	ErrTask = errors.New("batch: the task cannot be done")
)
