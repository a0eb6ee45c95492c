// Package progress counts how far a run is, and shows it on a terminal.
package progress

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
)

// A Counter counts how far a run is. The goroutine that shows it only reads it.
type Counter struct {
	start         time.Time
	IsList        bool         // there may be several targets
	Total         atomic.Int64 // targets, not positive if it is not known how many
	Sites, Failed atomic.Int64
	Before        atomic.Int64 // sites that were done before, by another process
	URLs, queued  atomic.Int64
	ended, bytes  atomic.Int64
	hasRead       atomic.Bool
	Loc           atomic.Value // a string: the document that is read
}

// Begin starts the clock, and counts the targets in the arguments and in the file from.
func (p *Counter) Begin(args []target.Target, from string) {
	p.start, p.IsList = time.Now(), len(args) > 1 || from != ""
	p.Total.Store(int64(len(args)))
	if from == "" {
		return
	}
	info, err := os.Stat(from)
	if err != nil || !info.Mode().IsRegular() {
		p.Total.Store(0)
		return
	}
	f, err := os.Open(from)
	if err != nil {
		return
	}
	defer f.Close()
	list := batch.List{Reader: f, Domain: func(string) (string, error) { return "", nil }}
	for range list.Tasks("1") {
		p.Total.Add(1)
	}
}

// Note counts a document that has ended.
func (p *Counter) Note(sum *discover.Summary) {
	p.ended.Add(1)
	p.queued.Store(int64(sum.Queued))
	p.bytes.Add(sum.Received)
	if sum.Err == nil || sum.Entries > 0 {
		p.hasRead.Store(true)
	}
}

// HasRead reports whether any document could be read, at least in part.
func (p *Counter) HasRead() bool { return p.hasRead.Load() }

// Totals returns what this process has done.
func (p *Counter) Totals() string {
	totals := fmt.Sprintf("%s, %s, %s failed, %v", cli.Plural(p.Sites.Load(), "site"),
		cli.Plural(p.URLs.Load(), "URL"), cli.Thousands(p.Failed.Load()),
		time.Since(p.start).Round(time.Millisecond))
	if before := p.Before.Load(); before > 0 {
		totals += "; " + cli.Plural(before, "site") + " done before"
	}
	return totals
}

// Show shows p on standard error, as --progress says, until stop is called. By default, Show does
// so on a terminal. It does not if the terminal shows the results too and fills says that these are
// many lines.
func (p *Counter) Show(a *cli.App, when string, quiet, fills bool) (stop func()) {
	shown := when == "always" ||
		when == "auto" && !quiet && cli.IsTerminal(a.Err) && os.Getenv("TERM") != "dumb"
	if !shown || fills && a.SharesTerminal() {
		return func() {}
	}
	rate := mpb.WithRefreshRate(200 * time.Millisecond)
	bars := mpb.New(mpb.WithOutput(a.Err), mpb.WithAutoRefresh(), rate)
	line := decor.Any(func(decor.Statistics) string { return p.line(time.Since(p.start)) })
	bar := bars.New(0, mpb.NopStyle(), mpb.PrependDecorators(line))
	a.Log.SetBar(bars)
	return func() {
		a.Log.SetBar(nil)
		bar.Abort(true)
		bars.Wait()
	}
}

// line returns what is shown after a time.
func (p *Counter) line(elapsed time.Duration) string {
	if p.IsList {
		return p.listLine(elapsed)
	}
	loc, _ := p.Loc.Load().(string)
	host := cli.Printable(cli.FileName(loc))
	if u, err := sitemap.ParseLoc(loc); err == nil {
		host = u.Host
	}
	urls := p.URLs.Load()
	rate := int64(float64(urls) / max(elapsed.Seconds(), 0.001))
	return fmt.Sprintf("%s done, %s queued  %s, %s/s  %s  %s",
		cli.Plural(p.ended.Load(), "sitemap"), cli.Thousands(p.queued.Load()),
		cli.Plural(urls, "URL"), cli.Thousands(rate), cli.Size(p.bytes.Load()), host)
}

// listLine is line for several targets: "412/1,000 sites · 9 failed · 1.2 M URLs · 3 min left".
func (p *Counter) listLine(elapsed time.Duration) string {
	sites := p.Sites.Load()
	done := p.Before.Load() + sites
	line := cli.Thousands(done)
	total := p.Total.Load()
	if total > 0 {
		line += "/" + cli.Thousands(total)
	}
	line += fmt.Sprintf(" sites · %s failed · %s URLs", cli.Thousands(p.Failed.Load()),
		cli.Rounded(p.URLs.Load()))
	if sites > 0 && total > done {
		left := time.Duration(float64(elapsed) / float64(sites) * float64(total-done))
		line += " · " + cli.About(left) + " left"
	}
	return line
}
