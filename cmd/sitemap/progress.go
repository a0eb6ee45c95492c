package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A progress shows on standard error how far a walk is. All methods of a nil
// *progress do nothing. Counting is for the walk's goroutine, showing for that of
// the bar.
type progress struct {
	bars  *mpb.Progress
	bar   *mpb.Bar
	diag  *messages
	start time.Time

	urls, queued, ended, bytes atomic.Int64

	mu   sync.Mutex
	host string
}

// startProgress shows progress if the flags ask for it: by default on a terminal
// that does not show the URLs too.
func (a *app) startProgress(flags *walkFlags) *progress {
	show := flags.progress == "always"
	if flags.progress == "auto" && !flags.quiet {
		show = isTerminal(a.stderr) && os.Getenv("TERM") != "dumb" && (flags.out != "" || !a.terminal)
	}
	if !show {
		return nil
	}
	p := &progress{diag: a.diag, start: time.Now()}
	p.bars = mpb.New(mpb.WithOutput(a.stderr), mpb.WithAutoRefresh(), mpb.WithRefreshRate(200*time.Millisecond))
	line := decor.Any(func(decor.Statistics) string { return p.line(time.Since(p.start)) })
	p.bar = p.bars.New(0, mpb.NopStyle(), mpb.PrependDecorators(line))
	a.diag.setBar(p.bars)
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// stop takes the progress away.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.diag.setBar(nil)
	p.bar.Abort(true)
	p.bars.Wait()
}

// line returns what is shown after a time.
func (p *progress) line(elapsed time.Duration) string {
	p.mu.Lock()
	host := p.host
	p.mu.Unlock()
	ended, urls := p.ended.Load(), p.urls.Load()
	rate := int64(float64(urls) / max(elapsed.Seconds(), 0.001))
	return fmt.Sprintf("%s done, %s queued  %s URLs, %s/s  %s  %s",
		plural(ended, "sitemap"), thousands(p.queued.Load()), thousands(urls), thousands(rate), size(p.bytes.Load()), host)
}

// at says where the walk is.
func (p *progress) at(loc string) {
	if p == nil {
		return
	}
	host := hostOf(loc)
	p.mu.Lock()
	p.host = host
	p.mu.Unlock()
}

// hostOf returns the host of a location, or the name of a file.
func hostOf(loc string) string {
	if u, err := sitemap.ParseLoc(loc); err == nil {
		return u.Host
	}
	return printable(redact(loc))
}

func (p *progress) url() {
	if p != nil {
		p.urls.Add(1)
	}
}

func (p *progress) document(s *discover.Sitemap, sum *discover.Summary) {
	if p == nil {
		return
	}
	p.queued.Store(int64(sum.Queued))
	p.ended.Add(1)
	p.bytes.Add(max(sum.Received, 0))
	p.at(s.Loc)
}
