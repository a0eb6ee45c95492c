package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

const targetHelp = `A TARGET is
  example.com, https://example.com/   a site: its robots.txt names the sitemaps,
                                      else the usual places are tried
  https://example.com/robots.txt      the same site
  https://example.com/sitemap.xml     a sitemap: any other URL with a path (see
                                      --as)
  sitemap.xml.gz, -                   a file, or standard input: one document,
                                      whose URLs are not judged and whose
                                      children are not fetched
What has a scheme is a URL; else an existing file is a file; else it is a site,
with a path too: example.com/shop.xml is the site of example.com.
A user name and password in a URL go to its scheme, host and port only.`

const trustHelp = `Each URL has what entitles the sitemap to list it, its trust: robots (the URL's
host names the sitemap, or an index above it, in its robots.txt), location (the
URL lies at or below the sitemap's own directory), caller (you named the sitemap,
and so vouch for its host), verified (the robots.txt of a further host of the
site, asked because of the URL, names it), variant (as these, but for http
against https or a leading "www."). What is untrusted is left out and counted as
a problem, unless --min-trust says otherwise.`

const urlsHelp = `Print the URLs of sites and sitemaps, as they come.

` + targetHelp + `

` + trustHelp + `

As jsonl, each line is an object: loc, kind (page), lastmod, published,
changefreq, priority; sitemap (the document that lists it), trust, on_site (it is
on the host of the target); images, videos, news, alternates, mobile, pagemap,
other. What is absent is left out. As csv, the columns are loc, kind, lastmod,
changefreq, priority, sitemap, trust, on_site; the rest is in jsonl only.

With --state FILE, a journal of what was read, a second run prints the URLs of
what may have changed: it leaves out documents that answer 304 (Not Modified),
and those whose lastmod in their index has not moved, on hosts whose lastmods
proved honest. It replaces the file of -o: give it another one to keep the first
list.
A run that was interrupted goes on: with -o, which then grows in place and is cut
to the last document that was printed whole, each URL is there exactly once. So it
does if it was killed when all was printed; it is over when the command ends. More
targets may be added to it; with fewer, or another output, format or filter, it is
refused. What a filter left out of a document counts as printed: use a journal for
each. A document that --max-urls cut short is printed from its start again, unless
-o tells what of it is there.`

const urlsExample = `  sitemap urls example.com
  sitemap urls --since 2024-05-01 --format jsonl https://example.com/sitemap.xml
  sitemap urls --match '/product/' --max-urls 100 example.com
  sitemap urls --from sites.txt --state journal --format csv -o urls.csv`

func (a *app) urlsCommand() *cobra.Command {
	flags := &walkFlags{}
	cmd := &cobra.Command{
		Use:     "urls [flags] TARGET...",
		Short:   "Print the URLs of a site, a sitemap or a file",
		Long:    urlsHelp,
		Example: urlsExample,
		Args:    atLeastOne("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.urls(cmd, args, flags)
		},
	}
	flags.add(cmd.Flags(), "text, jsonl or csv")
	flags.addSelect(cmd.Flags())
	cmd.Flags().StringVar(&flags.state, "state", "", "keep a journal in `FILE`: print what may have changed since, go on after an interruption")
	return cmd
}

func (a *app) urls(cmd *cobra.Command, args []string, flags *walkFlags) error {
	f, err := newFormat(flags.format, true)
	targets, targetErr := parseTargets(args, flags.from, flags.as)
	for _, t := range targets {
		switch {
		case t.kind != fileTarget:
		case flags.state != "":
			targetErr = errStateFiles
		case isSameFile(t.name, flags.out):
			targetErr = fmt.Errorf("%s is the file of --output; --as site takes it for the site", fileName(t.name))
		}
	}
	if err := usageOf(cmd, err, targetErr); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, &documentFlags{})
	if err != nil {
		return err
	}
	// With a state, what is read of a document must not depend on the format.
	w.options.SkipExtensions = flags.format != "jsonl" && flags.state == ""
	h := &urlsHandler{format: f}
	w.handler = h
	if flags.state != "" {
		return a.urlsWithState(cmd.Context(), w, h, targets)
	}
	if h.out, err = a.create(flags.out); err != nil {
		return err
	}
	h.out.begin(f.header(nil))
	return a.finishOutput(h.out, h.walk(cmd.Context(), w, targets))
}

// A urlsHandler prints URLs.
type urlsHandler struct {
	out    *output
	format format
	line   []byte
	state  *discover.State // nil: none
}

// walk walks and says what is to be said after the last URL.
func (h *urlsHandler) walk(ctx context.Context, w *walker, targets []target) error {
	err := w.run(ctx, targets, h.out)
	if err == nil && !w.flags.quiet {
		w.problems.tell(w.app.diag)
		if n := w.selector.again; n > 0 {
			w.app.diag.printf("--unique: %s left out, which came again", plural(n, "URL"))
		}
	}
	return err
}

