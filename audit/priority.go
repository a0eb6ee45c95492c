package audit

import (
	"fmt"
	"regexp"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
)

// The code of equal priorities.
const PriorityAllEqual sitemap.Code = "priority_all_equal"

var _ = register(
	rule(sitemap.BadChangeFreq, failure, protocolTags,
		"a changefreq that is not one of the seven values",
		"The schema refuses the document, and readers ignore the value. Google ignores every "+
			"changefreq.",
		"Write always, hourly, daily, weekly, monthly, yearly or never, or leave the changefreq "+
			"out."),
	rule(sitemap.BadPriority, failure, protocolTags, "a priority that is not a number from 0 to 1",
		"The schema refuses the document, and readers ignore the value. Google ignores every "+
			"priority.",
		"Write a decimal number from 0.0 to 1.0, or leave the priority out."),
	rule(sitemap.NonstandardChangeFreq, failure, protocolSchema,
		"a changefreq in the wrong letter case or with white space around it",
		"The schema refuses the document, and strict readers ignore the value.",
		"Write it in lower case without white space: <changefreq>daily</changefreq>.").ofHabit(),
	rule(sitemap.NonstandardPriority, failure, protocolSchema,
		"a priority that is not plain decimal, or has white space that XML does not know",
		"The schema refuses the document, and strict readers ignore the value.",
		"Write digits and a point: 0.8, not 0,8 or 8e-1."),
	rule(PriorityAllEqual, info, protocolTags,
		"more than 20 entries that all have the same priority",
		"Priorities only compare the pages of one site, so equal ones say nothing. Google ignores "+
			"all of them.",
		"Leave the priority out, or give higher ones to the pages that matter most."),
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
