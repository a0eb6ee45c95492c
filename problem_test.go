package sitemap

import (
	"regexp"
	"testing"
)

func TestCodes(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	seen := map[string]Code{}
	for c := Code(1); c < numCodes; c++ {
		s := c.String()
		if !form.MatchString(s) {
			t.Errorf("code %d is named %q", c, s)
		}
		if other, ok := seen[s]; ok {
			t.Errorf("codes %d and %d are both named %q", other, c, s)
		}
		seen[s] = c
		if text, err := c.MarshalText(); err != nil || string(text) != s {
			t.Errorf("%s is written as %q, %v", s, text, err)
		}
		if sev := c.Severity(); sev > Error {
			t.Errorf("%s has severity %v", s, sev)
		}
	}
	for _, c := range []Code{0, numCodes, 255} {
		if c.String() != "invalid" || c.Severity() != Info {
			t.Errorf("Code(%d) is %v, %v", c, c, c.Severity())
		}
	}
}

func TestProblemSeverity(t *testing.T) {
	tests := []struct {
		problem Problem
		want    Severity
		text    string
	}{
		{Problem{Code: Doctype}, Info, "info"},
		{Problem{Code: RelativeLoc}, Warning, "warning"},
		{Problem{Code: RelativeLoc, Dropped: true}, Error, "error"},
		{Problem{Code: BadLastMod}, Error, "error"},
	}
	for _, test := range tests {
		got := test.problem.Severity()
		text, err := got.MarshalText()
		if got != test.want || string(text) != test.text || err != nil {
			t.Errorf("severity of %v is %v (%s, %v), want %v", test.problem, got, text, err, test.want)
		}
	}
	if got := Severity(9).String(); got != "invalid" {
		t.Errorf("Severity(9) is %q", got)
	}
}
