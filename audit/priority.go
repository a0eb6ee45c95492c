package audit

import (
	"fmt"
	"regexp"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
)

// The code of equal priorities.
const (
	PriorityAllEqual sitemap.Code = "priority_all_equal"
)

var _ = register(
	Rule{Code: sitemap.BadChangeFreq, Severity: failure, Source: protocolTags,
		Summary: "a changefreq that is not one of the seven values",
		Why: "The schema refuses the document, and readers ignore the value. Google ignores " +
			"every changefreq.",
		Fix: "Write always, hourly, daily, weekly, monthly, yearly or never, or leave the " +
			"changefreq out."},
	Rule{Code: sitemap.BadPriority, Severity: failure, Source: protocolTags,
		Summary: "a priority that is not a number from 0 to 1",
		Why: "The schema refuses the document, and readers ignore the value. Google ignores " +
			"every priority.",
		Fix: "Write a decimal number from 0.0 to 1.0, or leave the priority out."},
	Rule{Code: sitemap.NonstandardChangeFreq, habit: true, Severity: failure,
		Source:  protocolSchema,
		Summary: "a changefreq in the wrong letter case or with white space around it",
		Why:     "The schema refuses the document, and strict readers ignore the value.",
		Fix:     "Write it in lower case without white space: <changefreq>daily</changefreq>."},
	Rule{Code: sitemap.NonstandardPriority, Severity: failure, Source: protocolSchema,
		Summary: "a priority that is not plain decimal, or has white space that XML does not know",
		Why:     "The schema refuses the document, and strict readers ignore the value.",
		Fix:     "Write digits and a point: 0.8, not 0,8 or 8e-1."},
	Rule{Code: PriorityAllEqual, Severity: info, Source: protocolTags,
		Summary: "more than 20 entries that all have the same priority",
		Why: "Priorities only compare the pages of one site, so equal ones say nothing. Google " +
			"ignores all of them.",
		Fix: "Leave the priority out, or give higher ones to the pages that matter most."},
)

// priorities judges the priorities of a document.
type priorities struct {
	*judge
	tally
	value float64
	other bool // two differ
}

// add takes the priority of an entry.
func (p *priorities) add(e *sitemap.Entry) {
	v, ok := e.Priority.Get()
	if !ok {
		return
	}
	if p.count == 0 {
		p.value = v
	}
	p.tally.add(func() place { return p.field(e, document.Priority) })
	p.other = p.other || v != p.value
}

// end judges the priorities together.
func (p *priorities) end() {
	if p.count > manyEntries && !p.other {
		p.findAt(of(PriorityAllEqual), p.tally.first, fmt.Sprint(p.value),
			"all %d priorities are %v", p.count, p.value)
	}
}

// changeFreqText judges white space around a changefreq, which the schema refuses.
func (j *judge) changeFreqText() {
	if j.spaced != nil {
		text := string(j.spaced)
		at := j.placeOfField(j.fieldOf(document.ChangeFrequency))
		j.findAt(of(sitemap.NonstandardChangeFreq), at, text,
			"changefreq %s has white space around it", quoted(text))
	}
}

var decimal = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`)
