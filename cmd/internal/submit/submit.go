// Package submit is the command sitemap submit, which notifies search engines of changed URLs.
//
// Each file builds on those below it:
//
//	submit.go    sitemap submit, and --ping
//	indexnow.go  changed URLs to IndexNow, host by host
//	changes.go   the URLs in what sitemap diff or sitemap watch has printed
package submit

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/internal/pattern"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// Command returns the command sitemap submit.
func Command(a *cli.App) *cobra.Command {
	flags := &submitFlags{}
	cmd := cli.Command("submit [flags] FILE|-|SITEMAP",
		cli.Exactly(1, "want one FILE of changes, or with --ping the URL of a sitemap"),
		func(cmd *cobra.Command, args []string) error { return run(a, cmd, args[0], flags) })
	f := cmd.Flags()
	f.StringVar(&flags.key, "indexnow", "",
		"send URLs to IndexNow with the `KEY` that the host serves")
	f.StringVar(&flags.keyLocation, "key-location", "",
		"`URL` of the file with the key (default: KEY.txt at the root of each host)")
	f.StringVar(&flags.endpoint, "endpoint", "https://api.indexnow.org/indexnow",
		"`URL` that IndexNow requests go to")
	f.StringVar(&flags.ping, "ping", "",
		"notify the search engine at this `URL` of a sitemap, by the protocol's HTTP request")
	f.BoolVar(&flags.dryRun, "dry-run", false, "print the requests, and send none")
	cli.Group(cmd, "Target")
	flags.FetchFlags.Add(cmd)
	return cmd
}

// indexNowKey matches what IndexNow accepts as a key.
var indexNowKey = pattern.Of(`^[A-Za-z0-9-]{8,128}$`)

// isURL reports whether name is an http or https URL.
func isURL(name string) bool {
	u, err := sitemap.ParseLoc(name)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https")
}

func run(a *cli.App, cmd *cobra.Command, name string, flags *submitFlags) error {
	var err error
	switch {
	case (flags.key == "") == (flags.ping == ""):
		err = errors.New("want either --indexnow KEY or --ping URL")
	case flags.key != "" && !indexNowKey().MatchString(flags.key):
		err = errors.New("--indexnow: a key has 8 to 128 letters, digits and hyphens")
	case flags.key != "" && !siteurl.IsBare(name):
		err = errors.New("--indexnow: want a FILE; sitemap urls prints the URLs of a sitemap")
	case flags.key != "" && !isURL(flags.endpoint):
		err = fmt.Errorf("--endpoint: %q: want an http or https URL", flags.endpoint)
	case flags.keyLocation != "" && !isURL(flags.keyLocation):
		err = fmt.Errorf("--key-location: %q: want an http or https URL", flags.keyLocation)
	}
	client, clientErr := flags.Client()
	if err := cli.UsageOf(cmd, err, clientErr); err != nil {
		return err
	}
	client.Transport = a.Transport
	s := &sender{a, flags, client, output.New(a), map[string]*hostChanges{}}
	send := s.sendChanges
	if flags.ping != "" {
		send = s.ping
	}
	return s.out.Finish(send(cmd.Context(), name))
}

// ping notifies a search engine of a sitemap (sitemaps.org, "Submitting your Sitemap via an HTTP
// request").
func (s *sender) ping(ctx context.Context, loc string) error {
	u, err := url.Parse(s.flags.ping)
	switch {
	case err == nil && !isURL(s.flags.ping):
		err = fmt.Errorf("%q: want an http or https URL", s.flags.ping)
	case err == nil && !isURL(loc):
		err = fmt.Errorf("want the URL of a sitemap, not %q", loc)
	}
	if err != nil {
		return &cli.UsageError{Err: fmt.Errorf("--ping: %w", err)}
	}
	q := u.Query()
	q.Set("sitemap", sitemap.Redact(loc)) // a password is not for the engine
	u.RawQuery = q.Encode()
	err = s.send(ctx, fetch.Request{URL: u.String()})
	if err != nil && ctx.Err() == nil {
		s.app.Fail("%s", jsonl.Message("", err))
	}
	return s.app.Ended(ctx)
}
