package audit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// The codes of dates and priorities.
const (
	LastmodAllEqual    sitemap.Code = "lastmod_all_equal"
	LastmodCoverage    sitemap.Code = "lastmod_coverage"
	LastmodFuture      sitemap.Code = "lastmod_future"
	LastmodIsFetchTime sitemap.Code = "lastmod_is_fetch_time"
	LastmodStale       sitemap.Code = "lastmod_stale"
	PriorityAllEqual   sitemap.Code = "priority_all_equal"
)

var _ = register(
	rule(sitemap.BadChangeFreq, failure, protocolTags,
		"a changefreq that is not one of the seven values",
		"The schema refuses the document, and readers ignore the value. Google ignores every "+
			"changefreq.",
		"Write always, hourly, daily, weekly, monthly, yearly or never, or leave the changefreq "+
			"out."),
	rule(sitemap.BadFeedDate, failure, "RFC 822, section 5; RFC 3339, section 5.6",
		"a date of a feed that is neither of RFC 822 nor of RFC 3339",
		"Search engines do not learn when the page changed.",
		"In RSS write Mon, 23 Nov 2026 12:00:00 GMT, in Atom 2026-11-23T12:00:00Z, or leave the "+
			"date out."),
	rule(sitemap.BadLastMod, failure, w3cDates, "a lastmod that is not a W3C date",
		"Search Console reports an invalid date. Search engines do not learn when the page "+
			"changed.",
		"Write the date as 2026-11-23, or with time and zone as 2026-11-23T12:00:00+00:00, or "+
			"leave the lastmod out."),
	rule(sitemap.BadPriority, failure, protocolTags, "a priority that is not a number from 0 to 1",
		"The schema refuses the document, and readers ignore the value. Google ignores every "+
			"priority.",
		"Write a decimal number from 0.0 to 1.0, or leave the priority out."),
	rule(sitemap.ImplausibleLastMod, warning, googleBuild,
		"a date that is too unlikely to be meant",
		"Search engines stop trusting the dates of a site that are wrong. It is often the zero "+
			"date of a programming language.",
		"Write the date of the last change, or leave the lastmod out where none is known."),
	rule(LastmodAllEqual, warning, bingLastMod,
		"more than 20 lastmods of which 95 % are within one minute",
		"It is the time of a build rather than of changes. Bing and Google ignore it then.",
		"Write when the content of each page last changed, or leave the lastmod out."),
	rule(LastmodCoverage, info, bingLastMod,
		"entries without a lastmod, if at least half of them have one",
		"Search engines do not learn which of these pages have changed, and have to guess.",
		"Add a lastmod to each page for which the date of its last change is known."),
	rule(LastmodFuture, warning, googleBuild, "a lastmod more than a day ahead",
		"No page can have changed then. Search engines ignore the value and may distrust others.",
		"Write when the page last changed. Check the clock, the zone and the order of day and "+
			"month."),
	rule(LastmodIsFetchTime, warning, googleBuild, "lastmods that are all the time of the request",
		"The server writes the present time at each request. Google ignores it then.",
		"Write when the content of each page last changed, for example from its record."),
	rule(LastmodStale, info, bingLastMod, "a document whose newest lastmod is older than a year",
		"Either nothing changes there, or the sitemap is not written any more.",
		"Check that the sitemap is still updated, and that new pages come into it."),
	rule(sitemap.NonstandardChangeFreq, failure, protocolSchema,
		"a changefreq in the wrong letter case or with white space around it",
		"The schema refuses the document, and strict readers ignore the value.",
		"Write it in lower case without white space: <changefreq>daily</changefreq>.").ofHabit(),
	rule(sitemap.NonstandardLastMod, failure, w3cDates,
		"a date in another form than that of the format",
		"Search Console reports an invalid date. Readers guess what it means, or ignore it.",
		"Write it as 2026-11-23, or with time and zone as 2026-11-23T12:00:00+00:00. In RSS write "+
			"Mon, 23 Nov 2026 12:00:00 GMT.").ofHabit(),
	rule(sitemap.NonstandardPriority, failure, protocolSchema,
		"a priority that is not plain decimal, or has white space that XML does not know",
		"The schema refuses the document, and strict readers ignore the value.",
		"Write digits and a point: 0.8, not 0,8 or 8e-1."),
	rule(PriorityAllEqual, info, protocolTags,
		"more than 20 entries that all have the same priority",
		"Priorities only compare the pages of one site, so equal ones say nothing. Google ignores "+
			"all of them.",
		"Leave the priority out, or give higher ones to the pages that matter most."),
	rule(sitemap.ZoneAssumed, info, `W3C, "Date and Time Formats"`,
		"a date and time without a known zone",
		"UTC is assumed here, other readers may assume another zone. The change then seems to be "+
			"some hours earlier or later.",
		"Add the zone: 2026-11-23T12:00:00+01:00, or Z for UTC."),
)

