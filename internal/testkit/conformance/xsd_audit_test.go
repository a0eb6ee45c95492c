package conformance

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// noErrors matches what the schema refuses and every engine reads: other orders of elements,
// attributes, stray text, brackets in a path or query, and W3C dates that XSD's types lack.
// Elements of other namespaces are refused because their schemas are not at hand.
var noErrors = regexp.MustCompile(`This element is not expected\. Expected is|demanded by the strict wildcard|` +
	`'(\d{4}|\d{4}-\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d(Z|[+-]\d\d:\d\d))' is not a valid value of the union type|` +
	`The attribute '[^']*' is not allowed|Character content|` +
	`'https?://[^/#\[\]]+/[^#\[\]]*[\[\]][^#]*' is not a valid value of the atomic type '[^']*tLoc`)

// outsideSchema are codes of errors in documents that the schema accepts.
var outsideSchema = []sitemap.Code{
	sitemap.RelativeLoc, sitemap.SchemeAssumed, sitemap.BadScheme, sitemap.BogusLoc, sitemap.BadLoc, // any URI will do
	sitemap.BadLastMod, sitemap.NonstandardLastMod, // of XSD's dates, W3C's are a part
	"not_utf8",                                      // the protocol's text
	sitemap.UndeclaredPrefix, sitemap.JunkAfterRoot, // errors of XML that xmllint goes on after
}

// The audit finds an error in each generated document that the schema refuses, and none in those
// that it accepts.
func TestXSD_Audit(t *testing.T) {
	failed, refused := map[string]int{}, 0
	for i, v := range allVerdicts(t) {
		doc, m, _ := generate(i)
		var errs, all []sitemap.Code
		var end error
		hasError := false
		src := audit.Source{Name: "sitemap.xml", Open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(doc)), nil
		}}
		for f, err := range audit.Document(src, nil) {
			if end = err; err != nil {
				break
			}
			all = append(all, f.Code)
			hasError = hasError || f.Severity == sitemap.SeverityError
			if f.Severity == sitemap.SeverityError && !slices.Contains(outsideSchema, f.Code) {
				errs = append(errs, f.Code)
			}
		}
		switch {
		case !v.accepted && !noErrors.MatchString(v.message):
			refused++
			if hasError || end != nil {
				continue
			}
		case v.accepted && (len(errs) > 0 || end != nil):
		default:
			continue
		}
		if failed[m.name]++; failed[m.name] <= 2 {
			t.Errorf("document %d, %s: accepted %t (%s); findings %v, errors %v, %v, of\n%q", i, m.name, v.accepted,
				v.message, all, errs, end, doc)
		}
	}
	if refused == 0 {
		t.Error("no document was refused")
	}
	for _, name := range sortedKeys(failed) {
		t.Logf("%6d failures: %s", failed[name], name)
	}
}
