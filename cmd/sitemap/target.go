package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// A targetKind is what an argument names.
type targetKind int

const (
	siteTarget    targetKind = iota // a site, whose sitemaps are looked for
	sitemapTarget                   // the URL of a sitemap
	fileTarget                      // a file, or "-" for standard input
)

// A target is an argument with what it names.
type target struct {
	kind targetKind
	name string
}

// label returns what the target is called in what is printed: its name without
// user name and password.
func (t target) label() string {
	if t.kind == fileTarget {
		return fileName(t.name)
	}
	return sitemap.Redact(t.name)
}

const stdin = "-"

// parseTarget tells what arg names. An argument with a scheme is a URL: of a
// sitemap if it has a path other than that of robots.txt, else of a site. What has
// no scheme is an existing file or else a site. As, if it is "site" or "sitemap",
// forces either.
func parseTarget(arg, as string) (target, error) {
	if as != "" || !exists(arg) {
		arg = strings.TrimSpace(arg)
	}
	if arg == "" {
		return target{}, errors.New("empty target")
	}
	if arg == stdin {
		return target{fileTarget, arg}, nil
	}
	hasScheme := schemeOf(arg) != ""
	if !hasScheme && as == "" && (exists(arg) || looksLikePath(arg)) {
		return target{fileTarget, arg}, nil
	}
	rawURL := arg
	if !hasScheme {
		rawURL = "https://" + arg
	}
	u, err := url.Parse(rawURL)
	switch {
	case err != nil:
		// The text of the error may hold a password.
		return target{}, fmt.Errorf("%s: unreadable URL or host name, and no such file", quote(sitemap.Redact(arg)))
	case u.Scheme != "http" && u.Scheme != "https":
		return target{}, fmt.Errorf("%s: only http and https URLs can be fetched", quote(sitemap.Redact(arg)))
	case u.Host == "":
		return target{}, fmt.Errorf("%s: a URL without a host", quote(sitemap.Redact(arg)))
	case !hasScheme && u.User == nil:
		rawURL = "https://" + sitemap.Redact(arg)
	}
	ofSite := u.Path == "" || u.Path == "/" || u.Path == "/robots.txt"
	if as == "sitemap" || as == "" && hasScheme && !ofSite {
		return target{sitemapTarget, rawURL}, nil
	}
	return target{siteTarget, arg}, nil
}

// schemeOf returns the scheme of s, or "" if it does not start with scheme://.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return ""
	}
	return scheme
}

// exists reports whether name is that of a file. A folder that is called like a
// host, as mirrors of sites are, does not count, nor does what the shell has made
// to print to.
func exists(name string) bool {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		return !strings.Contains(name, ".") || strings.Contains(strings.TrimRight(name, "/"), "/")
	case !info.Mode().IsRegular():
		return true
	}
	out, err := os.Stdout.Stat()
	return err != nil || !os.SameFile(info, out)
}

// looksLikePath reports whether arg cannot be a host.
func looksLikePath(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "~") || filepath.IsAbs(arg) || strings.ContainsRune(arg, '\\')
}

// targets yields what the arguments name, then what the lines of the file from
// name, as they are read. An error is about one target; what follows it is
// yielded too.
func (a *app) targets(args []target, from, as string) iter.Seq2[target, error] {
	return func(yield func(target, error) bool) {
		for _, t := range args {
			if !yield(t, nil) {
				return
			}
		}
		if from == "" {
			return
		}
		r, err := a.open(from)
		if err != nil {
			yield(target{}, fmt.Errorf("--from: %s: %s", fileName(from), failureText(err)))
			return
		}
		defer r.Close()
		lines := bufio.NewReaderSize(r, maxTargetLine)
		none := len(args) == 0
		for n := 1; ; n++ {
			line, tooLong, err := readLine(lines)
			if err != nil && err != io.EOF {
				yield(target{}, fmt.Errorf("--from: %s: %s", fileName(from), failureText(err)))
				return
			}
			line = withoutComment(line)
			if line != "" {
				none = false
				t, err := parseTarget(line, as)
				switch {
				case tooLong:
					err = errors.New("line too long")
				case err == nil && t.name == stdin && from == stdin:
					err = errors.New("standard input cannot be a target in a list read from it")
				}
				if err != nil {
					err = fmt.Errorf("%s, line %d: %w", fileName(from), n, err)
				}
				if !yield(t, err) {
					return
				}
			}
			if err != nil {
				if none {
					yield(target{}, fmt.Errorf("--from: %s: it names no target", fileName(from)))
				}
				return
			}
		}
	}
}

