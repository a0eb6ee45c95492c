package sitemap

import "encoding/json"

// An Optional is a value that may be absent. The zero Optional is absent.
type Optional[T any] struct {
	value T
	set   bool
}

// Some returns an Optional that holds v.
func Some[T any](v T) Optional[T] { return Optional[T]{v, true} }

// Get returns the value, and whether it is present.
func (o Optional[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or def if it is absent.
func (o Optional[T]) Or(def T) T {
	if o.set {
		return o.value
	}
	return def
}

// IsZero reports whether the value is absent.
func (o Optional[T]) IsZero() bool { return !o.set }

// MarshalJSON returns the value's JSON, or null if it is absent. It fails if marshalling the value
// fails.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.set {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}

// UnmarshalJSON reads the JSON that MarshalJSON returns. It fails if unmarshalling the value fails.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{}
	if string(text) == "null" {
		return nil
	}
	err := json.Unmarshal(text, &o.value)
	o.set = err == nil
	return err
}