func (h *urlsHandler) begin(target)          {}
func (h *urlsHandler) end(target)            {}
func (h *urlsHandler) failure(target, error) {}

func (h *urlsHandler) page(r *record) error {
	h.line = h.format.record(h.line[:0], r)
	_, err := h.out.Write(h.line)
	return err
}

func (h *urlsHandler) problem(*discover.Sitemap, sitemap.Problem) {}

// document notes, with a state, that all of a document is printed.
func (h *urlsHandler) document(*discover.Sitemap, *discover.Summary) {
	if h.state != nil && h.out.Flush() == nil && h.out.file != nil {
		h.state.Note(h.out.length())
	}
}

var errStateFiles = errors.New("--state goes with sites and URLs of sitemaps, not with files")

// stateTargets returns all targets with their names, each once: a second walk of the
// same run would find that nothing has changed.
func (a *app) stateTargets(args []target, flags *walkFlags) (targets []target, names []string) {
	known := map[string]target{}
	for t, err := range a.targets(args, flags.from, flags.as) {
		if err == nil && t.kind == fileTarget {
			err = errStateFiles
		}
		if err != nil {
			a.fail("%s", failureText(err))
			continue
		}
		name := discover.WalkName(t.name)
		switch first, again := known[name]; {
		case !again:
			known[name] = t
			targets = append(targets, t)
			names = append(names, name)
		case strings.TrimSuffix(first.name, "/") != strings.TrimSuffix(t.name, "/"):
			a.fail("%s: named twice, by different users; use a journal for each", name)
		}
	}
	return targets, names
}

// urlsWithState walks with a journal. All targets are read first: they tell
// whether this is the run that was interrupted. What comes last is to close the
// journal, by which the run is over: until then it goes on when it is begun again,
// and the output stays.
func (a *app) urlsWithState(ctx context.Context, w *walker, h *urlsHandler, args []target) error {
	targets, names := a.stateTargets(args, w.flags)
	if len(targets) == 0 {
		return nil // said already
	}
	state, err := discover.OpenState(w.flags.state)
	if err != nil {
		return err
	}
	if isSameFile(w.flags.out, w.flags.state) {
		state.Abandon()
		return &usageError{"sitemap urls", errors.New("--output and --state name one file")}
	}
	offset, _, err := state.Resume(w.flags.outputKey(), names...)
	if errors.Is(err, discover.ErrOtherRun) {
		err = fmt.Errorf("%w; do that again, or remove %s to begin anew", err, w.flags.state)
	}
	if err != nil {
		state.Abandon()
		return err
	}
	if h.out, err = a.resume(w.flags.out, offset); err != nil {
		state.Abandon()
		return err
	}
	err = h.recall(w, offset)
	if err == nil {
		err = h.walkWithState(ctx, w, targets, state)
	}
	if failed := h.out.close(); failed != nil {
		state.Abandon()
		return failed
	}
	if err != nil && a.ended(ctx) != nil { // perhaps just when all was printed
		state.Abandon()
		return err
	}
	if closed := state.Close(); err == nil {
		err = closed
	}
	return err
}

// isSameFile reports whether both paths are those of one file.
func isSameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// outputKey says where the output goes, and what decides which URLs it has and how.
func (w *walkFlags) outputKey() string {
	path := ""
	if w.out != "" && w.out != stdin && !isDevice(w.out) {
		var err error
		if path, err = filepath.Abs(w.out); err != nil {
			path = w.out
		}
	}
	for _, set := range []struct{ flag, value string }{
		{"format", w.format}, {"as", w.as}, {"since", w.since}, {"follow", w.follow}, {"match", w.match}, {"min-trust", w.minTrust},
	} {
		if set.value != "" {
			path += " --" + set.flag + " " + set.value
		}
	}
	if w.unique {
		path += " --unique"
	}
	if !utf8.ValidString(path) {
		path = quote(path) // the State is JSON
	}
	return path
}

func (h *urlsHandler) walkWithState(ctx context.Context, w *walker, targets []target, state *discover.State) error {
	h.state, w.options.State = state, state
	w.flags.from = ""
	if h.out.length() == 0 {
		h.out.Write(h.format.header(nil))
	}
	return h.walk(ctx, w, targets)
}

// recall takes what an interrupted run printed into account for --unique and --max-urls.
func (h *urlsHandler) recall(w *walker, offset int64) error {
	if w.selector.unique == nil && w.selector.max == 0 || h.out.file == nil || offset == 0 {
		return nil
	}
	f, err := os.Open(h.out.name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := w.selector.recall(io.LimitReader(f, offset), w.flags.format); err != nil {
		return fmt.Errorf("%s: not what an interrupted run printed: %w", h.out.name, err)
	}
	return nil
}