const (
	farFuture   = 24 * time.Hour
	stale       = 365 * 24 * time.Hour
	fetchWindow = time.Minute // around the time of the response
	buildTime   = 60          // seconds that a build takes
	manyEntries = 20          // above which equal values are suspicious
	mostOf      = 95          // percent
)

// Unix seconds: the earliest plausible change of a page, and the earliest date that is not a
// problem of reading.
var (
	plausible = time.Date(1995, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	readable  = time.Date(1000, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// lastMods judges the lastmods of a document.
type lastMods struct {
	*judge
	served   time.Time // when the document was, or zero
	present  tally
	absent   tally
	newest   sitemap.Time // of those that can be meant
	newestAt int64        // its start in seconds
	late     int64        // seconds from which on a date is in the future
	text     string       // of the first one
	fresh    bool         // all lastmods so far are those of the response
	builds   [4]build
}

// A build is a time around which there are lastmods.
type build struct {
	from, to int64 // seconds
	count    int
}

// add judges the lastmod of an entry.
func (l *lastMods) add(e *sitemap.Entry) {
	t := e.LastMod
	if t.IsZero() {
		l.absent.add(func() place { return l.at(e.Pos).of(e.Loc) })
		return
	}
	at := func() place { return l.field(e, document.LastMod) }
	start := t.Start().Unix()
	if l.present.count == 0 {
		l.text, l.fresh = t.String(), !l.served.IsZero()
	}
	l.present.add(at)
	l.fresh = l.fresh && t.Precision() >= sitemap.Minute &&
		t.Start().Sub(l.served).Abs() <= fetchWindow
	isPlausible := start >= plausible || isFeed(l.format)
	if isPlausible && start > l.newestAt {
		l.newest, l.newestAt = t, start
	}
	switch {
	case start > l.late:
		l.findAt(of(LastmodFuture), at(), t.String(), "lastmod %q is in the future", t)
	case !isPlausible && start >= readable:
		l.findAt(of(sitemap.ImplausibleLastMod), at(), t.String(),
			"lastmod %q is too unlikely to be meant", t)
	}
	l.build(start)
}

// build counts a lastmod among those of the same time. A new time replaces the rarest one.
func (l *lastMods) build(t int64) {
	rarest := &l.builds[0]
	for i := range l.builds {
		b := &l.builds[i]
		if t-b.from <= buildTime && b.to-t <= buildTime {
			b.from, b.to, b.count = min(t, b.from), max(t, b.to), b.count+1
			return
		}
		if b.count < rarest.count {
			rarest = b
		}
	}
	*rarest = build{t, t, 1}
}

// end judges the lastmods together.
func (l *lastMods) end(start place) {
	count := l.present.count
	for _, b := range l.builds {
		if count > manyEntries && b.count*100 >= count*mostOf {
			l.findAt(of(LastmodAllEqual), l.present.first, l.text,
				"%d of %d lastmods are within one minute of %q", b.count, count, l.text)
		}
	}
	if count > 1 && l.fresh {
		l.findAt(of(LastmodIsFetchTime), l.present.first, l.text,
			"all %d lastmods are the time of the request", count)
	}
	entries := count + l.absent.count
	if l.absent.count > 0 && 2*count >= entries && l.format != sitemap.Text {
		l.findAt(of(LastmodCoverage), l.absent.first, "", "%d of %d entries have a lastmod (%d %%)",
			count, entries, count*100/entries)
	}
	if !l.newest.IsZero() && l.newest.End().Before(l.now.Add(-stale)) {
		l.findAt(of(LastmodStale), start, l.newest.String(),
			"the newest lastmod, %q, is older than a year", l.newest)
	}
}

var farZone = pattern.Of(
	`[+-](?:14:(?:0[1-9]|[1-5][0-9])|1[5-9]:[0-9]{2}|2[0-9]:[0-9]{2})$`,
)

// isW3CDate reports whether text is a W3C date as it stands.
func isW3CDate(text string) bool {
	_, err := sitemap.ParseTime(text)
	return err == nil
}

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
func (j *judge) changeFreqText(e *element) {
	trimmed := bytes.TrimSpace(e.text)
	if !e.cdata && len(trimmed) < len(e.text) && len(trimmed) > 0 {
		j.findIn(of(sitemap.NonstandardChangeFreq), e, string(e.text),
			"changefreq %s has white space around it", quoted(e.text))
	}
}

var decimal = pattern.Of(`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$`)
