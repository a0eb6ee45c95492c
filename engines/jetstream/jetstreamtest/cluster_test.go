package jetstreamtest_test

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-322c453a/sitemap/batch"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// hang is how long tests wait for the cluster before they take it to hang.
const hang = 5 * time.Minute

// cluster starts three brokers that know of each other.
func cluster(t *testing.T) []*server.Server {
	t.Helper()
	var held []net.Listener // each holds the port of a node until that starts
	var routes []*url.URL
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
	}
	var nodes []*server.Server
	for i, l := range held {
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("node", i), Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(), Routes: routes,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if nodes = append(nodes, s); !s.ReadyForConnections(hang) {
			t.Fatalf("a node has not started after %v", hang)
		}
	}
	return nodes
}

func urlsOf(nodes []*server.Server) string {
	var urls []string
	for _, s := range nodes {
		urls = append(urls, s.ClientURL())
	}
	return strings.Join(urls, ",")
}

// Of three nodes, the one that leads the stream is lost. Every task is done all the same.
func TestLeaderLost(t *testing.T) {
	nodes := cluster(t)
	o := &natsqueue.Options{Replicas: 3, Lease: 10 * time.Second, Patience: hang}
	open := func() (*nats.Conn, *natsqueue.Queue, batch.States) {
		nc, err := nats.Connect(urlsOf(nodes), nats.MaxReconnects(-1),
			nats.ReconnectWait(100*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		for begun := time.Now(); ; { // the cluster has to choose a leader first
			q, err := natsqueue.OpenQueue(t.Context(), nc, "1", o)
			if err == nil {
				var s batch.States
				if s, err = natsqueue.OpenStates(t.Context(), nc, o); err == nil {
					return nc, q, s
				}
			}
			if time.Since(begun) > hang {
				t.Fatalf("no leader after %v: %v", hang, err)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	const tasks = 300
	nc, q, _ := open()
	for i := range tasks {
		if _, err := q.Put(t.Context(), taskOf(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	done, halfway := map[string]int{}, make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, q, s := open()
			w := &batch.Worker{Client: emptyWeb(), Queue: q, States: s, Sink: discard{}, Parallel: 2,
				Done: func(task batch.Task, _ batch.Counts) {
					mu.Lock()
					defer mu.Unlock()
					if done[task.Domain]++; len(done) == tasks/2 {
						close(halfway)
					}
				},
			}
			if err := w.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	<-halfway
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "sitemap-run-1")
	if err != nil {
		t.Fatal(err)
	}
	leader := stream.CachedInfo().Cluster.Leader
	for _, s := range nodes {
		if s.Name() == leader {
			t.Logf("%s leads and is lost after %d tasks", leader, tasks/2)
			s.Shutdown()
		}
	}
	wg.Wait()
	for i := range tasks {
		if done[taskOf(i).Domain] == 0 {
			t.Errorf("%s was lost", taskOf(i).Domain)
		}
	}
}
