package audit

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

func TestRules(t *testing.T) {
	all := Rules()
	for i, r := range all {
		if i > 0 && all[i-1].Code >= r.Code {
			t.Errorf("%s comes after %s", r.Code, all[i-1].Code)
		}
		if !regexp.MustCompile(`^[a-z0-9]+(?:_[a-z0-9]+)*$`).MatchString(string(r.Code)) {
			t.Errorf("code %q", r.Code)
		}
		if r.Severity > failure {
			t.Errorf("%s: severity %v", r.Code, r.Severity)
		}
		for name, text := range map[string]string{"Summary": r.Summary, "Why": r.Why, "Fix": r.Fix,
			"Source": r.Source} {
			hasStop := strings.HasSuffix(text, ".")
			switch {
			case text == "" || text != strings.Join(strings.Fields(text), " "):
				t.Errorf("%s: %s is %q", r.Code, name, text)
			case hasStop != (name == "Why" || name == "Fix"):
				t.Errorf("%s: full stop at the end of %s: %t", r.Code, name, hasStop)
			}
		}
	}
	all[0].Code = ""
	if Rules()[0].Code == "" {
		t.Error("a change of the slice has changed the rules")
	}
}

func TestRuleOf(t *testing.T) {
	for _, r := range Rules() {
		if got, ok := RuleOf(r.Code); !ok || got != r {
			t.Errorf("RuleOf(%q) is %v, %t", r.Code, got, ok)
		}
		for _, code := range []sitemap.Code{r.Code + "_", r.Code[1:]} {
			if got, ok := RuleOf(code); ok || got != (Rule{}) {
				t.Errorf("RuleOf(%q) is %v, %t", code, got, ok)
			}
		}
	}
	for _, code := range []sitemap.Code{"", "of_a_later_version", "zzz", "BAD_LOC"} {
		if got, ok := RuleOf(code); ok || got != (Rule{}) {
			t.Errorf("RuleOf(%q) is %v, %t", code, got, ok)
		}
	}
}

// isReading reports whether a code is one of reading.
func isReading(code sitemap.Code) bool {
	return slices.ContainsFunc(readingRules, func(r Rule) bool { return r.Code == code })
}

// TestRules_Reading: each problem of package sitemap has a rule of the same severity.
func TestRules_Reading(t *testing.T) {
	for _, code := range codesIn(t, "../problem.go", `Code = "(\w+)"`) {
		if !isReading(code) {
			t.Errorf("%s has no rule of reading", code)
		}
	}
	for _, r := range readingRules {
		if want := r.Code.Severity(); r.Severity != want {
			t.Errorf("%s: severity %v, want %v", r.Code, r.Severity, want)
		}
	}
}

// TestRules_Complete: each code that this package finds, and each of an error, has a rule.
func TestRules_Complete(t *testing.T) {
	codes := codesIn(t, "../internal/jsonl/failure.go", `(?:, |return )"([a-z_]+)"(?:\}|\n)`)
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		codes = append(codes, codesIn(t, name,
			`(?:\bfind\(|\.find\(|\.findAt\(|\.report\(|repeated\(|Code: +|Code = )\s*"([a-z_0-9]+)"`)...)
	}
	if !slices.Contains(codes, "host_down") || !slices.Contains(codes, "page_soft_404") {
		t.Errorf("codes in the source are %v", codes)
	}
	for _, code := range codes {
		if _, ok := RuleOf(code); !ok {
			t.Errorf("%s has no rule", code)
		}
	}
	for prefix, fields := range map[string]string{
		"news_missing_":  "publication name language publication_date title",
		"video_missing_": "thumbnail_loc title description content_or_player_loc",
	} {
		for field := range strings.FieldsSeq(fields) {
			if _, ok := RuleOf(sitemap.Code(prefix + field)); !ok {
				t.Errorf("%s%s has no rule", prefix, field)
			}
		}
	}
}

// codesIn returns the codes that a pattern finds in a source file, each once.
func codesIn(t *testing.T, name, pattern string) (codes []sitemap.Code) {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(source, -1) {
		codes = append(codes, sitemap.Code(m[1]))
	}
	slices.SortFunc(codes, cmp.Compare[sitemap.Code])
	return slices.Compact(codes)
}
