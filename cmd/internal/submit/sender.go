package submit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A sender sends requests, or prints them for --dry-run.
type sender struct {
	app    *cli.App
	flags  *submitFlags
	client *fetch.Client
	out    *output.Writer
}

// submitFlags are the flags of sitemap submit.
type submitFlags struct {
	cli.FetchFlags
	key, keyLocation string
	endpoint         string
	ping             string
	dryRun           bool
	removed          bool
}

// send sends a POST request with a body of JSON, or without a body a GET request.
func (s *sender) send(ctx context.Context, target string, body []byte) error {
	req := fetch.Request{URL: target, Body: body}
	if body != nil {
		req.Header = http.Header{"Content-Type": {"application/json; charset=utf-8"}}
	}
	if s.flags.dryRun {
		s.print(&req)
		return nil
	}
	doc, err := s.client.Get(ctx, req)
	if err != nil {
		return failure(err)
	}
	fmt.Fprintf(s.out, "%s: %d %s\n", sitemap.Redact(target), doc.Status,
		http.StatusText(doc.Status))
	return doc.Body.Close()
}

// maxKeyFile is the maximum size of the file with a key. A key has 128 bytes at most.
const maxKeyFile = 4 << 10

// checkKey returns an error unless the key is served at a URL.
func (s *sender) checkKey(ctx context.Context, at string) error {
	req := fetch.Request{URL: at, MaxBytes: maxKeyFile}
	if s.flags.dryRun {
		s.print(&req)
		return nil
	}
	doc, err := s.client.Get(ctx, req)
	if err != nil {
		return fmt.Errorf("nothing was sent: the key is not served: %w", failure(err))
	}
	defer doc.Body.Close()
	text, err := io.ReadAll(doc.Body)
	if err != nil {
		return fmt.Errorf("nothing was sent: the key is not served: %w", err)
	}
	if strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) != s.flags.key {
		return fmt.Errorf("nothing was sent: %s holds another text than the key",
			sitemap.Redact(at))
	}
	return nil
}

func (s *sender) print(req *fetch.Request) {
	if req.Body == nil {
		fmt.Fprintf(s.out, "GET %s\n", sitemap.Redact(req.URL))
		return
	}
	fmt.Fprintf(s.out, "POST %s\n%s\n", sitemap.Redact(req.URL), req.Body)
}

// refusals say what IndexNow means by a status.
var refusals = map[int]string{
	http.StatusForbidden:           ": the key is not served at its location",
	http.StatusUnprocessableEntity: ": URLs are not of the host, or the key does not fit",
	http.StatusTooManyRequests:     ": too many requests; try again later",
}

// failure returns the error of a request with what it means.
func failure(err error) error {
	var e *fetch.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w%s%s", err, refusals[e.Status], cli.PrivateHint(err))
	}
	return err
}
