package fetch

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaited reads a document with pauses, which do not count, with a limit to its time and
// without.
func TestWaited(t *testing.T) {
	for _, timeout := range []time.Duration{0, 3 * time.Minute, -1} {
		synctest.Test(t, func(t *testing.T) {
			c := &Client{Transport: stalling(5, 20*time.Second), Timeout: timeout}
			doc, err := c.Get(t.Context(), Request{URL: "http://example.com/", Waited: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			raw := doc.Body.(interface{ Raw() io.Reader }).Raw()
			for i := range 5 {
				time.Sleep(time.Hour)
				time.AfterFunc(7*time.Second, func() {
					if got, want := doc.Waited(), time.Duration(20*i+7)*time.Second; got != want {
						t.Errorf("Timeout %v: in byte %d: waited %v, want %v", timeout, i, got, want)
					}
				})
				io.ReadFull(raw, make([]byte, 1))
			}
			doc.Body.Close()
			if got, want := doc.Waited(), 100*time.Second; got != want {
				t.Errorf("Timeout %v: waited %v, want %v", timeout, got, want)
			}
		})
	}
}
