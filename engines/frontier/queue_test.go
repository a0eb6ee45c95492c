package frontier

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/batch/batchtest"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
	pb "github.com/seed-322c453a/sitemap/engines/internal/urlfrontier"
)

// open returns a queue in a new frontier.
func open(t *testing.T, s *frontiertest.Server, lease time.Duration) *Queue {
	t.Helper()
	conn, err := Dial(s.Start(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &Queue{Conn: conn, Lease: lease, every: 50 * time.Millisecond}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	batchtest.Queue(t, func(t *testing.T) batch.Queue { return open(t, &frontiertest.Server{}, 0) })
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	batchtest.Expiry(t, lease, func(t *testing.T) batch.Queue {
		return open(t, &frontiertest.Server{}, lease)
	})
}

// inMemory connects to a frontier without the network.
func inMemory(t *testing.T) *grpc.ClientConn {
	t.Helper()
	l := bufconn.Listen(1 << 20)
	t.Cleanup((&frontiertest.Server{}).Serve(l))
	conn, err := grpc.NewClient(
		"passthrough:///memory",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return l.DialContext(ctx)
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Other programs put URLs without our metadata. All of a domain are one task.
func TestForeign(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testForeign)
}

func testForeign(t *testing.T) {
	conn := inMemory(t)
	q := &Queue{Conn: conn, Run: "monday"}
	urls := []string{"https://a.test/", "https://www.a.test/sitemap.xml", "https://b.test/"}
	add := func(url, key, crawl string) {
		t.Helper()
		err := put(t.Context(), q.Conn, func(yield func(*pb.URLItem, error) bool) {
			info := &pb.URLInfo{Url: url, Key: key, CrawlID: crawl}
			yield(&pb.URLItem{Discovered: &pb.DiscoveredURLItem{Info: info}}, nil)
		}, func(*pb.AckMessage) {})
		if err != nil {
			t.Fatal(err)
		}
	}
	add(urls[0], "a.test", DefaultCrawl)
	add(urls[1], "a.test", DefaultCrawl)
	add(urls[2], "b.test", "other")

	lease, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	task := lease.Task()
	slices.Sort(task.Targets)
	if task.Domain != "a.test" || task.Run != "monday" || !slices.Equal(task.Targets, urls[:2]) {
		t.Errorf("took %+v", task)
	}
	add("https://a.test/late.xml", "a.test", DefaultCrawl) // waits until the lease ends
	time.Sleep(30 * time.Second)
	if l, err := q.poll(t.Context()); l != nil || err != nil {
		t.Errorf("took %v, %v of a domain that is with a worker", l, err)
	}
	if err := lease.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lease, err = q.Take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := lease.Task().Targets; !slices.Equal(got, []string{"https://a.test/late.xml"}) {
		t.Errorf("took %q, want what came late", got)
	}
}

// A task that is done is handed out again after the time to refetch, for the run of that worker.
func TestRefetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &Queue{Conn: inMemory(t), Run: "2", Refetch: 10 * time.Minute}
		begun, run := time.Now(), "1"
		for _, want := range []time.Duration{0, 10 * time.Minute, 20 * time.Minute} {
			if want == 0 {
				if ok, err := q.Put(t.Context(), batch.Task{Run: run, Domain: "a.test", Targets: []string{"a.test"}}); !ok || err != nil {
					t.Fatalf("Put = %t, %v", ok, err)
				}
			}
			lease, err := q.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(begun).Round(time.Minute); waited != want {
				t.Errorf("taken after %v, want %v", waited, want)
			}
			if got := lease.Task(); got.Run != run || !slices.Equal(got.Targets, []string{"a.test"}) {
				t.Errorf("took %+v, want it in run %s", got, run)
			}
			run = q.Run
			if err := lease.Done(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A task of more than 4 MiB, which is too large for a message, arrives whole.
func TestPut_Large(t *testing.T) {
	t.Parallel()
	q := open(t, &frontiertest.Server{}, 0)
	task := batch.Task{Run: "1", Domain: "a.test"}
	for i := range 120_001 {
		task.Targets = append(task.Targets, fmt.Sprintf("https://www.a.test/sitemap/%06d.xml", i))
	}
	if ok, err := q.Put(t.Context(), task); !ok || err != nil {
		t.Fatalf("Put = %t, %v", ok, err)
	}
	q.End(t.Context())
	lease, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := lease.Task(); got.Digest() != task.Digest() {
		t.Errorf("took %d targets, want %d", len(got.Targets), len(task.Targets))
	}
	if err := lease.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, err := q.Take(t.Context()); err != io.EOF {
		t.Errorf("Take = %v, %v, want io.EOF", l, err)
	}
}

// A frontier that counts below zero takes tasks, and its crawl is over.
func TestMiscount(t *testing.T) {
	t.Parallel()
	q := open(t, &frontiertest.Server{Miscount: -1}, 0)
	exists := func(want bool) {
		t.Helper()
		if got, err := q.Exists(t.Context()); got != want || err != nil {
			t.Errorf("Exists = %t, %v, want %t", got, err, want)
		}
	}
	exists(false)
	if ok, err := q.Put(t.Context(), batch.Task{Domain: "a.test", Targets: []string{"a.test"}}); !ok || err != nil {
		t.Fatalf("Put = %t, %v", ok, err)
	}
	q.End(t.Context())
	lease, err := q.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l, err := q.Take(t.Context()); err != io.EOF {
		t.Errorf("Take = %v, %v, want io.EOF", l, err)
	}
	exists(true)
}

// A frontier is asked by TLS, and one whose certificate nobody has signed is not.
func TestDial_TLS(t *testing.T) {
	t.Parallel()
	web := httptest.NewTLSServer(nil) // has a certificate
	defer web.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &frontiertest.Server{}
	defer s.Serve(tls.NewListener(l, &tls.Config{Certificates: web.TLS.Certificates, NextProtos: []string{"h2"}}))()
	known := x509.NewCertPool()
	known.AddCert(web.Certificate())
	for _, roots := range []*x509.CertPool{known, x509.NewCertPool()} {
		conn, err := Dial(l.Addr().String(), &tls.Config{RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Connect()
		want := connectivity.Ready
		if roots != known {
			want = connectivity.TransientFailure
		}
		for state := conn.GetState(); state != want; state = conn.GetState() {
			if state == connectivity.Ready || !conn.WaitForStateChange(t.Context(), state) {
				t.Fatalf("the connection is %v, want %v", state, want)
			}
		}
	}
}

// Workers go on when the frontier is there again.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := &frontiertest.Server{}
	address, stop := s.Listen(t, "127.0.0.1:0")
	conn, err := Dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	q := &Queue{Conn: conn, every: time.Millisecond}
	domains := make(chan string)
	go func() {
		defer close(domains)
		for range 2 {
			lease, err := q.Take(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			domains <- lease.Task().Domain
			if err := lease.Done(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, domain := range []string{"a.test", "b.test"} {
		ok, err := q.Put(t.Context(), batch.Task{Domain: domain, Targets: []string{domain}})
		if !ok || err != nil {
			t.Fatalf("Put = %t, %v", ok, err)
		}
		if got := <-domains; got != domain {
			t.Errorf("took %q, want %s", got, domain)
		}
		stop() // while the lease ends and Take asks
		conn.WaitForStateChange(t.Context(), connectivity.Ready)
		_, stop = s.Listen(t, address)
	}
	if _, more := <-domains; more {
		t.Error("a third task")
	}
}

// A restless frontier restarts while it is asked how many URLs it has.
type restless struct {
	grpc.ClientConnInterface
	asked int
}

func (r *restless) Invoke(
	ctx context.Context, method string, args, reply any, o ...grpc.CallOption,
) error {
	if method == pb.URLFrontier_GetStats_FullMethodName {
		if r.asked++; r.asked == 1 {
			return status.Error(codes.Unavailable, "restarting")
		}
	}
	return r.ClientConnInterface.Invoke(ctx, method, args, reply, o...)
}

// Take waits for a frontier that restarts, whatever it asks.
func TestTake_Unavailable(t *testing.T) {
	t.Parallel()
	q := open(t, &frontiertest.Server{}, 0)
	conn := &restless{ClientConnInterface: q.Conn}
	q.Conn = conn
	q.End(t.Context())
	if l, err := q.Take(t.Context()); err != io.EOF || conn.asked != 2 {
		t.Errorf("Take = %v, %v after %d questions, want io.EOF", l, err, conn.asked)
	}
}
