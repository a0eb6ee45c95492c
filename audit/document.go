package audit

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/namespace"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
	"github.com/seed-322c453a/sitemap/parse"
)

// Document audits one document by the rules of reading and of single documents. It yields findings
// roughly in document order; findings about the whole document come last. The error, if any, is the
// last element: that of Open, a [*sitemap.ParseError], or that of the reader.
//
// The sequence is a single-use iterator. It holds some 200 KiB, and for each of the first million
// entries 30 to 60 bytes. A nil o is a zero Options. Documents may be audited concurrently, but not
// with one Source.
func Document(src Source, o *Options) iter.Seq2[Finding, error] {
	return sequence(o, func(r *reporter) error {
		return newAuditor(src, r).run()
	})
}

// An auditor audits one document. It listens to the parser.
type auditor struct {
	judge
	source  Source
	limits  sitemap.Limits
	summary sitemap.Summary
	alone   bool // no site is known

	isJudged bool   // the elements of the last entry are judged
	layers   int    // of gzip
	declared string // encoding
	top      place  // of the document
	rootAt   *element

	origins    *origins
	locations  locations
	duplicates duplicates
	lastMods   lastMods
	priorities priorities
	extensions extensions
	returns    returns
	hosts      hostRules

	listed  func(e *sitemap.Entry, o *origin) // is called with each entry, if it is not nil
	listing sitemap.Entry                     // its argument
}

func newAuditor(src Source, out *reporter) *auditor {
	o := out.o
	d := &auditor{source: src, limits: o.Limits, alone: true, origins: newOrigins()}
	j := &d.judge
	*j = judge{
		reporter: reporter{o: o, found: d.hold}, out: out,
		text: text{name: src.Name, excerpts: o.Excerpts},
		now:  o.now(), once: map[string]bool{}, habits: map[sitemap.Code]tally{},
		entry: entry{kept: map[int64]place{}},
	}
	j.begin(-1)
	d.locations.judge, d.priorities.judge, d.returns.judge = j, j, j
	d.duplicates = duplicates{judge: j, seen: recent.Get().(*occurrences)}
	d.lastMods = lastMods{judge: j, served: src.Date, late: j.now.Add(farFuture).Unix(),
		newestAt: sitemap.Time{}.Start().Unix()}
	d.extensions = extensions{judge: j, sound: map[string]bool{}}
	d.hosts = hostRules{judge: j, origins: d.origins, base: src.Base}
	if src.Base != nil {
		d.hosts.scope = trust.Grants(trust.FromHome, src.Base.String(), nil, nil)
	}
	return d
}

// run audits the document.
func (d *auditor) run() error {
	body, err := d.source.Open()
	if err != nil {
		return err
	}
	defer body.Close()
	r, err := parse.NewReader(body, &sitemap.Options{
		Base: d.source.Base, ContentType: d.source.ContentType, Limits: d.limits,
		Report: d.problem,
	})
	switch {
	case err == nil:
		d.format = r.Format()
		r.Listen(d)
		err = d.read(r)
		d.summary = r.Summary()
		d.format = d.summary.Format
	case errors.Is(err, sitemap.ErrNotSitemap):
		d.held = nil // an HTML page may have a DOCTYPE
	}
	if d.summary.Format != 0 {
		d.end()
	}
	d.flush(math.MaxInt64)
	if d.source.Done != nil && !d.out.stopped {
		d.source.Done(d.summary)
	}
	return err
}

// read audits the entries.
func (d *auditor) read(r *parse.Reader) error {
	for e, err := range r.Entries() {
		if err != nil {
			return err
		}
		if d.out.stopped {
			return nil
		}
		d.take(&e)
	}
	return nil
}

// ofDocument are the codes of problems that are about no entry, wherever they stand.
var ofDocument = []sitemap.Code{sitemap.DoubleGzip, sitemap.GzipTrailingJunk,
	sitemap.WrongContentType}

// take audits the values of an entry.
func (d *auditor) take(e *sitemap.Entry) {
	for i := range d.held {
		f := &d.held[i]
		if f.Loc == "" && f.Pos.Offset >= e.Pos.Offset && !slices.Contains(ofDocument, f.Code) {
			f.Loc = sitemap.Redact(e.Loc)
		}
	}
	if e.Pos.Offset == d.start && !d.isJudged {
		d.judgeElements(e.Loc)
	}
	o := d.origins.of(e.Loc)
	rest := ""
	if o != nil {
		rest = e.Loc[len(o.authority):]
	}
	has := classOf(rest)
	if isTemplate := d.locations.add(e, o, rest, has); !isTemplate {
		d.duplicates.add(e, o, rest, has)
	}
	d.lastMods.add(e)
	d.priorities.add(e)
	if d.listed != nil {
		d.listing = *e
		d.listed(&d.listing, o)
	}
	if d.alone && o != nil {
		d.hosts.add(e, o)
		if e.Extensions != nil || d.returns.all {
			d.returns.add(e)
		}
	}
	if d.start < 0 { // the parser reports no elements of this format
		d.flush(math.MaxInt64)
	}
}

// Start implements document.Listener.
func (d *auditor) Start(in *input.Reader) {
	d.in, d.line = in, -1
	in.Sliding = d.keepPlaces
	d.layers = in.Layers()
	d.top = d.place(max(0, d.base()))
	d.top.excerpt = Excerpt{}
	d.head = d.top
	if d.base() <= 0 {
		d.declared = d.checkDeclaration(in.Start()[-d.base():])
	}
	for i := range d.held { // findings from before places were known
		f := &d.held[i]
		p := d.at(f.Pos)
		if f.Pos.Column == 0 { // of the whole document
			p = d.top
		}
		f.Pos, f.Column, f.Excerpt = p.pos, p.column, p.excerpt
	}
}

