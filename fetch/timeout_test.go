package fetch_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// A body that never ends, but never pauses for long, ends at the Timeout: by default after 5
// minutes, and not at all if it is negative.
func TestClient_TimeoutDefault(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		0: 5 * time.Minute, time.Minute: time.Minute, -1: 20 * time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			c := &fetch.Client{Timeout: timeout, Retries: -1, Transport: roundTripper(drip)}
			doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
			if doc != nil {
				doc.Body.Close()
			}
			if took := time.Since(begun); took != want {
				t.Errorf("Timeout %v: ended after %v, want %v: %v", timeout, took, want, err)
			}
		})
	}
}

// drip answers with a byte every 20 s, for 20 minutes.
func drip(r *http.Request) (*http.Response, error) {
	resp := answer(r, 200, "")
	resp.Body = &dripBody{done: r.Context().Done(), left: 60}
	return resp, nil
}

type dripBody struct {
	done <-chan struct{}
	left int
}

func (b *dripBody) Read(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("over")
	}
	select {
	case <-time.After(20 * time.Second):
		p[0] = '.'
		return 1, nil
	case <-b.done:
		return 0, errors.New("closed")
	}
}

func (b *dripBody) Close() error { return nil }
