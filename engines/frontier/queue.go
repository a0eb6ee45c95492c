// Package frontier connects package batch with a URLFrontier: a server of the crawler-commons
// project that keeps the URLs of crawlers, in queues. A [Queue] takes tasks from a frontier. [Emit]
// puts the pages that a run has found into one, for a crawler to fetch.
//
//	conn, err := frontier.Dial("localhost:7071", nil)
//	...
//	w := &batch.Worker{Queue: &frontier.Queue{Conn: conn, Run: "1"}, Client: client, Sink: folder}
//	err = w.Run(ctx)
//
// It calls URLFrontier 2.6.
package frontier

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/seed-322c453a/sitemap/batch"
	pb "github.com/seed-322c453a/sitemap/engines/internal/urlfrontier"
)

// retries is the configuration that retries calls while the frontier restarts.
const retries = `{"methodConfig": [{"name": [{}], "waitForReady": true, "retryPolicy": {
	"maxAttempts": 5, "initialBackoff": "0.2s", "maxBackoff": "5s", "backoffMultiplier": 3,
	"retryableStatusCodes": ["UNAVAILABLE"]}}]}`

// Dial returns a connection to a frontier at an address such as localhost:7071. It uses TLS unless
// secure is nil. The first call connects. While the frontier cannot be reached, calls wait until
// their context ends.
func Dial(address string, secure *tls.Config) (*grpc.ClientConn, error) {
	creds := insecure.NewCredentials()
	if secure != nil {
		creds = credentials.NewTLS(secure)
	}
	return grpc.NewClient(
		address, grpc.WithTransportCredentials(creds), grpc.WithDefaultServiceConfig(retries),
	)
}

// DefaultCrawl is the crawl that a frontier uses for URLs without one.
const DefaultCrawl = "DEFAULT"

// A Queue is a [batch.Queue] in a frontier. Its fields must not change once it is used. It must not
// be copied.
//
// A queue of the frontier is a domain. All its URLs that are due are one task: its domain is the
// key of the queue, and its targets are the URLs. A URL without a path is a site, any other the URL
// of a sitemap. So other programs can fill the frontier. They should set the key of a URL to its
// registrable domain. By default, the frontier uses the host, so that several workers may get hosts
// of one domain. Keep pages out of the crawl: they would be read as sitemaps. Put adds URLs whose
// metadata hold the task.
//
// A lease postpones the URLs of a task and blocks the queue until a time, which Renew moves. That
// time is set by the clock of the worker, so the clocks of workers and frontier must agree within a
// few seconds. After a restart, the frontier may hand out tasks that workers still have.
type Queue struct {
	// Conn is the connection to the frontier, such as [Dial] returns. It must be set.
	Conn grpc.ClientConnInterface
	// Crawl names the crawl of the tasks. "" means [DefaultCrawl].
	Crawl string
	// Run names the run of tasks that other programs have added, and of those that are refetched.
	// Until then, tasks that Put added keep their own run.
	Run string
	// Lease is how long a lease lasts after Take and each Renew, in whole seconds. 0 or a negative
	// value means a minute.
	Lease time.Duration
	// Refetch is the time after which a task that is done is handed out again, for another run:
	// give the next workers another Run. The crawl is then never over. 0 or a negative value means
	// never.
	Refetch time.Duration

	putting sync.Mutex
	ended   atomic.Bool
	once    sync.Once
	turn    chan struct{} // holds a value while a Take asks the frontier
	every   time.Duration // how often it asks; 0 means each second
}

var _ batch.Queue = (*Queue)(nil)

func (q *Queue) client() pb.URLFrontierClient { return pb.NewURLFrontierClient(q.Conn) }
func (q *Queue) crawl() string                { return cmp.Or(q.Crawl, DefaultCrawl) }
func (q *Queue) lease() time.Duration         { return cmp.Or(max(0, q.Lease), time.Minute) }

// size returns how many URLs of a domain are not done, or of the crawl if domain is "". A frontier
// on RocksDB counts one too few, even below zero, when a URL that was done is put again.
func (q *Queue) size(ctx context.Context, domain string) (int64, error) {
	stats, err := q.stats(ctx, domain)
	return int64(stats.GetSize()), err
}

func (q *Queue) stats(ctx context.Context, domain string) (*pb.Stats, error) {
	p := &pb.QueueWithinCrawlParams{Key: domain, CrawlID: q.crawl()}
	stats, err := q.client().GetStats(ctx, p)
	return stats, failure(ctx, err)
}

// Exists reports whether the crawl has URLs, or has had some. If it does not, nobody has filled it
// yet, its name is misspelt, or the frontier has lost it.
func (q *Queue) Exists(ctx context.Context) (bool, error) {
	stats, err := q.stats(ctx, "")
	return stats.GetNumberOfQueues() > 0 || int64(stats.GetSize()) > 0, err
}

// block keeps a domain from being handed out before a time, in seconds of Unix. 0 frees it.
func (q *Queue) block(ctx context.Context, domain string, until uint64) error {
	p := &pb.BlockQueueParams{Key: domain, Time: until, CrawlID: q.crawl()}
	_, err := q.client().BlockQueueUntil(ctx, p)
	return failure(ctx, err)
}

// update sets when URLs are due, in seconds of Unix. 0 means that they are done.
func (q *Queue) update(ctx context.Context, urls []*pb.URLInfo, due uint64) error {
	var refused error
	err := put(ctx, q.Conn, func(yield func(*pb.URLItem, error) bool) {
		for _, u := range urls {
			item := &pb.KnownURLItem{Info: u, RefetchableFromDate: due}
			if !yield(&pb.URLItem{Known: item}, nil) {
				return
			}
		}
	}, func(ack *pb.AckMessage) {
		if ack.Status != pb.AckMessage_OK {
			refused = fmt.Errorf("frontier: the server answers %v to %s", ack.Status, ack.ID)
		}
	})
	return cmp.Or(err, refused)
}

