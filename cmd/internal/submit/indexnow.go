package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// maxSubmitted is how many URLs IndexNow takes in one request.
const maxSubmitted = 10_000

// maxKeyFile is the maximum size of the file with a key. A key has 128 bytes at most.
const maxKeyFile = 4 << 10

// An indexNowRequest is the body of a request.
type indexNowRequest struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// submitFlags are the flags of sitemap submit.
type submitFlags struct {
	cli.FetchFlags
	key, keyLocation string
	endpoint         string
	ping             string
	dryRun           bool
}

// A sender sends requests, or prints them for --dry-run.
type sender struct {
	app    *cli.App
	flags  *submitFlags
	client *fetch.Client
	out    *output.Writer
	hosts  map[string]*hostChanges
}

// A hostChanges holds the changed URLs of a host that are not sent yet.
type hostChanges struct {
	urls     []string
	scheme   string // https if a URL has it
	hasKey   bool
	isFailed bool // the host has no key, or a request was refused
}

// sendChanges sends the URLs in a file of changes.
func (s *sender) sendChanges(ctx context.Context, name string) error {
	var problems cli.Tally
	f, err := s.app.Open(name)
	if err == nil {
		defer f.Close()
		report := problems.Reporter()
		dropped := func(p sitemap.Problem) { report(nil, p) }
		err = readChanges(f, dropped, func(loc string) { s.add(ctx, loc) })
	}
	if ended := s.app.Ended(ctx); ended != nil {
		return ended
	}
	if err != nil {
		return fmt.Errorf("%s: %s", cli.FileName(name), jsonl.Message(name, err))
	}
	for _, host := range slices.Sorted(maps.Keys(s.hosts)) {
		s.flush(ctx, host)
	}
	problems.Print(s.app.Log)
	if len(s.hosts) == 0 && !s.app.Failed.Load() {
		s.app.Log.Printf("nothing was added, changed or removed")
	}
	return s.app.Ended(ctx)
}

// add takes a URL, and sends those of its host when they fill a request.
func (s *sender) add(ctx context.Context, loc string) {
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		s.app.Fail("%v", err)
		return
	}
	h := s.hosts[u.Host]
	if h == nil {
		h = &hostChanges{scheme: "http"}
		s.hosts[u.Host] = h
	}
	if h.isFailed {
		return
	}
	h.urls = append(h.urls, loc)
	if u.Scheme == "https" {
		h.scheme = u.Scheme
	}
	if len(h.urls) == maxSubmitted {
		s.flush(ctx, u.Host)
	}
}

// flush sends the URLs of a host. After a failure no more of them are sent.
func (s *sender) flush(ctx context.Context, host string) {
	h := s.hosts[host]
	if len(h.urls) == 0 || ctx.Err() != nil {
		return
	}
	body := jsonl.Marshal(indexNowRequest{host, s.flags.key, s.flags.keyLocation, h.urls})
	h.urls = nil
	var err error
	if !h.hasKey {
		file := h.scheme + "://" + host + "/" + s.flags.key + ".txt"
		err = s.checkKey(ctx, cmp.Or(s.flags.keyLocation, file))
	}
	if err == nil {
		h.hasKey = true
		err = s.send(ctx, fetch.Request{
			URL: s.flags.endpoint, Body: body,
			Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		})
	}
	if err != nil && ctx.Err() == nil {
		h.isFailed = true
		s.app.Fail("%s: %s", host, jsonl.Message("", err))
	}
}

// checkKey returns an error unless the key is served at a URL, which may be of a host in the list.
func (s *sender) checkKey(ctx context.Context, at string) error {
	doc, err := s.get(ctx, fetch.Request{
		URL: at, MaxBytes: maxKeyFile, Origins: []string{s.flags.endpoint, s.flags.keyLocation},
	})
	if doc == nil && err == nil {
		return nil
	}
	var text []byte
	if err == nil {
		defer doc.Body.Close()
		text, err = io.ReadAll(doc.Body)
	}
	if err != nil {
		return fmt.Errorf("nothing was sent: the key is not served: %w", err)
	}
	if strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) != s.flags.key {
		return fmt.Errorf("nothing was sent: %s holds another text than the key",
			sitemap.Redact(at))
	}
	return nil
}

// get sends a request: with a body by POST, else by GET. For --dry-run it prints the request, and
// returns nil.
func (s *sender) get(ctx context.Context, req fetch.Request) (*fetch.Document, error) {
	switch target := sitemap.Redact(req.URL); {
	case !s.flags.dryRun:
		doc, err := s.client.Get(ctx, req)
		return doc, failure(err)
	case req.Body == nil:
		fmt.Fprintf(s.out, "GET %s\n", target)
	default:
		fmt.Fprintf(s.out, "POST %s\n%s\n", target, req.Body)
	}
	return nil, nil
}

// send sends a request and prints the status of the answer.
func (s *sender) send(ctx context.Context, req fetch.Request) error {
	doc, err := s.get(ctx, req)
	if doc == nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %d %s\n", sitemap.Redact(req.URL), doc.Status,
		http.StatusText(doc.Status))
	return doc.Body.Close()
}

// refusals explain the statuses of IndexNow.
var refusals = map[int]string{
	http.StatusForbidden:           ": the key is not served at its location",
	http.StatusUnprocessableEntity: ": URLs are not of the host, or the key does not fit",
	http.StatusTooManyRequests:     ": too many requests; try again later",
}

// failure returns the error of a request with its explanation.
func failure(err error) error {
	var e *fetch.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w%s%s", err, refusals[e.Status], cli.PrivateHint(err))
	}
	return err
}