// withoutComment cuts a comment off a line: it starts the line, or stands behind white space.
func withoutComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return strings.TrimRight(line[:i], " \t")
		}
	}
	return line
}

// maxTargetLine bounds the lines of a list of targets, in bytes.
const maxTargetLine = 64 << 10

// readLine returns the next line without white space around it, or the start of
// one that is too long. The last line comes with the error that ends r.
func readLine(r *bufio.Reader) (line string, tooLong bool, err error) {
	b, err := r.ReadSlice('\n')
	line = strings.TrimSpace(strings.TrimPrefix(string(b), "\ufeff"))
	for err == bufio.ErrBufferFull {
		tooLong = true
		_, err = r.ReadSlice('\n')
	}
	return line, tooLong, err
}

// parseTargets parses all of args, so that a wrong one is told before any work.
func parseTargets(args []string, from, as string) ([]target, error) {
	if from != "" && from != stdin && !isDevice(from) {
		f, err := os.Open(from)
		if err != nil {
			return nil, fmt.Errorf("--from: %s: %s", fileName(from), failureText(err))
		}
		f.Close()
	}
	var all []target
	names := []string{from}
	for _, arg := range args {
		t, err := parseTarget(arg, as)
		if err != nil {
			return nil, err
		}
		all, names = append(all, t), append(names, t.name)
	}
	return all, readsOnce(names)
}

// readsOnce returns an error if standard input is named more than once.
func readsOnce(names []string) error {
	first := slices.Index(names, stdin)
	if first >= 0 && slices.Contains(names[first+1:], stdin) {
		return errors.New("standard input can be read only once")
	}
	return nil
}

// open opens a file, or standard input.
func (a *app) open(name string) (io.ReadCloser, error) {
	if name == stdin {
		return io.NopCloser(a.in), nil
	}
	if !isDevice(name) {
		return os.Open(name)
	}
	f, err := openWithin(a.ctx, name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{&contextReader{ctx: a.ctx, r: f}, f}, nil
}

// openWithin opens a file until ctx ends, even where that waits: for the other end of a
// named pipe.
func openWithin(ctx context.Context, name string, flag int) (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	done := make(chan result, 1)
	go func() {
		f, err := os.OpenFile(name, flag, 0)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.f, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fileName returns the name by which messages call a file.
func fileName(name string) string {
	if name == stdin {
		return "standard input"
	}
	return redact(name)
}

// A contextReader reads r until ctx ends, even where a read blocks: of a
// terminal, or of a pipe that nobody writes to.
type contextReader struct {
	ctx     context.Context
	r       io.Reader
	blocks  chan block
	free    chan []byte
	current block
	unread  []byte
}

type block struct {
	data []byte
	err  error
}

// Read reads from r on a goroutine that is started with the first call and
// lives until r ends or fails.
func (c *contextReader) Read(p []byte) (int, error) {
	if c.blocks == nil {
		c.blocks, c.free = make(chan block), make(chan []byte, 2)
		c.free <- make([]byte, 64<<10)
		c.free <- make([]byte, 64<<10)
		go c.pump()
	}
	for len(c.unread) == 0 {
		if c.current.err != nil {
			return 0, c.current.err
		}
		if c.current.data != nil {
			c.free <- c.current.data[:cap(c.current.data)]
		}
		select {
		case c.current = <-c.blocks:
			c.unread = c.current.data
		case <-c.ctx.Done():
			return 0, c.ctx.Err()
		}
	}
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

func (c *contextReader) pump() {
	for {
		var buf []byte
		select {
		case buf = <-c.free:
		case <-c.ctx.Done():
			return
		}
		n, err := c.r.Read(buf)
		select {
		case c.blocks <- block{buf[:n], err}:
		case <-c.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