// Keys of the metadata of a URL that Put adds.
const (
	runKey     = "sitemap.run"
	targetsKey = "sitemap.targets"
)

// perURL is how many targets are in one URL: gRPC takes messages of 4 MiB, if nothing else is set.
const perURL = 5_000

// Put adds a task: see [batch.Queue]. It first asks whether the domain has URLs that are not done,
// so fill a crawl from one process at a time.
func (q *Queue) Put(ctx context.Context, task batch.Task) (bool, error) {
	q.putting.Lock()
	defer q.putting.Unlock()
	if n, err := q.size(ctx, task.Domain); n > 0 || err != nil {
		return false, err
	}
	var urls []*pb.URLInfo
	for targets := range slices.Chunk(task.Targets, perURL) {
		u := &pb.URLInfo{
			Url: "https://" + task.Domain + "/", Key: task.Domain, CrawlID: q.crawl(),
			Metadata: map[string]*pb.StringList{
				runKey:     {Values: []string{task.Run}},
				targetsKey: {Values: targets},
			},
		}
		if n := len(urls); n > 0 {
			u.Url += fmt.Sprintf("?%06d", n)
		}
		urls = append(urls, u)
	}
	err := q.update(ctx, urls, unix(time.Now()))
	return err == nil, err
}

// End says that all tasks have been put. The frontier does not store that: call End in each process
// whose Take is to return [io.EOF] once all URLs of the crawl are done. Without it, Take waits for
// more.
func (q *Queue) End(context.Context) error {
	q.ended.Store(true)
	return nil
}

// Take leases a task: see [batch.Queue]. While no task is due, it polls the frontier once a second,
// for all callers of this process.
func (q *Queue) Take(ctx context.Context) (batch.Lease, error) {
	q.once.Do(func() { q.turn = make(chan struct{}, 1) })
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		ended := q.ended.Load()
		l, err := q.poll(ctx)
		if err == nil && l != nil {
			return l, nil
		}
		if ended && err == nil {
			var n int64
			if n, err = q.size(ctx, ""); err == nil && n <= 0 {
				return nil, io.EOF
			}
		}
		if err != nil && status.Code(err) != codes.Unavailable { // it restarts
			return nil, err
		}
		select {
		case <-time.After(cmp.Or(q.every, time.Second)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// poll leases the due URLs of one domain. The lease is nil if no URL is due.
func (q *Queue) poll(ctx context.Context) (batch.Lease, error) {
	task := batch.Task{Run: q.Run, More: true}
	l := &lease{queue: q, until: time.Now().Add(q.lease()), task: task}
	stream, err := q.client().GetURLs(ctx, &pb.GetParams{
		MaxQueues: 1, DelayRequestable: uint32(q.lease() / time.Second), CrawlID: q.crawl(),
	})
	for err == nil {
		var u *pb.URLInfo
		if u, err = stream.Recv(); err != nil {
			break
		}
		l.urls = append(l.urls, u)
	}
	if err != io.EOF {
		return nil, failure(ctx, err)
	}
	if len(l.urls) == 0 {
		return nil, nil
	}
	slices.SortFunc(l.urls, func(a, b *pb.URLInfo) int { return cmp.Compare(a.Url, b.Url) })
	for _, u := range l.urls {
		l.task.Domain, u.CrawlID = u.Key, q.crawl()
		if run := u.Metadata[runKey].GetValues(); len(run) > 0 {
			l.task.Run = run[0]
		}
		targets := u.Metadata[targetsKey].GetValues()
		if len(targets) == 0 {
			targets = []string{u.Url}
		}
		l.task.Targets = append(l.task.Targets, targets...)
	}
	// URLs of the domain that arrive later wait for the end of the lease, too.
	return l, q.block(ctx, l.task.Domain, unix(l.until))
}

// A lease expires at until.
type lease struct {
	queue *Queue
	task  batch.Task
	urls  []*pb.URLInfo

	mu    sync.Mutex // guards the fields below, and keeps Renew from following the end
	until time.Time
	over  bool
}

func (l *lease) Task() batch.Task { return l.task }

// renewTime bounds a Renew, for which the end of the lease waits.
const renewTime = 2 * time.Second

func (l *lease) Renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, renewTime)
	defer stop()
	switch {
	case l.over:
		return nil
	case time.Now().After(l.until):
		return batch.ErrStale
	}
	until := time.Now().Add(l.queue.lease())
	err := l.queue.block(ctx, l.task.Domain, unix(until))
	if err == nil {
		l.until = until
	}
	return err
}

func (l *lease) Done(ctx context.Context) error {
	due := uint64(0)
	if l.queue.Refetch > 0 {
		due = unix(time.Now().Add(l.queue.Refetch))
		for _, u := range l.urls {
			delete(u.Metadata, runKey)
		}
	}
	return l.end(ctx, due, 0)
}

func (l *lease) Later(ctx context.Context, delay time.Duration) error {
	due := unix(time.Now().Add(max(0, delay)))
	return l.end(ctx, due, due)
}

// end sets when the URLs are due again, and after that the end of the block. Until then the lease
// blocks the domain, so that no other worker gets some of the URLs.
func (l *lease) end(ctx context.Context, due, blocked uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || time.Now().After(l.until) {
		return batch.ErrStale
	}
	l.over = true
	if err := l.queue.update(ctx, l.urls, due); err != nil {
		return err
	}
	return l.queue.block(ctx, l.task.Domain, blocked)
}

// unix converts a time for the frontier. A queue stays blocked until that second is over.
func unix(t time.Time) uint64 { return uint64(t.Unix()) }
