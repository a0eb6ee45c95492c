package sitemap_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

func TestCode_JSON(t *testing.T) {
	text, err := json.Marshal(map[sitemap.Code]sitemap.Code{sitemap.BadLastMod: sitemap.RawAmpersand})
	if want := `{"bad_lastmod":"raw_ampersand"}`; string(text) != want || err != nil {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// The severities are those of the rules for audits, which weigh a problem by its consequence.
var severities = map[sitemap.Severity]string{
	sitemap.SeverityError: "raw_ampersand undeclared_entity undeclared_prefix mismatched_tag " +
		"control_char invalid_utf8 uppercase_tag junk_before_root leading_whitespace " +
		"junk_after_root element_in_loc text_as_loc several_locs missing_loc empty_loc bogus_loc " +
		"bad_loc bad_escape bad_scheme relative_loc scheme_assumed bad_lastmod " +
		"nonstandard_lastmod bad_changefreq nonstandard_changefreq bad_priority " +
		"nonstandard_priority unknown_namespace missing_namespace misplaced_element " +
		"wrapped_root too_large too_many_entries no_entries loc_too_long untrusted_loc " +
		"bad_feed_date extension_namespace double_gzip junk_line line_cut missing_root repeated_element unknown_element",
	sitemap.SeverityWarning: "doctype double_escaped loc_whitespace encoding_fallback " +
		"wrong_content_type foreign_child gzip_trailing_junk guid_as_loc id_as_loc userinfo " +
		"implausible_lastmod late_grant duplicate_loc robots_html bad_extension " +
		"nonstandard_key nonstandard_rule index_lastmod_old stray_text of_a_later_version",
	sitemap.SeverityInfo: "zone_assumed nonstandard_rel foreign_element store_format",
}

func TestCode_Severity(t *testing.T) {
	known := map[string]bool{}
	for want, codes := range severities {
		for code := range strings.FieldsSeq(codes) {
			known[code] = true
			for _, dropped := range []bool{false, true} {
				p := sitemap.Problem{Code: sitemap.Code(code), Dropped: dropped}
				if got := p.Severity(); got != want || p.Code.Severity() != want {
					t.Errorf("severity of %v (dropped: %t) is %v, want %v",
						code, dropped, got, want)
				}
			}
		}
	}
	source, err := os.ReadFile("problem.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Code = "(\w+)"`).FindAllSubmatch(source, -1) {
		if !known[string(m[1])] {
			t.Errorf("%s has no severity in the rules", m[1])
		}
	}
}

// TestProblem_Message: each code has a sentence, which needs no value, and no other code has one.
func TestProblem_Message(t *testing.T) {
	templates, err := os.ReadFile("messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+): (.*[^.\s])$`).FindAllSubmatch(templates, -1) {
		code, template := string(m[1]), string(m[2])
		named[code] = true
		for _, p := range []sitemap.Problem{
			{},
			{Field: "loc"},
			{Field: "loc", Text: "a {b} c"},
		} {
			p.Code = sitemap.Code(code)
			message := p.Message()
			hasText := p.Text != "" && strings.Contains(template, "{text}")
			rest := strings.ReplaceAll(message, `"a {b} c"`, "")
			if hasText != (len(rest) < len(message)) || strings.ContainsAny(rest, "{}") ||
				strings.HasSuffix(message, ":") || message != strings.TrimSpace(message) {
				t.Errorf("message of %#v is %q", p, message)
			}
		}
	}
	for _, codes := range severities {
		for code := range strings.FieldsSeq(codes) {
			if !named[code] && code != "of_a_later_version" {
				t.Errorf("%s has no message", code)
			}
			delete(named, code)
		}
	}
	for code := range named {
		t.Errorf("%s is no code", code)
	}
}

func TestProblem_String(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, tt := range []struct {
		p    sitemap.Problem
		want string
	}{
		{sitemap.Problem{Code: sitemap.BadLastMod, Field: "lastmod", Text: "13/45/2024",
			Pos: sitemap.Position{Line: 3}},
			`line 3: bad_lastmod: lastmod "13/45/2024" is not a W3C date`},
		{sitemap.Problem{Code: sitemap.BadLastMod, Field: "lastmod"},
			`bad_lastmod: lastmod is not a W3C date`},
		{sitemap.Problem{Code: sitemap.MissingLoc, Field: "loc", Text: "<url>"},
			`missing_loc: no loc in this entry`},
		{sitemap.Problem{Code: sitemap.BadScheme, Text: "ftp://www.example.com/"},
			`bad_scheme: "ftp://www.example.com/" has a scheme other than http and https`},
		{sitemap.Problem{Code: sitemap.EncodingFallback},
			`encoding_fallback: the encoding is unknown, undeclared or contradicted by the bytes`},
		{sitemap.Problem{Code: sitemap.RepeatedElement, Field: "link"},
			`repeated_element: a second link in the entry`},
		{sitemap.Problem{Code: sitemap.RelativeLoc, Text: "https://user:secret@example.com/"},
			`relative_loc: "https://example.com/" is a relative URL`},
		{sitemap.Problem{Code: sitemap.RelativeLoc, Text: long},
			`relative_loc: "` + long[:80] + `…" is a relative URL`},
		{sitemap.Problem{Code: "of_a_later_version", Text: "x"}, `of_a_later_version: "x"`},
		{sitemap.Problem{Code: "of_a_later_version"}, `of_a_later_version`},
	} {
		if got := tt.p.String(); got != tt.want {
			t.Errorf("%#v is %q, want %q", tt.p, got, tt.want)
		}
	}
}

func TestSeverity(t *testing.T) {
	for want, s := range map[string]sitemap.Severity{"info": sitemap.SeverityInfo,
		"warning": sitemap.SeverityWarning, "error": sitemap.SeverityError} {
		if text, err := s.MarshalText(); string(text) != want || err != nil {
			t.Errorf("text of %d is %q, %v, want %q", s, text, err, want)
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
