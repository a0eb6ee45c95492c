package discover

import "testing"

// A record knows the last walks that ended a document, not only the last one.
func TestRecord_EndedIn(t *testing.T) {
	r := &record{}
	for _, run := range []uint32{1, 2, 3, 2, 4, 5} {
		r.Run, r.Earlier = run, r.before(run)
	}
	for run := range uint32(7) {
		if got, want := r.endedIn(run), 2 <= run && run <= 5; got != want {
			t.Errorf("endedIn(%d) is %t", run, got)
		}
	}
}
