// Package frontiertest is a URLFrontier in memory for tests.
package frontiertest

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	pb "github.com/seed-322c453a/sitemap/engines/internal/urlfrontier"
)

// A Server implements the service of URLFrontier, with a clock in whole seconds.
type Server struct {
	// Fails, if set, reports whether the server fails to put a URL.
	Fails func(url string) bool
	// Cut, if not 0, is how many URLs the server takes before it ends a stream.
	Cut int
	// Miscount is added to the number of URLs that the server says it has.
	Miscount int

	mu     sync.Mutex
	queues []*queue
}

type queue struct {
	key, crawl string
	urls       map[string]*item
	blocked    uint64
	produced   uint64 // when it was handed out last
}

type item struct {
	info      *pb.URLInfo
	due, held uint64
	done      bool
}

// Start serves on the loopback interface until the test ends, and returns the address.
func (s *Server) Start(t testing.TB) string {
	t.Helper()
	address, _ := s.Listen(t, "127.0.0.1:0")
	return address
}

// Listen serves at an address until stop is called or the test ends.
func (s *Server) Listen(t testing.TB, at string) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	stop = s.Serve(l)
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

// Serve serves at a listener until stop is called.
func (s *Server) Serve(l net.Listener) (stop func()) {
	g := grpc.NewServer()
	pb.RegisterURLFrontierServer(g, &service{Server: s})
	go g.Serve(l)
	return g.Stop
}

// A URL is a URL in a frontier, and the key of its queue.
type URL struct {
	URL, Key string
	Metadata map[string][]string
}

// URLs returns all URLs of a crawl that are not done, sorted.
func (s *Server) URLs(crawl string) []URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []URL
	for _, q := range s.queues {
		for _, u := range q.urls {
			if q.crawl == crawl && !u.done {
				all = append(all, urlOf(u.info))
			}
		}
	}
	slices.SortFunc(all, func(a, b URL) int { return strings.Compare(a.URL, b.URL) })
	return all
}

func urlOf(info *pb.URLInfo) URL {
	u := URL{URL: info.Url, Key: info.Key, Metadata: map[string][]string{}}
	for key, list := range info.Metadata {
		u.Metadata[key] = list.Values
	}
	return u
}

// Leased returns how many domains of a crawl are blocked for longer than this second.
func (s *Server) Leased(crawl string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, q := range s.queues {
		if q.crawl == crawl && q.blocked > now() {
			n++
		}
	}
	return n
}

func now() uint64 { return uint64(time.Now().Unix()) }

func (s *Server) queue(key, crawl string) *queue {
	i := slices.IndexFunc(s.queues, func(q *queue) bool { return q.key == key && q.crawl == crawl })
	if i < 0 {
		return nil
	}
	return s.queues[i]
}

// A service is the calls of a Server.
type service struct {
	pb.UnimplementedURLFrontierServer
	*Server
}

func (s *service) GetURLs(
	p *pb.GetParams, stream grpc.ServerStreamingServer[pb.URLInfo],
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := stream.Context().Err(); err != nil {
		return err
	}
	at, sent := now(), uint32(0)
	for _, q := range slices.Clone(s.queues) {
		if p.MaxQueues > 0 && sent == p.MaxQueues {
			break
		}
		if q.crawl != p.CrawlID || q.blocked >= at || q.produced >= at {
			continue
		}
		n := uint32(0)
		for _, u := range q.urls {
			if u.done || u.due > at || u.held > at ||
				p.MaxUrlsPerQueue > 0 && n == p.MaxUrlsPerQueue {
				continue
			}
			if err := stream.Send(u.info); err != nil {
				return err
			}
			u.held = at + uint64(p.DelayRequestable)
			n++
		}
		if n > 0 {
			q.produced = at
			sent++
		}
		i := slices.Index(s.queues, q) // to the end
		s.queues = append(slices.Delete(s.queues, i, i+1), q)
	}
	return nil
}

func (s *service) PutURLs(stream grpc.BidiStreamingServer[pb.URLItem, pb.AckMessage]) error {
	for n := 0; s.Cut == 0 || n < s.Cut; n++ {
		i, err := stream.Recv()
		if err != nil {
			return nil // the client has sent all, or is gone
		}
		info := i.GetDiscovered().GetInfo()
		if i.Known != nil {
			info = i.Known.Info
		}
		ack := &pb.AckMessage{ID: info.Url}
		if s.Fails != nil && s.Fails(info.Url) {
			ack.Status = pb.AckMessage_FAIL
		} else {
			ack.Status = s.put(info, i.Known)
		}
		if err := stream.Send(ack); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) put(info *pb.URLInfo, known *pb.KnownURLItem) pb.AckMessage_Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := info.Key
	if key == "" {
		_, rest, _ := strings.Cut(info.Url, "://")
		key, _, _ = strings.Cut(rest, "/")
	}
	q := s.queue(key, info.CrawlID)
	if q == nil {
		q = &queue{key: key, crawl: info.CrawlID, urls: map[string]*item{}}
		s.queues = append(s.queues, q)
	}
	if known == nil && q.urls[info.Url] != nil {
		return pb.AckMessage_SKIPPED
	}
	info.Key = key
	u := &item{info: info}
	if known != nil {
		u.due, u.done = known.RefetchableFromDate, known.RefetchableFromDate == 0
	}
	q.urls[info.Url] = u
	return pb.AckMessage_OK
}

func (s *service) GetStats(_ context.Context, p *pb.QueueWithinCrawlParams) (*pb.Stats, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := &pb.Stats{Size: uint64(s.Miscount)}
	for _, q := range s.queues {
		if q.crawl != p.CrawlID || p.Key != "" && p.Key != q.key {
			continue
		}
		stats.NumberOfQueues++
		for _, u := range q.urls {
			if !u.done {
				stats.Size++
			}
		}
	}
	return stats, nil
}

func (s *service) BlockQueueUntil(_ context.Context, p *pb.BlockQueueParams) (*pb.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.queue(p.Key, p.CrawlID); q != nil {
		q.blocked = p.Time
	}
	return &pb.Empty{}, nil
}
