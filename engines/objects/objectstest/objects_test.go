package objectstest_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/batch/batchtest"
	"github.com/seed-322c453a/sitemap/engines/objects"
)

// open opens a store under a prefix of the bucket.
func open(t *testing.T, prefix string) *objects.Store {
	t.Helper()
	s, err := objects.Open(t.Context(), "s3://"+bucket+prefix)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func states(t *testing.T, s *objects.Store) batch.States {
	t.Helper()
	states, err := s.States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// prefixes returns a function that returns another prefix for each test.
func prefixes() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("/list %d/p[8]%%41+ü?#&=*", n)
	}
}

func TestSink(t *testing.T) {
	startServer(t)
	next := prefixes()
	batchtest.Sink(t, func(t *testing.T) batch.Sink { return open(t, next()) })
}

func TestStates(t *testing.T) {
	startServer(t)
	next := prefixes()
	batchtest.States(t, func(t *testing.T) batch.States { return states(t, open(t, next())) })
}

// The prefix may be missing. Runs are found, and nothing else. A run keeps a record beside its
// parts.
func TestRuns(t *testing.T) {
	startServer(t)
	s := open(t, "")
	states(t, s)
	for _, run := range []string{"2", "1", "a.b-c"} {
		p, err := s.Part(t.Context(), batch.Stored{Task: batch.Task{Run: run, Domain: "a.test"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := s.Runs(t.Context())
	if err != nil || !slices.Equal(runs, []string{"1", "2", "a.b-c"}) {
		t.Errorf("Runs = %q, %v", runs, err)
	}
	const record = "1/run.json"
	if _, err := s.Files.Open(t.Context(), record); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the record of a run that has none: %v", err)
	}
	for _, text := range []string{"{}", `{"mode":"changed"}`} {
		file, err := s.Files.Create()
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(file, text)
		if err := s.Files.Replace(t.Context(), record, file, batch.AnyVersion); err != nil {
			t.Fatal(err)
		}
		f, err := s.Files.Open(t.Context(), record)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size))
		if string(got) != text || err != nil {
			t.Errorf("the record is %q, %v, want %q", got, err, text)
		}
	}
	for part, err := range s.Parts(t.Context(), "1") {
		if part.Domain != "a.test" || err != nil {
			t.Errorf("beside its record a run has %+v, %v", part, err)
		}
	}
}

// A run has the parts under its own prefix, not those of a run below it.
func TestParts_RunsBelow(t *testing.T) {
	startServer(t)
	task := batch.Task{Run: "1", Domain: "a.test"}
	p, err := open(t, "/out").Part(t.Context(), batch.Stored{Task: task})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
		t.Fatal(err)
	}
	for part, err := range open(t, "").Parts(t.Context(), "out") {
		t.Errorf("run out has %+v, %v", part, err)
	}
}

// A bucket that does not exist, and credentials that are wrong, are errors at the start.
func TestOpen_Refused(t *testing.T) {
	startServer(t)
	if _, err := objects.Open(t.Context(), "s3://no-such-bucket/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no bucket: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	if s, err := objects.Open(t.Context(), "s3://"+bucket); err == nil {
		t.Errorf("wrong credentials: %v", s)
	}
}

