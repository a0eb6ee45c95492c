package main

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed-322c453a/sitemap"
)

// A progress counts how far a walk is. The goroutine that shows it only reads it.
type progress struct {
	urls, queued, ended, bytes atomic.Int64
	loc                        atomic.Value // a string: the document that is read
}

// show shows p on standard error, as --progress says, until stop is called. By default it does on a
// terminal that does not show the results too.
func (a *app) show(p *progress, when string, quiet bool, out *output) (stop func()) {
	onTerminal := isTerminal(a.stderr)
	shared := onTerminal && out.file == nil && isTerminal(a.out)
	shown := when == "always" || when == "auto" && !quiet && onTerminal && os.Getenv("TERM") != "dumb"
	if !shown || shared {
		return func() {}
	}
	start := time.Now()
	rate := mpb.WithRefreshRate(200 * time.Millisecond)
	bars := mpb.New(mpb.WithOutput(a.stderr), mpb.WithAutoRefresh(), rate)
	line := decor.Any(func(decor.Statistics) string { return p.line(time.Since(start)) })
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

// line returns what is shown after a time.
func (p *progress) line(elapsed time.Duration) string {
	loc, _ := p.loc.Load().(string)
	host := printable(fileName(loc))
	if u, err := sitemap.ParseLoc(loc); err == nil {
		host = u.Host
	}
	urls := p.urls.Load()
	rate := int64(float64(urls) / max(elapsed.Seconds(), 0.001))
	return fmt.Sprintf("%s done, %s queued  %s URLs, %s/s  %s  %s",
		plural(p.ended.Load(), "sitemap"), thousands(p.queued.Load()), thousands(urls),
		thousands(rate), size(p.bytes.Load()), host)
}
