package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	const year = 365 * 24 * time.Hour
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0},
		{"0", 0},
		{"-5", 0},
		{"120", 2 * time.Minute},
		{" 7 ", 7 * time.Second},
		{"1.5", 1500 * time.Millisecond},
		{"86400", 24 * time.Hour},
		{"99999999999999999999", year},
		{strings.Repeat("9", 400), year},
		{".", 0},
		{"1.2.3", 0},
		{"+5", 0},
		{"1e3", 0},
		{"1_000", 0},
		{"0x1p4", 0},
		{"٣", 0},
		{"5 s", 0},
		{"NaN", 0},
		{"Inf", 0},
		{"infinity", 0},
		{"soon", 0},
		{"Mon, 06 May 2024 07:09:09 GMT", time.Minute},
		{"Monday, 06-May-24 07:09:09 GMT", time.Minute},
		{"Mon May  6 07:09:09 2024", time.Minute},
		{"Mon, 06 May 2024 07:08:09 GMT", 0},
		{"Fri, 31 Dec 1999 23:59:59 GMT", 0},
		{"Fri, 31 Dec 9999 23:59:59 GMT", year},
		{"Mon, 06 May 2024 07:09:09 +0000", time.Minute},
		{"Mon, 6 May 2024 09:09:09 +0200", time.Minute},
		{"Mon, 06 May 2024 07:09:09 UTC", time.Minute},
		{"Mon, 06 May 2024 07:09:09 UT", time.Minute},
		{"2024-05-06T07:09:09Z", time.Minute},
		{"Mon, 06 May 2024 07:09:09 XYZ", 0},
		{"Mon, 6 May 2024 07:09:09 GMT", time.Minute},
		{"Mon, 6 May 2024 07:09:09 +0000 (UTC)", time.Minute},
		{"Mon, 06 May 2024 07:09:09 XYZ (x)", 0},
		{"2, 2", 2 * time.Second},
		{"2,7", 7 * time.Second},
		{"2, soon", 0},
	} {
		if got := retryAfter(http.Header{"Retry-After": {tt.value}}, now); got != tt.want {
			t.Errorf("retryAfter(%q) = %v, want %v", tt.value, got, tt.want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After": {"2", "Mon, 06 May 2024 07:09:09 GMT"}}, now); got != time.Minute {
		t.Errorf("of two fields: %v", got)
	}
}
