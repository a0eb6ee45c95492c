package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A progress counts how far a run is. The goroutine that shows it only reads it.
type progress struct {
	start         time.Time
	isList        bool  // there may be several targets
	total         int64 // targets, 0 if it is not known how many
	sites, failed atomic.Int64
	urls, queued  atomic.Int64
	ended, bytes  atomic.Int64
	loc           atomic.Value // a string: the document that is read
}

// begin starts the clock, and counts the targets in the arguments and in the file from.
func (p *progress) begin(args []target, from string) {
	p.start, p.isList = time.Now(), len(args) > 1 || from != ""
	p.total = int64(len(args))
	if from == "" {
		return
	}
	info, err := os.Stat(from)
	if err != nil || !info.Mode().IsRegular() {
		p.total = 0
		return
	}
	f, err := os.Open(from)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if targetOf(lines.Text()) != "" {
			p.total++
		}
	}
}

// note counts a document that has ended.
func (p *progress) note(sum *discover.Summary) {
	p.ended.Add(1)
	p.queued.Store(int64(sum.Queued))
	p.bytes.Add(sum.Received)
}

// totals returns what the run has done.
func (p *progress) totals() string {
	return fmt.Sprintf(
		"%s, %s, %s failed, %v",
		plural(p.sites.Load(), "site"),
		plural(p.urls.Load(), "URL"),
		thousands(p.failed.Load()),
		time.Since(p.start).Round(time.Millisecond),
	)
}

// show shows p on standard error, as --progress says, until stop is called. By default it does on a
// terminal that does not show the results too: Prints says that they go to standard output.
func (a *app) show(p *progress, when string, quiet, prints bool) (stop func()) {
	onTerminal := isTerminal(a.stderr)
	shared := onTerminal && prints && isTerminal(a.out)
	shown := when == "always" ||
		when == "auto" && !quiet && onTerminal && os.Getenv("TERM") != "dumb"
	if !shown || shared {
		return func() {}
	}
	rate := mpb.WithRefreshRate(200 * time.Millisecond)
	bars := mpb.New(mpb.WithOutput(a.stderr), mpb.WithAutoRefresh(), rate)
	line := decor.Any(func(decor.Statistics) string { return p.line(time.Since(p.start)) })
	bar := bars.New(0, mpb.NopStyle(), mpb.PrependDecorators(line))
	a.diag.setBar(bars)
	return func() {
		a.diag.setBar(nil)
		bar.Abort(true)
		bars.Wait()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// isPiped reports whether something other than a terminal is on standard input.
func (a *app) isPiped() bool {
	f, ok := a.in.(*os.File)
	if !ok {
		return a.in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 || err == nil && info.Mode().IsRegular()
}

// line returns what is shown after a time.
func (p *progress) line(elapsed time.Duration) string {
	if p.isList {
		return p.listLine(elapsed)
	}
	loc, _ := p.loc.Load().(string)
	host := printable(fileName(loc))
	if u, err := sitemap.ParseLoc(loc); err == nil {
		host = u.Host
	}
	urls := p.urls.Load()
	rate := int64(float64(urls) / max(elapsed.Seconds(), 0.001))
	return fmt.Sprintf("%s done, %s queued  %s, %s/s  %s  %s",
		plural(p.ended.Load(), "sitemap"), thousands(p.queued.Load()), plural(urls, "URL"),
		thousands(rate), size(p.bytes.Load()), host)
}

// listLine is line for several targets: "412/1,000 sites · 9 failed · 1.2 M URLs · 3 min left".
func (p *progress) listLine(elapsed time.Duration) string {
	sites := p.sites.Load()
	line := thousands(sites)
	if p.total > 0 {
		line += "/" + thousands(p.total)
	}
	line += fmt.Sprintf(
		" sites · %s failed · %s URLs",
		thousands(p.failed.Load()),
		rounded(p.urls.Load()),
	)
	if sites > 0 && p.total > sites {
		left := time.Duration(float64(elapsed) / float64(sites) * float64(p.total-sites))
		line += " · " + about(left) + " left"
	}
	return line
}

// rounded returns n as 950, 1.2 k or 1.2 M.
func rounded(n int64) string {
	switch {
	case n < 1_000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f k", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f M", float64(n)/1e6)
}

// about returns a time as 45 s, 3 min or 2 h.
func about(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}
