// Package submit is the command sitemap submit, which tells search engines of changed URLs.
package submit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/export"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// submitFlags are the flags of sitemap submit.
type submitFlags struct {
	key, keyLocation string
	endpoint         string
	ping             string
	dryRun           bool
	removed          bool
	timeout          time.Duration
}

// Command returns the command sitemap submit.
func Command(a *cli.App) *cobra.Command {
	flags := &submitFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "submit [flags] FILE|-|SITEMAP",
		Args: cli.Exactly(1, "want one FILE of changes, or with --ping the URL of a sitemap"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(a, cmd, args[0], flags) },
	})
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&flags.key, "indexnow", "",
			"send URLs to IndexNow with the `KEY` that the host serves")
		f.StringVar(&flags.keyLocation, "key-location", "",
			"`URL` of the file with the key (default: KEY.txt at the root of each host)")
		f.StringVar(&flags.endpoint, "endpoint", "https://api.indexnow.org/indexnow",
			"`URL` that IndexNow requests go to")
		f.StringVar(&flags.ping, "ping", "",
			"tell the search engine at this `URL` of a sitemap, by the protocol's HTTP request")
		f.BoolVar(&flags.removed, "removed", false,
			"send URLs that were removed too, so that search engines find out")
		f.BoolVar(&flags.dryRun, "dry-run", false, "print the requests, and send none")
	})
	cli.FlagGroup(cmd, "Network", func(f *pflag.FlagSet) {
		f.DurationVar(&flags.timeout, "timeout", time.Minute, "longest `TIME` for one request")
	})
	cli.NotNegative(cmd, "timeout")
	return cmd
}

// maxSubmitted is how many URLs IndexNow takes in one request.
const maxSubmitted = 10_000

var indexNowKey = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

func run(a *cli.App, cmd *cobra.Command, name string, flags *submitFlags) error {
	var err error
	switch {
	case (flags.key == "") == (flags.ping == ""):
		err = errors.New("want either --indexnow KEY or --ping URL")
	case flags.key != "" && !indexNowKey.MatchString(flags.key):
		err = errors.New("--indexnow: a key has 8 to 128 letters, digits and hyphens")
	}
	if err != nil {
		return cli.Misuse(cmd, err)
	}
	s := submission{
		app: a, flags: flags, out: output.New(a),
		http: &http.Client{Timeout: flags.timeout, Transport: a.Transport},
	}
	if flags.ping != "" {
		err = s.ping(cmd.Context(), name)
	} else {
		err = s.indexNow(cmd.Context(), name)
	}
	return s.out.Finish(err)
}

// A submission sends URLs to a search engine.
type submission struct {
	app   *cli.App
	flags *submitFlags
	out   *output.Writer
	http  *http.Client
}

// ping tells a search engine of a sitemap (sitemaps.org, "Submitting your Sitemap via an HTTP
// request").
func (s *submission) ping(ctx context.Context, loc string) error {
	u, err := url.Parse(s.flags.ping)
	if err == nil && u.Host == "" {
		err = errors.New("want an http or https URL")
	}
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("--ping: %w", err)}
	}
	q := u.Query()
	q.Set("sitemap", loc)
	u.RawQuery = q.Encode()
	return s.send(ctx, http.MethodGet, u.String(), nil)
}

// An indexNowRequest is the body of a request.
type indexNowRequest struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// indexNow sends the URLs that were added or changed, and with --removed those that were removed.
func (s *submission) indexNow(ctx context.Context, name string) error {
	f, err := s.app.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	pending := map[string][]string{} // by host
	sent := 0
	flush := func(host string) error {
		urls := pending[host]
		delete(pending, host)
		body := jsonl.Marshal(indexNowRequest{host, s.flags.key, s.flags.keyLocation, urls})
		sent += len(urls)
		return s.send(ctx, http.MethodPost, s.flags.endpoint, body)
	}
	err = readChanges(f, s.flags.removed, func(loc string) error {
		u, err := sitemap.ParseLoc(loc)
		if err != nil {
			return err
		}
		if pending[u.Host] = append(pending[u.Host], loc); len(pending[u.Host]) < maxSubmitted {
			return nil
		}
		return flush(u.Host)
	})
	if err != nil {
		return err
	}
	for _, host := range slices.Sorted(maps.Keys(pending)) {
		if err := flush(host); err != nil {
			return err
		}
	}
	if sent == 0 {
		s.app.Log.Printf("nothing was added or changed")
	}
	return nil
}

// readChanges calls report with each URL that was added or changed, and if removed is set with those
// that were removed, in what sitemap diff or sitemap watch has printed, or with all URLs in a list.
func readChanges(r io.Reader, removed bool, report func(loc string) error) error {
	var has export.Fields
	var failed error
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	if len(first) > 1 && first[1] == ' ' &&
		strings.IndexByte("+-~>!", first[0]) >= 0 { // text of diff or watch
		for line := range strings.Lines(string(text)) {
			sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			loc, _, _ := strings.Cut(rest, "  ")
			if sign == "+" || sign == "~" || sign == "-" && removed {
				failed = cmp.Or(failed, report(loc))
			}
		}
		return failed
	}
	err = export.Read(bytes.NewReader(text), &has, func(u export.URL) {
		if u.Change == "" || u.Change == "added" || u.Change == "changed" || u.Change == "new" ||
			u.Change == "modified" || u.Change == "removed" && removed {
			failed = cmp.Or(failed, report(u.Loc))
		}
	})
	return cmp.Or(err, failed)
}

// send sends a request, or prints it with --dry-run.
func (s *submission) send(ctx context.Context, method, target string, body []byte) error {
	if s.flags.dryRun {
		s.out.WriteString(method + " " + sitemap.Redact(target) + "\n")
		if body != nil {
			s.out.Write(append(body, '\n'))
		}
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s%s", sitemap.Redact(target), resp.Status,
			refusals[resp.StatusCode])
	}
	fmt.Fprintf(s.out, "%s: %s\n", sitemap.Redact(target), resp.Status)
	return nil
}

// refusals say what IndexNow means by a status.
var refusals = map[int]string{
	http.StatusForbidden:           ": the key is not served at its location",
	http.StatusUnprocessableEntity: ": URLs are not of the host, or the key does not fit",
	http.StatusTooManyRequests:     ": too many requests; try again later",
}
