package jetstreamtest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// A worker that reads a large task for longer than its lease leaves the task to the next one.
func TestQueue_SlowObject(t *testing.T) {
	t.Parallel()
	s := must[*natstest.Server](t)(natstest.Start(t.TempDir(), -1))
	defer s.Close()
	slow := &silence{after: []byte("CONSUMER.CREATE.OBJ_sitemap"), lasts: 15 * time.Second}
	var queues []*natsqueue.Queue
	var nc *nats.Conn
	for _, url := range []string{slow.listen(t, s.URL()), s.URL()} {
		nc = must[*nats.Conn](t)(natsqueue.Connect(url, natsqueue.Login{}))
		defer nc.Close()
		q := must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "1", &natsqueue.Options{Lease: 6 * time.Second}))
		queues = append(queues, q)
	}
	task := batch.Task{Run: "1", Domain: "a.example"}
	for i := range 20_000 {
		task.Targets = append(task.Targets, fmt.Sprintf("https://a.example/sitemaps/%d.xml", i))
	}
	must[bool](t)(queues[1].Put(t.Context(), task))
	if err := queues[1].End(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := queues[0].Take(t.Context())
		ended <- err
	}()
	for leased := 0; leased == 0; {
		_, leased, _ = natsqueue.Left(t.Context(), nc, "1", nil)
	}
	l, err := queues[1].Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		time.Sleep(3 * time.Second)
		if err := l.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Done(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != io.EOF {
		t.Errorf("the other worker: %v, want io.EOF", err)
	}
}

// A large task is taken although its object is found some time after its message. In a cluster, the
// servers do not all learn of an object at once.
func TestQueue_LateObject(t *testing.T) {
	nc := connect(t)
	q := must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "1", nil))
	js := must[jetstream.JetStream](t)(jetstream.New(nc))
	must[*jetstream.PubAck](t)(js.Publish(t.Context(), "sitemap.1.a", []byte("@late")))
	if err := q.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	taken := make(chan batch.Lease, 1)
	go func() {
		defer close(taken)
		if l, err := q.Take(t.Context()); err != nil {
			t.Error(err)
		} else {
			taken <- l
		}
	}()
	for leased := 0; leased == 0; {
		_, leased, _ = natsqueue.Left(t.Context(), nc, "1", nil)
	}
	objects := must[jetstream.ObjectStore](t)(js.ObjectStore(t.Context(), "sitemap"))
	must[*jetstream.ObjectInfo](t)(objects.PutString(t.Context(), "late", `{"run":"1","domain":"a.test"}`))
	if l := <-taken; l != nil && (l.Task().Domain != "a.test" || l.Task().Attempts != 0) {
		t.Errorf("took %+v", l.Task())
	}
}

// A worker whose connection is away for longer than its lease does not end the lease of the next
// one, although it has tried to renew its own.
func TestLease_Away(t *testing.T) {
	s := must[*natstest.Server](t)(natstest.Start(t.TempDir(), -1))
	defer s.Close()
	road := &road{}
	away := must[*nats.Conn](t)(nats.Connect(s.URL(), nats.SetCustomDialer(road), nats.MaxReconnects(-1),
		nats.ReconnectWait(10*time.Millisecond)))
	defer away.Close()
	open := func(nc *nats.Conn) *natsqueue.Queue {
		o := &natsqueue.Options{Lease: 2 * time.Second}
		return must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "1", o))
	}
	q := open(away)
	must[bool](t)(q.Put(t.Context(), taskOf(1)))
	first := must[batch.Lease](t)(q.Take(t.Context()))
	road.closed.Store(true)
	road.conn.Close()
	if err := first.Renew(t.Context()); err == nil {
		t.Error("a lease was renewed without a broker")
	}
	near := must[*nats.Conn](t)(nats.Connect(s.URL()))
	defer near.Close()
	second := must[batch.Lease](t)(open(near).Take(t.Context()))
	road.closed.Store(false)
	for !away.IsConnected() {
		time.Sleep(time.Millisecond)
	}
	if err := first.Later(t.Context(), 0); !errors.Is(err, batch.ErrStale) {
		t.Errorf("Later of the first lease: %v, want ErrStale", err)
	}
	if err := second.Done(t.Context()); err != nil {
		t.Error(err)
	}
}

// A road leads to a broker, unless it is closed.
type road struct {
	closed atomic.Bool
	conn   net.Conn
}

func (r *road) Dial(network, address string) (conn net.Conn, err error) {
	if r.closed.Load() {
		return nil, net.ErrClosed
	}
	r.conn, err = net.Dial(network, address)
	return r.conn, err
}
