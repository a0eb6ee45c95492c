package objects_test

import (
	"crypto/md5"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/engines/objects"
	"github.com/seed-322c453a/sitemap/internal/records"
)

// A fakeStore is as much of S3 as tests need.
type fakeStore struct {
	mu      sync.Mutex
	objects map[string]string
	uploads []upload // that have not ended
	aborted []string
	pieces  map[string]string // of uploads
	loses   int               // uploads that it says it has joined
	gone    bool              // its bucket
	lists   []string          // pages of a list; "" is a conflict
	// ignores lists the conditions that are not evaluated.
	ignores []string
	// drop, if not nil, reports whether the answer to a request is lost.
	drop func(r *http.Request) bool
	// cut, if not nil, is called after half of the answer to a request was sent, which then breaks
	// off. It may make itself nil.
	cut func()
}

type upload struct {
	Key       string
	UploadID  string `xml:"UploadId"`
	Initiated time.Time
}

func (s *fakeStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop != nil && s.drop(r) {
		s.serve(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	if s.cut != nil {
		whole := httptest.NewRecorder()
		s.serve(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.WriteHeader(whole.Code)
		w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		http.NewResponseController(w).Flush()
		s.cut()
		panic(http.ErrAbortHandler)
	}
	s.serve(w, r)
}

func (s *fakeStore) serve(w http.ResponseWriter, r *http.Request) {
	old, exists := s.objects[r.URL.Path]
	switch {
	case s.gone:
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Query().Has("uploads") && r.Method == http.MethodPost:
		fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
	case r.URL.Query().Has("uploads"):
		xml.NewEncoder(w).Encode(struct {
			XMLName xml.Name `xml:"ListMultipartUploadsResult"`
			Upload  []upload
		}{Upload: s.uploads})
	case r.URL.Query().Has("partNumber"):
		body, _ := io.ReadAll(r.Body)
		s.pieces[r.URL.Query().Get("partNumber")] = string(body)
		w.Header().Set("ETag", etag(string(body)))
	case r.URL.Query().Has("uploadId") && r.Method == http.MethodPost && len(s.pieces) == 0:
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "<Error><Code>NoSuchUpload</Code></Error>")
	case r.URL.Query().Has("uploadId") && r.Method == http.MethodPost:
		if s.loses--; s.loses < 0 {
			s.objects[r.URL.Path] = s.pieces["1"] + s.pieces["2"]
		}
		clear(s.pieces)
		fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>bucket</Bucket></CompleteMultipartUploadResult>")
	case r.URL.Query().Has("uploadId"):
		s.aborted = append(s.aborted, r.URL.Query().Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut:
		if status := s.refuses(r, old, exists); status != 0 {
			w.WriteHeader(status)
			return
		}
		body, _ := io.ReadAll(r.Body)
		s.objects[r.URL.Path] = string(body)
		w.Header().Set("ETag", etag(string(body)))
	case r.URL.Query().Has("list-type") && s.lists[0] == "":
		s.lists = s.lists[1:]
		w.WriteHeader(http.StatusConflict)
	case r.URL.Query().Has("list-type"):
		fmt.Fprintf(w, "<ListBucketResult>%s</ListBucketResult>", s.lists[0])
		s.lists = s.lists[1:]
	case r.Method == http.MethodDelete:
		delete(s.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/bucket/":
	case !exists:
		w.WriteHeader(http.StatusNotFound)
	case old == "" && r.Header.Get("Range") != "": // as Amazon does
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	default:
		w.Header().Set("ETag", etag(old))
		http.ServeContent(w, r, "", time.Now(), strings.NewReader(old))
	}
}

func etag(object string) string { return fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum([]byte(object)))) }

// refuses returns the status with which a conditional PUT is refused, else 0.
func (s *fakeStore) refuses(r *http.Request, old string, exists bool) int {
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	switch {
	case none != "" && exists && !slices.Contains(s.ignores, "existing"):
		return http.StatusPreconditionFailed
	case match != "" && !exists && !slices.Contains(s.ignores, "missing"):
		return http.StatusNotFound
	case match != "" && exists && match != etag(old) && !slices.Contains(s.ignores, "stale"):
		return http.StatusPreconditionFailed
	}
	return 0
}

func open(t *testing.T, fake *fakeStore) *objects.Store {
	t.Helper()
	fake.objects, fake.pieces = map[string]string{}, map[string]string{}
	server := httptest.NewTLSServer(fake) // over TLS, bodies are sent as they are
	t.Cleanup(server.Close)
	client, err := minio.New(server.Listener.Addr().String(), &minio.Options{
		Secure: true, Transport: server.Client().Transport, Region: "us-east-1",
		Creds: credentials.NewStaticV4("access", "secret", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := objects.New(t.Context(), client, "bucket", "p")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A store that ignores a condition is refused, whichever it is, and nothing is left in it.
func TestStates_NoFence(t *testing.T) {
	for _, ignores := range [][]string{{"stale"}, {"existing"}, {"missing"}, {"stale", "existing", "missing"}} {
		fake := &fakeStore{ignores: ignores}
		if _, err := open(t, fake).States(t.Context()); !errors.Is(err, objects.ErrNoFence) {
			t.Errorf("a store that ignores %q: %v, want ErrNoFence", ignores, err)
		}
		if len(fake.objects) > 0 {
			t.Errorf("left %v", fake.objects)
		}
	}
	fake := &fakeStore{}
	if _, err := open(t, fake).States(t.Context()); err != nil || len(fake.objects) > 0 {
		t.Errorf("a store with a fence: %v, left %v", err, fake.objects)
	}
}

// A store with a fence is not refused because an answer was lost when the fence was tried.
func TestStates_FenceLostAnswer(t *testing.T) {
	for lost := range 2 {
		fake := &fakeStore{}
		store, puts := open(t, fake), 0
		fake.drop = func(r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			puts++
			return puts == 1+lost
		}
		if _, err := store.States(t.Context()); err != nil || len(fake.objects) > 0 {
			t.Errorf("the answer to write %d is lost: %v, left %v", lost, err, fake.objects)
		}
	}
}

// A Save whose answer is lost is repeated, finds its own state and succeeds.
func TestStates_LostAnswer(t *testing.T) {
	fake := &fakeStore{}
	states, err := open(t, fake).States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	fake.drop = func(r *http.Request) bool {
		if r.Method == http.MethodPut {
			lost++
		}
		return r.Method == http.MethodPut && lost == 1
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "state")
		return err
	}
	first, other := batch.State{Run: "1", Part: "a"}, batch.State{Run: "1", Part: "b"}
	if err := states.Save(t.Context(), "a.test", first, write); err != nil || lost < 2 {
		t.Errorf("Save = %v after %d requests", err, lost)
	}
	if err := states.Save(t.Context(), "a.test", other, write); !errors.Is(err, batch.ErrStale) {
		t.Errorf("a second Save: %v, want ErrStale", err)
	}
}

// A state is read as one version if the answer breaks off, and the state is replaced meanwhile.
func TestStates_CutAndReplaced(t *testing.T) {
	fake := &fakeStore{}
	states, err := open(t, fake).States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name, versions := "/bucket/p/.state/"+batch.FileName("a.test")+".state", []string(nil)
	for _, run := range []string{"1", "2"} {
		now, err := states.Load(t.Context(), "a.test")
		if err != nil {
			t.Fatal(err)
		}
		next := batch.State{Version: now.Version, Run: run, Part: "of " + run}
		err = states.Save(t.Context(), "a.test", next, func(w io.Writer) error {
			_, err := io.WriteString(w, "state of "+run)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, fake.objects[name])
	}
	fake.objects[name] = versions[0]
	fake.cut = func() { fake.objects[name], fake.cut = versions[1], nil }
	state, err := states.Load(t.Context(), "a.test")
	if state.Run != "2" || err != nil {
		t.Fatalf("Load = %+v, %v", state, err)
	}
	in, err := state.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(in); string(text) != "state of 2" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}

// A state that something has emptied is damaged, and can be replaced.
func TestStates_Empty(t *testing.T) {
	fake := &fakeStore{}
	states, err := open(t, fake).States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fake.objects["/bucket/p/.state/"+batch.FileName("a.test")+".state"] = ""
	state, err := states.Load(t.Context(), "a.test")
	if state.Open != nil || !errors.Is(err, records.ErrDamaged) {
		t.Errorf("Load = %+v, %v", state, err)
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "state")
		return err
	}
	next := batch.State{Version: state.Version, Run: "1", Part: "a"}
	if err := states.Save(t.Context(), "a.test", next, write); err != nil {
		t.Error(err)
	}
}

// That a bucket is gone does not mean that another worker has saved a state.
func TestStates_NoBucket(t *testing.T) {
	fake := &fakeStore{}
	states, err := open(t, fake).States(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fake.gone = true
	err = states.Save(t.Context(), "a.test", batch.State{Run: "1", Part: "a"}, func(io.Writer) error { return nil })
	if err == nil || errors.Is(err, batch.ErrStale) {
		t.Errorf("Save = %v", err)
	}
}

// A large part that the store says it has, and has not, is put again.
func TestPart_Lost(t *testing.T) {
	fake := &fakeStore{loses: 1}
	s, part := open(t, fake), batch.Stored{Task: batch.Task{Run: "1", Domain: "a.test"}}
	commitLarge(t, s, part, 17<<20)
	if got, err := s.Stat(t.Context(), part); err != nil || fake.loses != -1 {
		t.Errorf("Stat = %+v, %v", got, err)
	}
}

// commitLarge commits a part of a size that is put in two pieces.
func commitLarge(t *testing.T, s *objects.Store, part batch.Stored, size int) {
	t.Helper()
	p, err := s.Part(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, size)
	rand.NewChaCha8([32]byte{}).Read(noise)
	if _, err := p.Write(noise); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(t.Context(), batch.Counts{}); err != nil {
		t.Fatal(err)
	}
}

// A large part is put again if the answer is lost that its pieces were joined: the next one is that
// there is no such upload.
func TestPart_LostAnswer(t *testing.T) {
	objects.SetPieceSize(t, 5<<20)
	fake := &fakeStore{}
	s, part := open(t, fake), batch.Stored{Task: batch.Task{Run: "1", Domain: "a.test"}}
	joined := 0
	fake.drop = func(r *http.Request) bool {
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
			joined++
			return joined == 1
		}
		return false
	}
	commitLarge(t, s, part, 6<<20)
	if got, err := s.Stat(t.Context(), part); err != nil || joined != 3 {
		t.Errorf("Stat = %+v, %v after %d requests to join pieces", got, err, joined)
	}
}

// A list that takes longer than patience goes on after a page that the store has not answered.
func TestRuns_Long(t *testing.T) {
	s := open(t, &fakeStore{lists: []string{
		"<IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>" +
			"<CommonPrefixes><Prefix>p/1/</Prefix></CommonPrefixes>",
		"", "<CommonPrefixes><Prefix>p/2/</Prefix></CommonPrefixes>",
	}})
	objects.SetPatience(t, 0)
	if runs, err := s.Runs(t.Context()); !slices.Equal(runs, []string{"1", "2"}) || err != nil {
		t.Errorf("Runs = %q, %v", runs, err)
	}
}

// Pieces that a killed worker has left are removed a day later, and not before. Those of other
// programs stay.
func TestNew_AbortsUploads(t *testing.T) {
	fake := &fakeStore{uploads: []upload{
		{"p/1/00/a.jsonl.gz", "old", time.Now().Add(-25 * time.Hour)},
		{"p/1/00/b.jsonl.gz", "new", time.Now().Add(-23 * time.Hour)},
		{"p/film.mp4", "another's", time.Now().Add(-25 * time.Hour)},
	}}
	open(t, fake)
	if !slices.Equal(fake.aborted, []string{"old"}) {
		t.Errorf("aborted %q", fake.aborted)
	}
}

// An invalid location is refused before anything is requested.
func TestOpen_Location(t *testing.T) {
	for _, location := range []string{"", "bucket", "s3:", "s3://", "s3:///p", "https://bucket/p", "s3://id:secret@bucket/p", "s3://id:se/cret@bucket/p"} {
		if _, err := objects.Open(t.Context(), location); err == nil || !strings.Contains(err.Error(), "want s3://BUCKET") || strings.Contains(err.Error(), "cret") {
			t.Errorf("Open(%q) = %v", location, err)
		}
	}
	for _, endpoint := range []string{"localhost:9000", "ftp://a.test", "http://a.test/path", "http://id:secret@a.test/path"} {
		t.Setenv("AWS_ENDPOINT_URL", endpoint)
		if _, err := objects.Open(t.Context(), "s3://bucket"); err == nil || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL") || strings.Contains(err.Error(), "cret") {
			t.Errorf("endpoint %q: %v", endpoint, err)
		}
	}
}
