package findings

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// A Line is a line that an earlier run of sitemap check printed.
type Line struct {
	Type, Target       string
	Code               sitemap.Code
	Sitemap, Loc, Text string
	Format             string
	Entries            int64
	Error              *struct{ Message string }
}

// Key returns the key of the finding in a line.
func (l *Line) Key() Key { return KeyOf(l.Code, l.Sitemap, l.Loc, l.Text) }

// Lines reads the output of an earlier run with --format jsonl. The error, if any, is the last
// element.
func Lines(r io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		lines := json.NewDecoder(r)
		for n := 1; ; n++ {
			var l Line
			err := lines.Decode(&l)
			if err == io.EOF {
				return
			}
			if e := (*fs.PathError)(nil); errors.As(err, &e) {
				yield(l, err)
				return
			}
			types := []string{"problem", "document", "target", "total"}
			if err != nil || !slices.Contains(types, l.Type) {
				yield(l, fmt.Errorf("line %d is not of sitemap check --format jsonl", n))
				return
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// A Baseline holds the findings of an earlier run, 16 bytes each.
type Baseline map[Key]struct{}

// ReadBaseline reads the output of an earlier run with --format jsonl. An empty file holds no
// findings.
func ReadBaseline(r io.Reader) (Baseline, error) {
	b := Baseline{}
	for l, err := range Lines(r) {
		if err != nil {
			return nil, err
		}
		if l.Type == "problem" {
			b[KeyOf(l.Code, filepath.Clean(l.Sitemap), l.Loc, l.Text)] = struct{}{}
		}
	}
	return b, nil
}

// Has reports whether the earlier run had the finding, wherever in the document it was, and however
// the name of a file is spelled.
func (b Baseline) Has(f *audit.Finding) bool {
	if len(b) == 0 {
		return false
	}
	_, ok := b[KeyOf(f.Code, filepath.Clean(f.Sitemap), f.Loc, f.Text)]
	return ok
}

// A Key identifies a finding, wherever in its document it is.
type Key [16]byte

// KeyOf returns the key of a finding with these fields. A text that is a time or a number does not
// count: it may be another one in each run.
func KeyOf(code sitemap.Code, document, loc, text string) Key {
	if moves(text) {
		text = ""
	}
	h := sha256.New()
	for _, s := range []string{string(code), document, loc, text} {
		s = string([]rune(s)) // as JSON has it
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return Key(h.Sum(nil))
}

var number = pattern.Of(`^[0-9][0-9.,]*( ?%)?$`)

// moves reports whether a text is a time or a number.
func moves(text string) bool {
	if number().MatchString(text) {
		return true
	}
	_, err := sitemap.ParseTime(text)
	_, httpErr := http.ParseTime(text)
	return err == nil || httpErr == nil
}
