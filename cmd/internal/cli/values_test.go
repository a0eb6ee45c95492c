package cli

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
)

func TestSinceLastDayOfMonth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2004, 2, 29, 12, 0, 0, 0, time.Local)))
		wantSince(t, map[string]string{"1m": "2004-01-29", "12m": "2003-02-28", "1y": "2003-02-28", "4y": "2000-02-29"})
		time.Sleep(time.Until(time.Date(2004, 5, 31, 12, 0, 0, 0, time.Local)))
		wantSince(t, map[string]string{"1m": "2004-04-30", "2m": "2004-03-31", "3m": "2004-02-29", "1y": "2003-05-31"})
	})
}

func wantSince(t *testing.T, want map[string]string) {
	t.Helper()
	for s, day := range want {
		if got, err := parseSince(s); err != nil || got.Format(time.DateOnly) != day {
			t.Errorf("parseSince(%q) = %v, %v, want %s", s, got, err, day)
		}
	}
}

func TestParseQuantity(t *testing.T) {
	tests := []struct {
		s    string
		want int64
	}{
		{"0", 0}, {"50000", 50_000}, {"50_000", 50_000}, {" 7 ", 7}, {"12B", 12},
		{"10MiB", 10 << 20}, {"10 MiB", 10 << 20}, {"10mib", 10 << 20}, {"1.5GiB", 3 << 29}, {"1Ti", 1 << 40},
		{"2k", 2_000}, {"2kB", 2_000}, {"2KiB", 2_048}, {"1M", 1_000_000}, {"1GB", 1_000_000_000},
		{"9007199254740992", 1 << 53},
	}
	for _, tt := range tests {
		if got, err := parseQuantity(tt.s); err != nil || got != tt.want {
			t.Errorf("parseQuantity(%q) = %d, %v, want %d", tt.s, got, err, tt.want)
		}
	}
	for _, s := range []string{"", "MiB", "ten", "-1", "1.2.3", "1e3", "5 apples", "9223372036854775808", "10000000TiB", "0.1", "1.5.MiB"} {
		if got, err := parseQuantity(s); err == nil {
			t.Errorf("parseQuantity(%q) = %d, want an error", s, got)
		}
	}
}

func TestLimits(t *testing.T) {
	var l Limit
	for _, s := range []string{"bytes=10MiB", "entries=7,depth=0", "sitemaps=2k"} {
		if err := l.Set(s); err != nil {
			t.Errorf("Set(%q): %v", s, err)
		}
	}
	if want := (Limit{sitemap.Limits{Bytes: 10 << 20, Entries: 7}, -1, 2_000}); l != want {
		t.Errorf("got %+v, want %+v", l, want)
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KiB", 1536: "1.5 KiB", 1 << 20: "1.0 MiB", 1<<20 - 1: "1.0 MiB", 5 << 40: "5.0 TiB"} {
		if got := Size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
