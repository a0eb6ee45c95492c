package batchtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// Sink tests a [batch.Sink]. Open returns an empty one for each test.
func Sink(t *testing.T, open func(t *testing.T) batch.Sink) { run(t, sinkPromises, open) }

var sinkPromises = []promise[batch.Sink]{
	{"A part appears when it is committed", appears},
	{"A part that is discarded leaves nothing", discarded},
	{"The description of a part is kept", described},
	{"A part is replaced", replaced},
	{"Runs have parts of their own", runsApart},
	{"Every domain can have a part", everyDomain},
	{"A part can be large", largePart},
}

func partOf(run, domain string) batch.Stored {
	return batch.Stored{
		Task: batch.Task{Run: run, Domain: domain}, ID: "id of " + domain, Digest: "digest",
	}
}

func begin(t testing.TB, s batch.Sink, part batch.Stored, lines string) batch.Part {
	t.Helper()
	p, err := s.Part(t.Context(), part)
	must(t, "Part", err)
	if n, err := io.WriteString(p, lines); n != len(lines) || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
	return p
}

func commit(t testing.TB, s batch.Sink, part batch.Stored, lines string) {
	t.Helper()
	p := begin(t, s, part, lines)
	must(t, "Commit", p.Commit(t.Context(), batch.Counts{URLs: 1}))
	p.Discard()
}

// hasNo checks that a part is not there.
func hasNo(t testing.TB, s batch.Sink, part batch.Stored) {
	t.Helper()
	if got, err := s.Stat(t.Context(), part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat(%s) = %+v, %v, want fs.ErrNotExist", part.Domain, got, err)
	}
}

// isStored reports whether a committed part is as it was described.
func isStored(got, want batch.Stored) bool {
	return got.Run == want.Run && got.Domain == want.Domain && got.ID == want.ID &&
		got.Digest == want.Digest && got.InLots == want.InLots &&
		!got.Time.IsZero() && got.Counts.URLs == 1
}

// holds checks the URLs in a part.
func holds(t testing.TB, s batch.Sink, part batch.Stored, want ...string) {
	t.Helper()
	var got []string
	for l, err := range batch.ReadPart(t.Context(), s, part) {
		if err != nil {
			t.Errorf("%s: %v", part.Domain, err)
			return
		}
		got = append(got, l.URL.Loc)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %.200q, want %.200q", part.Domain, got, want)
	}
}

// lists checks which parts a run has, and that they are as they were described.
func lists(t testing.TB, s batch.Sink, run string, want ...batch.Stored) {
	t.Helper()
	got := map[string]batch.Stored{}
	for p, err := range s.Parts(t.Context(), run) {
		if len(want) == 0 && errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			t.Errorf("Parts(%s): %v", run, err)
			return
		}
		got[p.Domain] = p
	}
	if len(got) != len(want) {
		t.Errorf("run %s has %d parts, want %d", run, len(got), len(want))
	}
	for _, part := range want {
		if p := got[part.Domain]; !isStored(p, part) {
			t.Errorf("%s is stored as %+v", part.Domain, p)
		}
		name := batch.Stored{Task: batch.Task{Run: run, Domain: part.Domain}}
		if p, err := s.Stat(t.Context(), name); err != nil || !isStored(p, part) {
			t.Errorf("Stat(%s) = %+v, %v", part.Domain, p, err)
		}
	}
}

// line returns the line of a URL.
func line(loc string) string { return fmt.Sprintf("{\"loc\":%q,\"kind\":\"page\"}\n", loc) }

func appears(t testing.TB, s batch.Sink) {
	part := partOf("1", "a.test")
	hasNo(t, s, part)
	p := begin(t, s, part, line("https://a.test/1"))
	hasNo(t, s, part)
	lists(t, s, "1")
	if _, err := s.Open(t.Context(), part); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a part that is not there: %v", err)
	}
	must(t, "Commit", p.Commit(t.Context(), batch.Counts{URLs: 1}))
	p.Discard()
	lists(t, s, "1", part)
	holds(t, s, part, "https://a.test/1")
}

func discarded(t testing.TB, s batch.Sink) {
	part := partOf("1", "a.test")
	begin(t, s, part, line("https://a.test/1")).Discard()
	hasNo(t, s, part)
	lists(t, s, "1")
	commit(t, s, part, line("https://a.test/2"))
	begin(t, s, part, line("https://a.test/3")).Discard()
	holds(t, s, part, "https://a.test/2")
}

func described(t testing.TB, s batch.Sink) {
	part := partOf("1", "a.test")
	commit(t, s, part, "")
	lists(t, s, "1", part)
	part.ID, part.Digest, part.InLots = "another", "other targets", true
	commit(t, s, part, "")
	lists(t, s, "1", part)
}

func replaced(t testing.TB, s batch.Sink) {
	part := partOf("1", "a.test")
	first := begin(t, s, part, line("https://a.test/1"))
	second := begin(t, s, part, line("https://a.test/2"))
	for _, p := range []batch.Part{second, first} {
		must(t, "Commit", p.Commit(t.Context(), batch.Counts{URLs: 1}))
		p.Discard()
	}
	lists(t, s, "1", part)
	holds(t, s, part, "https://a.test/1")
}

func runsApart(t testing.TB, s batch.Sink) {
	one, two := partOf("1", "a.test"), partOf("2026-11-23", "a.test")
	commit(t, s, one, line("https://a.test/1"))
	hasNo(t, s, two)
	commit(t, s, two, line("https://a.test/2"))
	lists(t, s, "1", one)
	lists(t, s, "2026-11-23", two)
	lists(t, s, "2026")
	lists(t, s, "2")
	holds(t, s, one, "https://a.test/1")
}

func everyDomain(t testing.TB, s batch.Sink) {
	labels := strings.Repeat(strings.Repeat("long", 15)+".", 4)
	var parts []batch.Stored
	for _, domain := range []string{
		"a.test", "xn--bcher-kva.example", "localhost", "192.0.2.7", "2001:db8::1", "a_b.test",
		"con", "nul.test", "a.test~00", "a.test~ff", labels + "a.test", labels + "b.test",
	} {
		part := partOf("1", domain)
		commit(t, s, part, line("https://"+domain+"/"))
		parts = append(parts, part)
	}
	lists(t, s, "1", parts...)
	for _, part := range parts {
		holds(t, s, part, "https://"+part.Domain+"/")
	}
}

func largePart(t testing.TB, s batch.Sink) {
	var lines strings.Builder
	var want []string
	for i := range 10_000 {
		want = append(want, fmt.Sprintf("https://a.test/%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)})))
		lines.WriteString(line(want[i]))
	}
	part := partOf("1", "a.test")
	commit(t, s, part, lines.String())
	holds(t, s, part, want...)
}
