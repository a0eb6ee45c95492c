package fetch_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

func TestRetryAfter_RFC9110_10_2_3(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	const year = 365 * 24 * time.Hour
	for value, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"-5":                             0,
		"120":                            2 * time.Minute,
		" 7 ":                            7 * time.Second,
		"1.5":                            1500 * time.Millisecond,
		strings.Repeat("9", 40):          year,
		"5 s":                            0,
		"NaN":                            0,
		"soon":                           0,
		"Mon, 06 May 2024 07:09:09 GMT":  time.Minute,
		"Monday, 06-May-24 07:09:09 GMT": time.Minute,
		"Fri, 31 Dec 1999 23:59:59 GMT":  0,
		"Fri, 31 Dec 9999 23:59:59 GMT":  year,
	} {
		if got := fetch.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", value, got, want)
		}
	}
}

// statuses answers each request with the next status, and the last one from then on.
func statuses(retryAfter string, codes ...int) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		code := codes[0]
		if len(codes) > 1 {
			codes = codes[1:]
		}
		resp := answer(r, code, "body")
		if retryAfter != "" && code >= 400 {
			resp.Header.Set("Retry-After", retryAfter)
		}
		return resp, nil
	}
}

func TestClient_RetryWaits(t *testing.T) {
	for _, tt := range []struct {
		name       string
		retryAfter string
		codes      []int
		client     *fetch.Client
		attempts   int
		status     int // of the error; 0: no error
		least      time.Duration
		most       time.Duration
	}{
		{"sound", "", []int{200}, &fetch.Client{}, 1, 0, 0, 0},
		{"two failures", "", []int{500, 502, 200}, &fetch.Client{}, 3, 0, 0, 3 * time.Second},
		{"three failures", "", []int{500}, &fetch.Client{}, 3, 500, 0, 3 * time.Second},
		{"no retries", "", []int{500, 200}, &fetch.Client{Retries: -1}, 1, 500, 0, 0},
		{"many retries", "", []int{504}, &fetch.Client{Retries: 9}, 10, 504, 0, 5 * time.Minute},
		{"waits at most RetryWait", "", []int{504}, &fetch.Client{Retries: 9, RetryWait: time.Millisecond}, 10, 504, 0, 9 * time.Millisecond},
		{"Retry-After", "7", []int{500, 500, 200}, &fetch.Client{}, 3, 0, 14 * time.Second, 14 * time.Second},
		{"longer than RetryWait", "61", []int{500}, &fetch.Client{}, 1, 500, 0, 0},
		{"longer than another RetryWait", "61", []int{500, 200}, &fetch.Client{RetryWait: 2 * time.Minute}, 2, 0, 61 * time.Second, 61 * time.Second},
		{"busy, longer than Timeout", "50", []int{503, 200}, &fetch.Client{Timeout: time.Second}, 1, 503, 0, 0},
		{"longer than Timeout", "30", []int{500}, &fetch.Client{Timeout: 20 * time.Second}, 1, 500, 0, 0},
		{"busy answers are counted", "2", []int{429, 503, 200}, &fetch.Client{Retries: 1}, 2, 503, 2 * time.Second, 2 * time.Second},
		{"so are their waits", "25", []int{429, 429, 429, 200}, &fetch.Client{Timeout: time.Minute, Retries: 9}, 3, 429, 50 * time.Second, 50 * time.Second},
		{"always busy", "", []int{503}, &fetch.Client{}, 3, 503, 0, 3 * time.Second},
		{"busy, without retries", "1", []int{429}, &fetch.Client{Retries: -1}, 1, 429, 0, 0},
		{"not found", "", []int{404}, &fetch.Client{}, 1, 404, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &fetch.Client{
					Retries: tt.client.Retries, RetryWait: tt.client.RetryWait, Timeout: tt.client.Timeout,
					Transport: statuses(tt.retryAfter, tt.codes...), Limiter: &countingLimiter{},
				}
				start := time.Now()
				doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
				took := time.Since(start)
				var e *fetch.Error
				switch {
				case tt.status == 0 && (err != nil || doc.Attempts != tt.attempts):
					t.Errorf("%v, want success after %d attempts", err, tt.attempts)
				case tt.status != 0 && (!errors.As(err, &e) || e.Status != tt.status || e.Attempts != tt.attempts):
					t.Errorf("error %v, want status %d after %d attempts",
						err, tt.status, tt.attempts)
				case e != nil && tt.retryAfter != "" && strconv.Itoa(int(e.RetryAfter.Seconds())) != tt.retryAfter:
					t.Errorf("RetryAfter %v, want %s s", e.RetryAfter, tt.retryAfter)
				}
				if took < tt.least || took > tt.most {
					t.Errorf("took %v, want %v to %v", took, tt.least, tt.most)
				}
			})
		})
	}
}