// Root implements document.Listener.
func (d *auditor) Root(r *xmlscan.Reader) {
	var root entry // not d.entry, since the root is kept
	root.add(r, 0, true)
	d.rootAt = &root.elements[0]
	d.head = d.place(r.Offset())
	for _, a := range d.rootAt.attrs {
		d.returns.all = d.returns.all || namespace.Of(string(a.Value)) == namespace.XHTML
	}
	d.rootNamespace(d.rootAt, string(r.Prefix()))
	d.attributes(d.rootAt)
}

// Entry implements document.Listener.
func (d *auditor) Entry(offset int64, fields []document.Field) {
	d.enter(offset)
	d.fields = append(d.fields, fields...)
}

// enter ends the entry before the one at an offset.
func (d *auditor) enter(offset int64) {
	if offset != d.start {
		d.endEntry()
		d.begin(offset)
	}
}

// Extension implements document.Listener. It takes links, and images without a defect.
func (d *auditor) Extension(entry int64, text []byte, links []sitemap.Alternate, offsets []int64,
	images []sitemap.Image) bool {
	d.enter(entry)
	for i := range links {
		d.extensions.judgeLink(offsets[i], links[i].Hreflang, links[i].Href)
	}
	return len(images) == 0 || d.extensions.judgeQuickImage(text, &images[0])
}

// Element implements document.Listener.
func (d *auditor) Element(r *xmlscan.Reader, depth int) {
	if depth == 0 {
		if n := len(d.elements); n > 0 && d.elements[n-1].offset == r.Offset() {
			d.elements = d.elements[:n-1] // it ends the entry before it
		}
		d.enter(r.Offset())
	}
	d.add(r, depth, r.Space <= namespace.Sitemap || d.rootAt != nil && r.Space == d.rootAt.space)
}

// Text implements document.Listener.
func (d *auditor) Text(text []byte, isRaw bool, depth int) { d.addText(text, isRaw, depth) }

// End implements document.Listener.
func (d *auditor) End() {
	d.endEntry()
	d.begin(-1)
}

// maxHeld is how many findings of an entry are sorted.
const maxHeld = 1_000

// hold keeps a finding until its entry has been read.
func (d *auditor) hold(f Finding) {
	if d.held = append(d.held, f); len(d.held) >= maxHeld {
		d.flush(math.MaxInt64)
	}
}

// flush reports the findings before an offset, in document order. Of an entry with a broken tag,
// these are only that tag and values.
func (d *auditor) flush(to int64) {
	if len(d.held) == 0 {
		return
	}
	byOffset := func(a, b Finding) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) }
	if !slices.IsSortedFunc(d.held, byOffset) {
		slices.SortStableFunc(d.held, byOffset)
	}
	d.merge(-1, d.start)
	d.merge(d.start, to)
	n := 0
	for ; n < len(d.held) && d.held[n].Pos.Offset < to; n++ {
		d.out.found(d.held[n])
	}
	d.held = slices.Delete(d.held, 0, n)
}

// endEntry judges the elements of the entry that was read.
func (d *auditor) endEntry() {
	if d.start < 0 {
		return
	}
	if !d.isJudged { // it was dropped
		d.judgeElements("")
	}
	if d.isJudged = false; len(d.held) > 0 {
		d.flush(d.in.Offset())
	}
}

// judgeElements judges how an entry is written. Loc is its location, or "" if it was dropped.
func (d *auditor) judgeElements(loc string) {
	d.isJudged = true
	d.loc = loc
	d.order()
	for i := range d.elements {
		d.judgeElement(i)
	}
	x := &d.extensions
	if len(x.links) > 0 {
		x.endLinks()
	}
	x.images, x.news = 0, 0
	d.loc = ""
}

// judgeElement judges the element i of the entry. A bad_extension whose defect another rule names
// is withdrawn.
func (d *auditor) judgeElement(i int) {
	e, x := &d.elements[i], &d.extensions
	record := recordOf(e)
	if e.depth == 1 {
		switch kindOf(e) {
		case document.Loc:
			d.oddEnds(e)
		case document.ChangeFrequency:
			d.changeFreqText(e)
		}
	}
	if e.own && (e.depth == 0 || kindOf(e) != 0) { // the others have been reported
		d.attributes(e)
	}
	if e.depth != 1 {
		return
	}
	x.isNamed = false
	x.deprecated(i)
	switch record {
	case namespace.News:
		x.judgeNews(i)
	case namespace.Image:
		x.judgeImage(i)
	case namespace.Video:
		x.judgeVideo(i)
	case namespace.XHTML:
		x.judgeAlternate(e)
	}
	if x.isNamed {
		d.withdraw(sitemap.BadExtension, e.offset, x.next(i))
	}
}

// end judges the document as a whole.
func (d *auditor) end() {
	d.flush(math.MaxInt64)
	d.encoding(d.summary.Encoding, d.declared, d.top)
	d.compression(&d.source, d.layers, d.top)
	d.locations.end()
	d.duplicates.end(d.head)
	d.lastMods.end(d.head)
	d.priorities.end()
	d.returns.end()
	d.endHabits()
	if d.alone {
		d.hosts.end()
	}
}
