package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// sink returns a sink and its output, one entry or problem per line.
func sink(o sitemap.Options) (*Sink, *strings.Builder) {
	var out strings.Builder
	o.Report = func(p sitemap.Problem) {
		fmt.Fprintf(&out, "%v %s dropped=%v\n", p.Code, p.Field, p.Dropped)
	}
	return NewSink(&o, NewTally(), func(e sitemap.Entry, err error) bool {
		fmt.Fprintln(&out, e.Loc, err)
		return e.Loc != "last"
	}), &out
}

func TestSink_Emit(t *testing.T) {
	s, out := sink(sitemap.Options{Limits: sitemap.Limits{Entries: 2}})
	for _, loc := range []string{"a", "b"} {
		if !s.Emit(&sitemap.Entry{Loc: loc}) {
			t.Errorf("Emit(%s) = false", loc)
		}
	}
	if s.Emit(&sitemap.Entry{Loc: "c"}) || !s.Stopped() || s.Count() != 2 {
		t.Errorf("a third entry was taken; Count = %d", s.Count())
	}
	s.Finish(errors.New("another"))
	if want := "a <nil>\nb <nil>\n sitemap: line 0: too many entries\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestSink_Break(t *testing.T) {
	s, out := sink(sitemap.Options{})
	if s.Emit(&sitemap.Entry{Loc: "last"}) || !s.Stopped() {
		t.Error("not stopped")
	}
	s.Finish(errors.New("later"))
	if want := "last <nil>\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestSink_TooManyEntries(t *testing.T) {
	s, out := sink(sitemap.Options{})
	for range sitemap.ProtocolEntries {
		s.Emit(&sitemap.Entry{})
	}
	if strings.Contains(out.String(), "too_many_entries") {
		t.Error("reported too early")
	}
	s.Emit(&sitemap.Entry{})
	s.Emit(&sitemap.Entry{})
	if n := strings.Count(out.String(), "too_many_entries"); n != 1 {
		t.Errorf("reported %d times", n)
	}
}

func TestSink_Loc(t *testing.T) {
	s, out := sink(sitemap.Options{})
	if loc, ok := s.Loc([]byte(" http://a.example/x y\x01 "), sitemap.Position{},
		"loc"); loc != "http://a.example/x%20y" || !ok {
		t.Errorf("Loc = %q, %v", loc, ok)
	}
	if loc, ok := s.Loc([]byte("ftp://a.example/"), sitemap.Position{}, "loc"); ok || !s.Listed() {
		t.Errorf("Loc = %q, %v", loc, ok)
	}
	if want := "loc_whitespace loc dropped=false\nbad_scheme loc dropped=true\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestSink_Fields(t *testing.T) {
	for _, test := range []struct{ field, in, want string }{
		{"priority", "0.8", "0.8 "}, {"priority", " 1.0\n", "1 "}, {"priority", ".5", "0.5 "},
		{"priority", " 0.\x018", "0.8 "}, {"priority", "\u00a00.8", "0.8 nonstandard_priority"},
		{"priority", "-0", "0 nonstandard_priority"}, {"priority", "0", "0 "},
		{"priority", "0,8", "0.8 nonstandard_priority"},
		{"priority", "1e-1", "0.1 nonstandard_priority"},
		{"priority", "+0.5", "0.5 nonstandard_priority"},
		{"priority", "0.12345678901234567", "0.12345678901234566 nonstandard_priority"},
		{"priority", "1.1", "- bad_priority"}, {"priority", "-0.1", "- bad_priority"},
		{"priority", "NaN", "- bad_priority"}, {"priority", "0x1p-1", "- bad_priority"},
		{"priority", "high", "- bad_priority"}, {"priority", "", "- bad_priority"},
		{"priority", ".", "- bad_priority"}, {"priority", "80%", "- bad_priority"},
		{"changefreq", "daily", "daily "}, {"changefreq", " never ", "never "},
		{"changefreq", "ne\x00ver", "never "},
		{"changefreq", "never\u200b", "never nonstandard_changefreq"},
		{"changefreq", "Weekly", "weekly nonstandard_changefreq"},
		{"changefreq", "sometimes", " bad_changefreq"}, {"changefreq", "", " bad_changefreq"},
		{"changefreq", "daily,weekly", " bad_changefreq"},
	} {
		s, out := sink(sitemap.Options{})
		var got string
		if test.field == "priority" {
			p := s.Priority([]byte(test.in), sitemap.Position{}, test.field)
			if v, ok := p.Get(); ok {
				got = fmt.Sprint(v)
			} else {
				got = "-"
			}
		} else {
			got = s.ChangeFreq([]byte(test.in), sitemap.Position{}, test.field).String()
		}
		code, _, _ := strings.Cut(out.String(), " ")
		if got += " " + code; got != test.want {
			t.Errorf("%s %q: %q, want %q", test.field, test.in, got, test.want)
		}
	}
}
