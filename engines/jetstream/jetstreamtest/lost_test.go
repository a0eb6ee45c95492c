package jetstreamtest_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/natstest"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// A silence is a connection to a broker whose answers are held back for a while, once the client has
// sent a text.
type silence struct {
	after []byte
	lasts time.Duration
	mu    sync.Mutex // held while the broker is silent
	once  sync.Once
}

// listen returns the URL of the connection to the broker at a URL.
func (s *silence) listen(t *testing.T, url string) string {
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			broker, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", portOf(t, url)))
			if err != nil {
				return
			}
			go s.forward(client, broker)
			go func() {
				io.Copy(writer(func(b []byte) (int, error) {
					s.mu.Lock()
					defer s.mu.Unlock()
					return client.Write(b)
				}), broker)
				client.Close()
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}

// forward sends what the client sends.
func (s *silence) forward(client, broker net.Conn) {
	io.Copy(writer(func(b []byte) (int, error) {
		if bytes.Contains(b, s.after) {
			s.once.Do(func() {
				s.mu.Lock()
				time.AfterFunc(s.lasts, s.mu.Unlock)
			})
		}
		return broker.Write(b)
	}), client)
	broker.Close()
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// A large task arrives at its first attempt, whether its Put was answered so late that it is sent
// again and refused, or its object is read slowly.
func TestQueue_LateAnswers(t *testing.T) {
	for _, after := range []string{"PUB sitemap.1.", "CONSUMER.CREATE.OBJ_sitemap"} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			testLate(t, after)
		})
	}
}

func testLate(t *testing.T, after string) {
	s := must[*natstest.Server](t)(natstest.Start(t.TempDir(), -1))
	defer s.Close()
	late := &silence{after: []byte(after), lasts: 4 * time.Second} // more than one attempt
	nc, err := natsqueue.Connect(late.listen(t, s.URL()), natsqueue.Login{})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	q := must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "1", nil))
	task := batch.Task{Run: "1", Domain: "a.example"}
	for i := range 20_000 {
		task.Targets = append(task.Targets, fmt.Sprintf("https://a.example/sitemaps/%d.xml", i))
	}
	begun := time.Now()
	must[bool](t)(q.Put(t.Context(), task))
	if err := q.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	l, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Task(); got.Digest() != task.Digest() || got.Attempts != 0 {
		t.Errorf("took %d targets after %d attempts", len(got.Targets), got.Attempts)
	}
	if wait := time.Since(begun); wait < late.lasts {
		t.Errorf("the broker was not silent: it took %v", wait)
	}
}
