package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/watch"
)

// Events that wait for the webhook of an earlier run do not stop a run that has only a feed. The
// oldest of them make room. White-box: from outside it takes 100,000 events.
func TestJournal_WebhookGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		j, err := openJournal(&state.Memory{}, nil, "feed.xml", nil)
		if err != nil {
			t.Fatal(err)
		}
		j.journalState = journalState{End: maxWaiting + 5, Sent: 5, To: 6}
		for n := range 2 {
			if err := j.put(ctx, event{Event: watch.Added}); err != nil {
				t.Fatalf("event %d: %v", n, err)
			}
		}
		if at := j.End - j.Sent; at != maxWaiting {
			t.Errorf("%d events wait, want %d", at, maxWaiting)
		}
	})
}
