package pagetable

import "testing"

// TestOpen: those who have a table open at the same time share it, by store and name.
func TestOpen(t *testing.T) {
	store := new(int)
	a, b := Open(store, "a"), Open(store, "a")
	if a != b {
		t.Error("two who open a table do not share it")
	}
	if Open(store, "b") == a || Open(new(int), "a") == a {
		t.Error("tables of two names or two stores are one")
	}
	a.Close()
	c := Open(store, "a")
	if c != b {
		t.Error("a table that is still open is not shared")
	}
	b.Close()
	c.Close()
	if Open(store, "a") == a {
		t.Error("a table outlives all who had it open")
	}
	(*Table)(nil).Close()
}
