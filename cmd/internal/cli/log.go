package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// A Log writes whole lines to standard error, from any goroutine.
type Log struct {
	mu  sync.Mutex
	w   io.Writer
	bar io.Writer // receives lines while progress is shown, else nil
	to  *slog.Logger
}

// Records makes each line a record of log/slog on standard error, as JSON or text, and returns the
// logger for records of your own.
func (m *Log) Records(asJSON bool) *slog.Logger {
	var h slog.Handler = slog.NewTextHandler(m.w, nil)
	if asJSON {
		h = slog.NewJSONHandler(m.w, nil)
	}
	m.to = slog.New(h)
	return m.to
}

// Printf writes a line that starts with the command's name.
func (m *Log) Printf(format string, args ...any) {
	m.Line("sitemap: " + fmt.Sprintf(format, args...))
}

// Line writes a line. It makes control characters visible, which may be from the web.
func (m *Log) Line(s string) { m.line(slog.LevelInfo, s) }

// line writes a line, whose level is in records only.
func (m *Log) line(level slog.Level, s string) {
	if m.to != nil {
		m.to.Log(context.Background(), level, Printable(strings.TrimPrefix(s, "sitemap: ")))
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.w
	if m.bar != nil {
		w = m.bar
	}
	io.WriteString(w, Printable(s)+"\n")
}

// SetBar sends lines through bar, or back to standard error if bar is nil.
func (m *Log) SetBar(bar io.Writer) {
	m.mu.Lock()
	m.bar = bar
	m.mu.Unlock()
}

// A resultWriter writes whole lines to w, or above the progress display while that is shown.
type resultWriter struct {
	log  *Log
	w    io.Writer
	rest []byte // begins a line
}

func (r *resultWriter) Write(p []byte) (int, error) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	lines, w := append(r.rest, p...), r.w
	r.rest = nil
	if r.log.bar != nil {
		end := bytes.LastIndexByte(lines, '\n') + 1
		lines, r.rest, w = lines[:end], lines[end:], r.log.bar
	}
	if _, err := w.Write(lines); err != nil {
		return 0, err
	}
	return len(p), nil
}
