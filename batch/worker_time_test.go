package batch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

// returned counts the tasks that are handed back.
type returned struct {
	batch.Queue
	mu    sync.Mutex
	later []string
}

func (q *returned) Take(ctx context.Context) (batch.Lease, error) {
	l, err := q.Queue.Take(ctx)
	return returnedLease{l, q}, err
}

type returnedLease struct {
	batch.Lease
	q *returned
}

func (l returnedLease) Later(ctx context.Context, d time.Duration) error {
	l.q.mu.Lock()
	l.q.later = append(l.q.later, l.Task().Domain)
	l.q.mu.Unlock()
	return l.Lease.Later(ctx, d)
}

// When the context ends, walks have the grace time to end. A task that needs longer is handed back
// without a part.
func TestWorker_Grace(t *testing.T) { synctest.Test(t, testGrace) }

func testGrace(t *testing.T) {
	for _, test := range []struct {
		grace time.Duration
		parts int
	}{{0, 0}, {time.Minute, 1}} {
		ctx, stop := context.WithCancel(t.Context())
		w := &web{lastMod: "2024", hold: func(ctx context.Context, host string) {
			stop()
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}}
		q := &returned{Queue: queueOf(t, tasks(t, "a.example\nb.example\n", "1"))}
		f := openFolder(t)
		worker := &batch.Worker{
			Client: w.client(), Queue: q, Sink: f, States: f, Parallel: 1, Grace: test.grace,
		}
		if err := worker.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("grace %v: %v", test.grace, err)
		}
		if n := len(partsOf(t, f, "1")); n != test.parts || len(q.later) != 1-test.parts {
			t.Errorf("grace %v: %d parts, %q handed back", test.grace, n, q.later)
		}
	}
}

// A Worker whose context has a deadline says that this has passed.
func TestWorker_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		w := &web{lastMod: "2024", hold: func(ctx context.Context, host string) { <-ctx.Done() }}
		worker := &batch.Worker{
			Client: w.client(), Queue: queueOf(t, tasks(t, "a.example", "1")), Sink: openFolder(t),
			Parallel: 1,
		}
		if err := worker.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// A target that takes too long has failed; those after it are walked.
func TestWorker_SiteTime(t *testing.T) { synctest.Test(t, testSiteTime) }

func testSiteTime(t *testing.T) {
	w := &web{lastMod: "2024", hold: func(ctx context.Context, host string) {
		if strings.HasPrefix(host, "slow.") {
			<-ctx.Done()
		}
	}}
	f := openFolder(t)
	worker := &batch.Worker{
		Client: w.client(), Queue: queueOf(t, tasks(t, "slow.a.example\nwww.a.example", "1")), Sink: f,
		SiteTime: time.Minute,
	}
	if err := worker.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	lines := part(t, f, "1", "a.example")
	const want = `{"type":"target","target":"slow.a.example","error":{"code":"timeout","message":`
	if !strings.HasPrefix(lines, want) || len(pages(t, lines)) != 3 {
		t.Errorf("the part has\n%s", lines)
	}
}

// If a target takes too long, the part has the pages that were read, and the document that was not.
func TestWorker_SiteTime_Document(t *testing.T) { synctest.Test(t, testSiteTimeDocument) }

func testSiteTimeDocument(t *testing.T) {
	w := &web{lastMod: "2024"}
	w.hold = func(ctx context.Context, host string) {
		w.mu.Lock()
		isSitemap := w.requests[host] > 1 // robots.txt is read before it
		w.mu.Unlock()
		if isSitemap {
			<-ctx.Done()
		}
	}
	f := openFolder(t)
	mustDo(t, w, f, tasks(t, "a.example", "1"), batch.Worker{SiteTime: time.Minute})
	lines := part(t, f, "1", "a.example")
	if count(lines, `{"type":"document","target":"a.example","sitemap":"https://a.example/sitemap.xml"`) != 1 ||
		count(lines, `{"type":"target","target":"a.example","error":{"code":"timeout"`) != 1 {
		t.Errorf("the part has\n%s", lines)
	}
}

// If the time of a target is over while a document is read, the part has all its pages, and the next
// run knows them. If it is over before the first page, the next run has them all.
func TestWorker_SiteTime_Pages(t *testing.T) { synctest.Test(t, testSiteTimePages) }

func testSiteTimePages(t *testing.T) {
	for slow, want := range []int{0, 3, 3} {
		f, w := openFolder(t), &web{lastMod: "2024"}
		mustDo(t, w, f, tasks(t, "a.example", "1"), batch.Worker{
			SiteTime: time.Minute,
			Select: func(u *discover.URL) bool {
				if u.Loc == fmt.Sprintf("https://a.example/%d", slow) {
					time.Sleep(time.Hour)
				}
				return true
			},
		})
		if lines := part(t, f, "1", "a.example"); len(pages(t, lines)) != want || count(lines, `"code":"timeout"`) != 1 {
			t.Errorf("slow page %d: the part has\n%s", slow, lines)
		}
		mustDo(t, w, f, tasks(t, "a.example", "2"), changed)
		if lines := part(t, f, "2", "a.example"); len(pages(t, lines)) != 3-want {
			t.Errorf("slow page %d: the next run has\n%s", slow, lines)
		}
	}
}
