package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

const mib = 1 << 20

// A bulk answers each request with the same body, and counts the requests.
type bulk struct {
	body     []byte
	hideSize bool // no Content-Length
	requests int
}

func (b *bulk) RoundTrip(r *http.Request) (*http.Response, error) {
	b.requests++
	resp := answer(r, http.StatusOK, "")
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b.body)), int64(len(b.body))
	if b.hideSize {
		resp.ContentLength = -1
	}
	return resp, nil
}

// bulkBody is the body of all documents. It is made once.
var bulkBody = sync.OnceValue(func() []byte { return noise(12 * mib) })

// newBulkClient returns a Client of a bulk whose bodies of 12 MiB have 4 MiB in a file each, and
// the folder of its temporary files.
func newBulkClient(t *testing.T) (c *fetch.Client, b *bulk, dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	b = &bulk{body: bulkBody()}
	return &fetch.Client{Transport: b, Limiter: &countingLimiter{}, Retries: -1}, b, dir
}

// checkWhole checks that a document is that of a bulk.
func checkWhole(t *testing.T, doc *fetch.Document, b *bulk) {
	t.Helper()
	if got, err := io.ReadAll(doc.Body); err != nil || !bytes.Equal(got, b.body) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

// A full disk is a lack of room for a document that is fetched ahead, and an error for any other.
func TestGet_AheadOfFullDisk(t *testing.T) {
	c := &fetch.Client{Retries: -1, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		resp := answer(r, http.StatusOK, "")
		full := &fs.PathError{Op: "write", Path: "sitemap-1", Err: syscall.ENOSPC}
		resp.Body, resp.ContentLength = io.NopCloser(iotest.ErrReader(full)), -1
		return resp, nil
	})}
	if _, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/", Ahead: true}); !errors.Is(err, fetch.ErrNoRoom) {
		t.Errorf("ahead: %v, want %v", err, fetch.ErrNoRoom)
	}
	doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Body.Close()
	if _, err := io.ReadAll(doc.Body); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("not ahead: %v, want %v", err, syscall.ENOSPC)
	}
}

func TestGet_AheadWithoutRoom(t *testing.T) {
	c, b, dir := newBulkClient(t)
	fetch.SetRoom(c, 6*mib)
	request := fetch.Request{URL: "http://a.test/", Ahead: true}
	first, err := c.Get(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, err := c.Get(t.Context(), request)
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrNoRoom) || !errors.As(err, &e) || !e.Temporary() || e.Attempts != 1 {
			t.Errorf("ahead, beside a document: %v, want %v after one attempt",
				err, fetch.ErrNoRoom)
		}
	}
	checkWhole(t, get(t, c, request.URL), b) // has a room of its own
	checkWhole(t, first, b)
	first.Body.Close()
	again, err := c.Get(t.Context(), request)
	if err != nil {
		t.Fatalf("ahead, after the other document: %v", err)
	}
	checkWhole(t, again, b)
	again.Body.Close()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

func TestGet_WaitsForRoom(t *testing.T) {
	c, b, _ := newBulkClient(t)
	c.Timeout = time.Second
	synctest.Test(t, func(t *testing.T) {
		fetch.SetRoom(c, 6*mib)
		first := get(t, c, "http://a.test/")
		got := make(chan *fetch.Document)
		go func() {
			doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
			if err != nil {
				t.Error(err)
			}
			got <- doc
		}()
		time.Sleep(time.Hour) // the Timeout of a second stands still
		synctest.Wait()
		if held := c.Limiter.(*countingLimiter).out; b.requests != 2 || held != 0 {
			t.Errorf("%d requests and %d slots held, want 2 and 0", b.requests, held)
		}
		first.Body.Close()
		doc := <-got
		if doc == nil {
			return
		}
		checkWhole(t, doc, b)
		if doc.Attempts != 2 || b.requests != 3 {
			t.Errorf("%d attempts, %d requests, want 2 and 3", doc.Attempts, b.requests)
		}
		doc.Body.Close()
	})
}

func TestGet_CancelledWhileItWaitsForRoom(t *testing.T) {
	c, b, _ := newBulkClient(t)
	synctest.Test(t, func(t *testing.T) {
		fetch.SetRoom(c, 6*mib)
		first := get(t, c, "http://a.test/")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Get(ctx, fetch.Request{URL: "http://a.test/"}); !errors.Is(err, ctx.Err()) || err == nil {
			t.Errorf("error %v, want %v", err, ctx.Err())
		}
		first.Body.Close()
		checkWhole(t, get(t, c, "http://a.test/"), b)
	})
}

// A body of unknown size reserves what it may have, and keeps what it has.
func TestGet_RoomForUnknownSizes(t *testing.T) {
	c, b, _ := newBulkClient(t)
	b.hideSize = true
	c.MaxBytes = 26 * mib // 18 in the file
	fetch.SetRoom(c, 22*mib)
	for range 2 {
		checkWhole(t, get(t, c, "http://a.test/"), b)
	}
	if b.requests != 2 {
		t.Errorf("%d requests, want 2: a whole body holds more room than it needs", b.requests)
	}
}

func TestBody_WithoutTemporaryFolder(t *testing.T) {
	c, b, dir := newBulkClient(t)
	missing := dir + "/missing"
	t.Setenv("TMPDIR", missing)
	t.Setenv("TMP", missing)
	fetch.SetRoom(c, 4*mib)
	for range 3 { // the room is given back
		doc := get(t, c, "http://a.test/")
		got, err := io.ReadAll(doc.Body)
		if !bytes.Equal(got, b.body[:8*mib]) || !errors.Is(err, fetch.ErrBody) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("read %d bytes, then %v; want what memory holds, then %v",
				len(got), err, os.ErrNotExist)
		}
		if want := "no temporary file in " + missing + " (TMPDIR): open "; !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want it to contain %q", err, want)
		}
		var e *fetch.Error
		if !errors.As(err, &e) || e.Temporary() || e.Attempts != 1 {
			t.Errorf("%v; want one attempt, as another would fail alike", err)
		}
	}
}

// While the memory for bodies is full, small documents of unknown length go to files without
// reserving more than they take; one that waited for room gives it back if memory is free again.
func TestRoom_SmallDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := atomic.Int32{}
		big, small := strings.Repeat("x", 8<<20), strings.Repeat("x", 100<<10)
		c := &fetch.Client{Retries: -1, Limiter: &countingLimiter{}, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			requests.Add(1)
			body := small
			if r.URL.Path == "/big" {
				body = big
			}
			resp := answer(r, 200, body)
			resp.ContentLength = -1
			return resp, nil
		})}
		get := func(path string) *fetch.Document {
			doc, err := c.Get(t.Context(), fetch.Request{URL: "https://a.test" + path})
			if err != nil {
				t.Fatal(err)
			}
			return doc
		}
		var held []*fetch.Document
		for range 4 {
			held = append(held, get("/big")) // all of the memory
		}
		requests.Store(0)
		docs := make(chan *fetch.Document, 50)
		for range cap(docs) {
			go func() { docs <- get("/small") }()
		}
		for range cap(docs) {
			(<-docs).Body.Close()
		}
		if n := requests.Load(); n != 50 {
			t.Errorf("%d requests for 50 documents", n)
		}
		for _, doc := range held {
			doc.Body.Close()
		}
	})
}