func TestClient_CancelEndsEveryWait(t *testing.T) {
	blocked := roundTripper(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	silent := roundTripper(func(r *http.Request) (*http.Response, error) {
		body, w := io.Pipe()
		go func() {
			io.WriteString(w, "start")
			<-r.Context().Done()
			w.CloseWithError(r.Context().Err())
		}()
		resp := answer(r, 200, "")
		resp.Body, resp.ContentLength = body, -1
		return resp, nil
	})
	for name, rt := range map[string]http.RoundTripper{
		"answer": blocked, "body": silent, "backoff": statuses("50", 500), "pause": statuses("50", 429),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				start := time.Now()
				_, err := (&fetch.Client{Transport: rt}).Get(ctx, fetch.Request{URL: "http://a.test/"})
				var e *fetch.Error
				if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &e) || time.Since(start) != 5*time.Second {
					t.Errorf("%v after %v, want the context's error after 5s",
						err, time.Since(start))
				}
			})
		})
	}
}

// The time of a document is up before it would be retried.
func TestClient_BrokenBodyAtTimeout(t *testing.T) {
	for name, tt := range map[string]struct{ takes, timeout time.Duration }{
		"in the wait before a retry": {10 * time.Second, 10*time.Second + 1},
		"in the second attempt":      {10 * time.Second, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &fetch.Client{
					Timeout: tt.timeout, Limiter: &countingLimiter{},
					Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
						resp := answer(r, 200, "")
						start := strings.NewReader("start")
						resp.Body = io.NopCloser(io.MultiReader(start, &late{r.Context(), tt.takes}))
						return resp, nil
					}),
				}
				doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
				if err != nil {
					t.Fatal(err)
				}
				defer doc.Body.Close()
				got, err := io.ReadAll(doc.Body)
				if string(got) != "start" || !errors.Is(err, fetch.ErrBody) || errors.Is(err, context.Canceled) {
					t.Errorf("read %q, then %v, want %q, then %v", got, err, "start", fetch.ErrBody)
				}
			})
		})
	}
}

// A late body breaks off after some time.
type late struct {
	ctx  context.Context
	wait time.Duration
}

func (l *late) Read([]byte) (int, error) {
	select {
	case <-l.ctx.Done():
		return 0, context.Cause(l.ctx)
	case <-time.After(l.wait):
		return 0, io.ErrUnexpectedEOF
	}
}

// A slowBody sends a byte after each pause, up to a number of bytes, and then nothing.
type slowBody struct {
	ctx   context.Context
	pause time.Duration
	left  int
}

func (b *slowBody) Read(p []byte) (int, error) {
	var next <-chan time.Time
	if b.left > 0 {
		next = time.After(b.pause)
	}
	select {
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-next:
		b.left--
		p[0] = 'x'
		return 1, nil
	}
}

func (b *slowBody) Close() error { return nil }

func TestClient_SlowBodies(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes       int
		timeout     time.Duration
		attempts    int
		read        string
		least, most time.Duration
	}{
		"drips":  {1_000, 55 * time.Second, 1, "xxxxx", 55 * time.Second, 55 * time.Second},
		"stalls": {3, 0, 3, "xxx", 180 * time.Second, 183 * time.Second}, // 3 attempts of 3 * 10s + 30s
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &fetch.Client{Timeout: tt.timeout, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					resp := answer(r, http.StatusOK, "")
					resp.Body, resp.ContentLength = &slowBody{r.Context(), 10 * time.Second, tt.bytes}, -1
					return resp, nil
				})}
				start := time.Now()
				doc, err := c.Get(t.Context(), fetch.Request{URL: "http://a.test/"})
				if err != nil {
					t.Fatal(err)
				}
				defer doc.Body.Close()
				if took := time.Since(start); took < tt.least || took > tt.most || doc.Attempts != tt.attempts {
					t.Errorf("%v, %d attempts; want %v to %v, %d",
						took, doc.Attempts, tt.least, tt.most, tt.attempts)
				}
				got, err := io.ReadAll(doc.Body)
				if string(got) != tt.read || !errors.Is(err, fetch.ErrTimeout) || !errors.Is(err, fetch.ErrBody) {
					t.Errorf("read %q, then %v, want %q, then %v",
						got, err, tt.read, fetch.ErrTimeout)
				}
			})
		})
	}
}

// A body is sent again with each retry, and never to where a redirect leads.
func TestClient_Post(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		codes := []int{http.StatusServiceUnavailable, http.StatusAccepted, http.StatusPermanentRedirect}
		c := &fetch.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			text, err := io.ReadAll(r.Body)
			got = append(got, r.Method+" "+string(text))
			code := codes[0]
			codes = codes[1:]
			return answer(r, code, "", "Location", "https://example.com/b"), err
		})}
		req := fetch.Request{URL: "https://example.com/a", Body: []byte("body")}
		doc, err := c.Get(t.Context(), req)
		if err != nil || doc.Status != http.StatusAccepted || doc.Attempts != 2 {
			t.Fatalf("%+v, %v", doc, err)
		}
		doc.Body.Close()
		if _, err := c.Get(t.Context(), req); !errors.Is(err, fetch.ErrRedirect) {
			t.Error(err)
		}
		if want := "POST body, POST body, POST body"; strings.Join(got, ", ") != want {
			t.Errorf("sent %q", got)
		}
	})
}
