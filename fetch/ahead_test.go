package fetch

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/iotest"
	"time"
)

// TestSlowConsumer pauses until the server has given up waiting: a document of 8
// MiB was read ahead, a larger one keeps what came and says so.
func TestSlowConsumer(t *testing.T) {
	for _, tt := range []struct {
		size int
		want error
	}{
		{8 << 20, nil},
		{40 << 20, ErrBody}, // more than the buffers of both kernels hide
	} {
		data := pattern(tt.size)
		s, c := serveData(t, data, time.Second), newClient(t)
		doc, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 100)
		if _, err := io.ReadFull(doc.Body, got); err != nil {
			t.Fatal(err)
		}
		if tt.want == nil {
			eventually(t, "the document was read ahead", func() bool { return doc.Received() == int64(tt.size) })
			c.CloseIdleConnections()
		}
		eventually(t, "the server gave up", func() bool { return s.closed.Load() == 1 })
		rest, err := io.ReadAll(doc.Body)
		got = append(got, rest...)
		if !errors.Is(err, tt.want) {
			t.Errorf("%d bytes: error %v, want %v", tt.size, err, tt.want)
		}
		if !bytes.HasPrefix(data, got) || tt.want == nil && len(got) != tt.size || len(got) < 8<<20 {
			t.Errorf("%d bytes: read %d, want all that came", tt.size, len(got))
		}
		doc.Body.Close()
		if c.ahead.used != 0 {
			t.Errorf("%d bytes: %d bytes of the budget not given back", tt.size, c.ahead.used)
		}
	}
}

// TestLapsed lets the server give up a body for which there was no room beside
// another, and one that it has sent.
func TestLapsed(t *testing.T) {
	data := pattern(20 << 20)
	s, c := serveData(t, data, time.Second), newClient(t)
	c.ahead.most = 96 << 20 // of which 24 MiB are for what nobody reads
	var docs []*Document
	for range 2 {
		doc, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: math.MaxInt64})
		if err != nil {
			t.Fatal(err)
		}
		defer doc.Body.Close()
		if docs = append(docs, doc); len(docs) == 1 {
			eventually(t, "the first has come", func() bool { return doc.Received() == int64(len(data)) })
		}
	}
	eventually(t, "the server gave up", func() bool { return s.closed.Load() == 1 })
	for i, want := range []bool{false, true} {
		if got := docs[i].Lapsed(); got != want {
			t.Errorf("document %d: Lapsed() = %t, want %t", i, got, want)
		}
		got, err := io.ReadAll(docs[i].Body)
		if !bytes.HasPrefix(data, got) || (err != nil) != want || (len(got) < len(data)) != want {
			t.Errorf("document %d: %d bytes, %v", i, len(got), err)
		}
		if docs[i].Lapsed() {
			t.Errorf("document %d: Lapsed() once it was read", i)
		}
	}
}

// TestBudget reads bodies ahead that are larger than the Client's budget, in an
// order that they do not expect, and drops one.
func TestBudget(t *testing.T) {
	check := baseline(t)
	t.Run("bodies", func(t *testing.T) {
		data := pattern(20 * chunkSize)
		s, c := serveData(t, data, 0), newClient(t)
		c.ahead.most = 12 * chunkSize
		var docs []*Document
		for range 5 {
			doc, err := c.Get(t.Context(), Request{URL: s.URL, ReadAhead: 8 << 20})
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, doc)
		}
		used := func() int64 {
			c.ahead.mu.Lock()
			defer c.ahead.mu.Unlock()
			return c.ahead.used
		}
		eventually(t, "the budget of what nobody reads is spent", func() bool { return used() == c.ahead.most/4 })
		docs[3].Body.Close()
		docs[4].Body.Read(make([]byte, 1))
		eventually(t, "all of the budget is spent", func() bool { return used() == c.ahead.most })
		for _, i := range []int{4, 0, 2, 1} {
			got, err := io.ReadAll(iotest.HalfReader(docs[i].Body))
			if err != nil || !bytes.HasSuffix(data, got) || len(got) < len(data)-1 {
				t.Errorf("body %d: %d bytes, %v; want %d", i, len(got), err, len(data))
			}
			if used() > c.ahead.most {
				t.Errorf("%d bytes of the budget in use, want at most %d", used(), c.ahead.most)
			}
			docs[i].Body.Close()
		}
		if used() != 0 || len(c.ahead.waiting) != 0 {
			t.Errorf("%d bytes of the budget not given back, %d waiting", used(), len(c.ahead.waiting))
		}
	})
	check()
}

// TestReadAheadSizes reads documents of sizes around the chunk's with little
// room.
func TestReadAheadSizes(t *testing.T) {
	for _, size := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 5*chunkSize + 7} {
		for _, ahead := range []int64{1, chunkSize, chunkSize + 1, 1 << 20} {
			data := pattern(size)
			c := newClient(t)
			c.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				resp := answer(r, 200, "")
				resp.Body = io.NopCloser(iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(data))))
				return resp, nil
			})
			doc, err := c.Get(t.Context(), Request{URL: "http://example.com/", ReadAhead: ahead})
			if err != nil {
				t.Fatal(err)
			}
			err = iotest.TestReader(doc.Body, data)
			if err != nil {
				t.Errorf("%d bytes, %d ahead: %v", size, ahead, err)
			}
			doc.Body.Close()
			if c.ahead.used != 0 {
				t.Errorf("%d bytes, %d ahead: budget not given back", size, ahead)
			}
		}
	}
}

// TestOnEnd: who asks is told how a body ended that nobody reads yet, once, whether it has ended by
// then or not; not of one that is read, nor of one that waits for room.
func TestOnEnd(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		err  error
		room int64
		read bool
		want []bool // broken
	}{
		"whole":          {"whole", io.EOF, chunkSize, false, []bool{false}},
		"broken":         {"half", &cause{kind: ErrBody}, chunkSize, false, []bool{true}},
		"ended for good": {"half", ErrClosed, chunkSize, false, []bool{false}},
		"read":           {"half", &cause{kind: ErrBody}, chunkSize, true, nil},
		"too large":      {string(pattern(2 * chunkSize)), io.EOF, chunkSize, false, nil},
	} {
		for _, early := range []bool{true, false} {
			src, write := io.Pipe()
			parked := make(chan struct{})
			a := newAhead(src, test.room, &budget{}, func() { close(parked) })
			var got []bool
			done := make(chan struct{})
			go func() {
				defer close(done)
				a.once.Do(a.run)
			}()
			listen := func() { a.onEnd(func(broken bool) { got = append(got, broken) }) }
			if early {
				listen()
			}
			if test.read {
				a.pending()
			}
			wrote := make(chan struct{})
			go func() {
				defer close(wrote)
				io.WriteString(write, test.body)
				write.CloseWithError(test.err)
			}()
			if name == "too large" {
				<-parked
			} else {
				<-wrote
				<-done
			}
			if !early {
				listen()
			}
			src.Close()
			a.close()
			<-wrote
			if !slices.Equal(got, test.want) {
				t.Errorf("%s, asked before it ended %t: told %t, want %t", name, early, got, test.want)
			}
		}
	}
}
