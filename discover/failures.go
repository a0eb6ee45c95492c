package discover

// failures are what a walk could not read.
type failures struct {
	count  int
	errs   []error
	limits []*LimitError
}

func (f *failures) add(err error) {
	f.count++
	if len(f.errs) < maxErrs {
		f.errs = append(f.errs, err)
	}
}

// limit counts n documents that were left out because of a limit.
func (f *failures) limit(what string, limit, n int) {
	if n == 0 {
		return
	}
	f.count += n
	for _, l := range f.limits {
		if l.What == what {
			l.Left += n
			return
		}
	}
	f.limits = append(f.limits, &LimitError{what, limit, n})
}

// result returns the *WalkError, or nil if nothing failed. The limits are told
// even where more than 16 documents failed.
func (f *failures) result() error {
	if f.count == 0 {
		return nil
	}
	errs := f.errs[:min(len(f.errs), maxErrs-len(f.limits))]
	for _, l := range f.limits {
		errs = append(errs, l)
	}
	return &WalkError{Failed: f.count, Errs: errs}
}