// A part that is cut or empty is not there, and is named.
func TestDamaged(t *testing.T) {
	srv := startServer(t)
	s, client := open(t, "/p"), srv.client(nil)
	part := batch.Stored{Task: batch.Task{Run: "1", Domain: "a.test"}}
	for _, text := range []string{"", "no gzip", strings.Repeat("x", 100_000)} {
		_, err := client.PutObject(t.Context(), bucket, "p/"+batch.PartName("1", "a.test"),
			strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Stat(t.Context(), part)
		if !errors.Is(err, batch.ErrDamaged) || !strings.Contains(err.Error(), "s3://bucket/p/1/") {
			t.Errorf("%d bytes: %+v, %v", len(text), got, err)
		}
	}
}

// noise returns lines that gzip shortens by a third.
func noise(domain string, n int) string {
	random, part := rand.NewChaCha8([32]byte{}), make([]byte, 192)
	var b strings.Builder
	b.Grow(n + 1_000)
	for b.Len() < n {
		random.Read(part)
		fmt.Fprintf(&b, "{\"loc\":\"https://%s/%s\",\"kind\":\"page\"}\n", domain,
			base64.URLEncoding.EncodeToString(part))
	}
	return b.String()
}

// large is more than 16 MiB after gzip, which makes two thirds of such lines.
const large = 27 << 20

// uploads returns how many uploads in pieces have not ended.
func uploads(t *testing.T, srv *server) (n int) {
	t.Helper()
	for u := range srv.client(nil).ListIncompleteUploads(t.Context(), bucket, "", true) {
		if u.Err != nil {
			t.Fatal(u.Err)
		}
		n++
	}
	return n
}

// cutter is a transport that calls cut when the second piece of an object is put.
type cutter struct {
	cut    func()
	pieces atomic.Int32
}

func (c *cutter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut && r.URL.Query().Has("partNumber") && c.pieces.Add(1) == 2 {
		c.cut()
		return nil, r.Context().Err()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// Nothing is left of a large part that is broken off while it is put.
func TestPart_BrokenOff(t *testing.T) {
	srv := startServer(t)
	ctx, cut := context.WithCancel(t.Context())
	transport := &cutter{cut: cut}
	s, err := objects.New(t.Context(), srv.client(&minio.Options{Transport: transport}), bucket,
		"p")
	if err != nil {
		t.Fatal(err)
	}
	part := batch.Stored{Task: batch.Task{Run: "1", Domain: "a.test"}}
	p, err := s.Part(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p, noise("a.test", large)); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(ctx, batch.Counts{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit = %v, want %v", err, context.Canceled)
	}
	p.Discard()
	if n := transport.pieces.Load(); n < 2 {
		t.Errorf("the part was put in %d pieces", n)
	}
	if got, err := s.Stat(t.Context(), part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat = %+v, %v", got, err)
	}
	if n := uploads(t, srv); n != 0 {
		t.Errorf("%d uploads are left", n)
	}
}

// The server is killed again and again while eight workers write parts and states, also while a
// large part is put. None is lost, and none is half.
func TestKilled(t *testing.T) {
	srv := startServer(t)
	s := open(t, "/p[8]")
	st := states(t, s)
	const tasks = 120
	isLarge := func(task batch.Task) bool { return strings.HasSuffix(task.Domain, "40.test") }
	lines := func(task batch.Task) string {
		if isLarge(task) {
			return noise(task.Domain, large)
		}
		return noise(task.Domain, 100*len(task.Domain))
	}
	moments := make(chan struct{}, 2*tasks) // when the server is killed
	var done atomic.Int32
	w := &batch.Worker{
		Sink: s, States: st, Parallel: 8,
		Job: func(_ context.Context, _ *batch.Worker, task batch.Task, p batch.Part) (batch.Counts, error) {
			text := lines(task)
			_, err := io.WriteString(p, text)
			if isLarge(task) {
				moments <- struct{}{}
			}
			return batch.Counts{URLs: int64(strings.Count(text, "\n"))}, err
		},
		Done: func(batch.Task, batch.Counts) {
			if done.Add(1)%40 == 10 {
				moments <- struct{}{}
			}
		},
	}
	go func() {
		defer close(moments)
		for _, run := range []string{"1", "2"} {
			w.Queue = queueOf(t, run, tasks)
			if err := w.Run(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}()
	kills := 0
	for range moments {
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		srv.kill()
		time.Sleep(time.Duration(rand.IntN(1_000)) * time.Millisecond)
		srv.start()
		kills++
	}
	t.Logf("the server was killed %d times", kills)
	for _, run := range []string{"1", "2"} {
		found := 0
		for part, err := range s.Parts(t.Context(), run) {
			if err != nil {
				t.Fatal(err)
			}
			found++
			in, err := s.Open(t.Context(), part)
			if err != nil {
				t.Fatal(err)
			}
			text, want := strings.Builder{}, lines(part.Task)
			for line, err := range batch.Lines(in) {
				if err != nil {
					t.Fatalf("%s: %v", part.Path, err)
				}
				text.Write(line.Text)
			}
			in.Close()
			if text.String() != want || part.Counts.URLs != int64(strings.Count(want, "\n")) {
				t.Errorf("%s holds %d bytes, want %d", part.Path, text.Len(), len(want))
			}
		}
		if found != tasks {
			t.Errorf("run %s has %d parts, want %d", run, found, tasks)
		}
	}
	for i := range tasks {
		state, err := st.Load(t.Context(), fmt.Sprintf("s%d.test", i))
		if err != nil || state.Run != "2" || state.Predecessor == nil || state.Predecessor.Run != "1" {
			t.Errorf("the state of %d is %+v, %v", i, state, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(srv.dir, bucket, "p[[]8]", ".states", "*", "*.json.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left of large states: %q, %v", left, err)
	}
}

// queueOf returns a queue with all tasks of a run.
func queueOf(t *testing.T, run string, tasks int) batch.Queue {
	q := batch.NewMemoryQueue(tasks)
	for i := range tasks {
		domain := fmt.Sprintf("s%d.test", i)
		if _, err := q.Put(t.Context(), batch.Task{Run: run, Domain: domain, Targets: []string{domain}}); err != nil {
			t.Error(err)
		}
	}
	if err := q.End(t.Context()); err != nil {
		t.Error(err)
	}
	return q
}
