package sitemap_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

func TestCode_JSON(t *testing.T) {
	text, err := json.Marshal(map[sitemap.Code]sitemap.Code{sitemap.BadLastMod: sitemap.RawAmpersand})
	if want := `{"bad_lastmod":"raw_ampersand"}`; string(text) != want || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

func TestProblem_Severity(t *testing.T) {
	tests := []struct {
		problem sitemap.Problem
		want    sitemap.Severity
		text    string
	}{
		{sitemap.Problem{Code: sitemap.Doctype}, sitemap.SeverityInfo, "info"},
		{sitemap.Problem{Code: sitemap.RelativeLoc}, sitemap.SeverityWarning, "warning"},
		{sitemap.Problem{Code: sitemap.RelativeLoc, Dropped: true}, sitemap.SeverityError, "error"},
		{sitemap.Problem{Code: sitemap.BadLastMod}, sitemap.SeverityError, "error"},
		{sitemap.Problem{Code: "of_a_later_version"}, sitemap.SeverityWarning, "warning"},
	}
	for _, test := range tests {
		got := test.problem.Severity()
		text, err := got.MarshalText()
		if got != test.want || string(text) != test.text || err != nil {
			t.Errorf("severity of %v is %v (%s, %v), want %v", test.problem, got, text, err,
				test.want)
		}
	}
	if sitemap.SeverityInfo >= sitemap.SeverityWarning ||
		sitemap.SeverityWarning >= sitemap.SeverityError {
		t.Error("severities are not ordered")
	}
	if got := sitemap.Severity(9).String(); got != "invalid" {
		t.Errorf("Severity(9) is %q", got)
	}
}
