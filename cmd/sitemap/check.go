package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

const checkHelp = `Print what is wrong with the sitemaps of sites, with single sitemaps and with files:
each problem with its place, and for each document what it is.

` + targetHelp + `

The severity of a problem is error (an entry or a value was dropped), warning
(something was repaired or assumed) or info. The exit status is 1 if something
could not be read or there was a problem of severity error.

As jsonl, each problem is an object of type "problem": sitemap, code, severity,
line, offset (in the decoded document), field, text, dropped; and each document,
after its problems, one of type "document": sitemap, format, encoding, entries,
problems (their number), skipped (why it was not read), status (of the answer),
failed (true: none of its entries could be read), error (code, message; without
failed, what was read stands). A robots.txt that broke off is one, too: its
entries are the sitemaps that it named before, which stand. What went wrong with
a whole target is one too, with target (its name). What is absent is left out.

` + failureHelp

const checkExample = `  sitemap check example.com
  sitemap check --format jsonl sitemap.xml
  sitemap check --base https://example.com/sitemap.txt --content-type 'text/plain; charset=koi8-r' sitemap.txt`

func (a *app) checkCommand() *cobra.Command {
	flags := &walkFlags{}
	docs := &documentFlags{}
	cmd := &cobra.Command{
		Use:     "check [flags] TARGET...",
		Short:   "Print what is wrong with sitemaps",
		Long:    checkHelp,
		Example: checkExample,
		Args:    atLeastOne("TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var p checkPrinter = checkText{}
			if flags.format == "jsonl" {
				p = checkJSON{}
			}
			return a.walkAndPrint(cmd, args, flags, docs, func(w *walker, out *output) handler {
				return &checkHandler{app: a, out: out, printer: p}
			})
		},
	}
	flags.add(cmd.Flags(), "text or jsonl")
	docs.add(cmd.Flags())
	return cmd
}

// walkAndPrint walks for a command whose handler prints text or jsonl to an output.
func (a *app) walkAndPrint(cmd *cobra.Command, args []string, flags *walkFlags, docs *documentFlags, handle func(*walker, *output) handler) error {
	targets, err := parseTargets(args, flags.from, flags.as)
	if err := usageOf(cmd, flags.textOrJSONL(), err); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, docs)
	if err != nil {
		return err
	}
	out, err := a.create(flags.out)
	if err != nil {
		return err
	}
	w.handler = handle(w, out)
	return a.finishOutput(out, w.run(cmd.Context(), targets, out))
}

// A checkHandler prints problems and documents.
type checkHandler struct {
	app     *app
	out     *output
	printer checkPrinter
	line    []byte
	name    string // of current
	current *discover.Sitemap
}

// A checkPrinter appends lines to b.
type checkPrinter interface {
	problem(b []byte, name string, p *sitemap.Problem) []byte
	document(b []byte, name string, d *checkedDocument) []byte
}

// A checkedDocument is what is said of a document.
type checkedDocument struct {
	format, encoding string
	entries          int64
	problems         int
	skipped          string
	status           int
	target           bool // no document: what went wrong with a whole target
	err              error
}

// failed reports whether nothing was read: it could not even be told what the document is.
func (d *checkedDocument) failed() bool {
	return d.err != nil && d.format == "" && d.entries == 0 && !errors.Is(d.err, discover.ErrLimit)
}

func (h *checkHandler) begin(target)       {}
func (h *checkHandler) end(target)         {}
func (h *checkHandler) page(*record) error { return nil }

// nameOf returns what a document is called in what is printed.
func (h *checkHandler) nameOf(s *discover.Sitemap) string {
	if s != h.current {
		h.current, h.name = s, redact(s.Loc)
	}
	return h.name
}

func (h *checkHandler) problem(s *discover.Sitemap, p sitemap.Problem) {
	if p.Severity() == sitemap.Error {
		h.app.failed = true
	}
	h.line = h.printer.problem(h.line[:0], h.nameOf(s), &p)
	h.out.Write(h.line)
}

func (h *checkHandler) document(s *discover.Sitemap, sum *discover.Summary) {
	d := &checkedDocument{
		format:   sum.Format.String(),
		encoding: sum.Encoding,
		entries:  sum.Entries,
		problems: problemCount(sum),
		skipped:  skipped(sum),
		status:   sum.Status,
		err:      sum.Err,
	}
	h.print(h.nameOf(s), d)
}

// failure prints what could not be read of a whole target.
func (h *checkHandler) failure(t target, err error) {
	h.print(t.label(), &checkedDocument{target: true, err: err})
}

func (h *checkHandler) print(name string, d *checkedDocument) {
	h.line = h.printer.document(h.line[:0], name, d)
	h.out.Write(h.line)
}

type checkText struct{}

func (checkText) problem(b []byte, name string, p *sitemap.Problem) []byte {
	return append(append(b, problemText(name, *p)...), '\n')
}

// problemText returns a problem as a line: where, how bad, what, and the text it
// is about.
func problemText(name string, p sitemap.Problem) string {
	s := printable(name)
	if p.Pos.Line > 0 {
		s += ":" + strconv.Itoa(p.Pos.Line)
	}
	s += ": " + p.Severity().String() + ": " + p.Code.String()
	if p.Field != "" {
		s += " in " + p.Field
	}
	if p.Text != "" {
		s += ": " + quote(p.Text)
	}
	if p.Dropped {
		s += " (dropped)"
	}
	return s
}

func (checkText) document(b []byte, name string, d *checkedDocument) []byte {
	b = append(append(b, printable(name)...), ": "...)
	switch {
	case d.skipped != "":
		b = append(append(append(b, "left out ("...), d.skipped...), ')')
	case d.format != "":
		b = fmt.Appendf(b, "%s, %s, %s, %s", d.format, d.encoding, plural(d.entries, listed(d.format)), plural(d.problems, "problem"))
	case d.err == nil:
		b = append(b, plural(d.problems, "problem")...)
	}
	if d.err != nil {
		if d.format != "" || d.skipped != "" {
			b = append(b, "; "...)
		}
		b = fmt.Appendf(b, "%s: %s", failureCode(d.err), printable(failureTextOf(name, d.err)))
	}
	return append(b, '\n')
}

// listed returns what a document of a format lists.
func listed(format string) string {
	if format == sitemap.SitemapIndex.String() {
		return "sitemap"
	}
	return "URL"
}

type checkJSON struct{}

func (checkJSON) problem(b []byte, name string, p *sitemap.Problem) []byte {
	b = appendField(append(b, `{"type":"problem"`...), "sitemap", name)
	b = appendField(b, "code", p.Code.String())
	b = appendField(b, "severity", p.Severity().String())
	b = strconv.AppendInt(append(b, `,"line":`...), int64(p.Pos.Line), 10)
	b = strconv.AppendInt(append(b, `,"offset":`...), p.Pos.Offset, 10)
	b = appendIf(b, "field", p.Field)
	b = appendIf(b, "text", p.Text)
	b = strconv.AppendBool(append(b, `,"dropped":`...), p.Dropped)
	return append(b, "}\n"...)
}

func (checkJSON) document(b []byte, name string, d *checkedDocument) []byte {
	b = appendField(append(b, `{"type":"document"`...), "sitemap", name)
	b = appendIf(b, "format", d.format)
	b = appendIf(b, "encoding", d.encoding)
	b = strconv.AppendInt(append(b, `,"entries":`...), d.entries, 10)
	b = strconv.AppendInt(append(b, `,"problems":`...), int64(d.problems), 10)
	b = appendIf(b, "skipped", d.skipped)
	if d.target {
		b = appendField(b, "target", name)
	}
	if d.status != 0 {
		b = strconv.AppendInt(append(b, `,"status":`...), int64(d.status), 10)
	}
	if d.failed() {
		b = append(b, `,"failed":true`...)
	}
	b = appendError(b, name, d.err)
	return append(b, "}\n"...)
}

// appendError appends the field of an error, if there is one.
func appendError(b []byte, name string, err error) []byte {
	if err == nil {
		return b
	}
	b = appendString(append(b, `,"error":{"code":`...), failureCode(err))
	b = appendField(b, "message", failureTextOf(name, err))
	return append(b, '}')
}

// appendIf appends a field that is left out where it is absent.
func appendIf(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return appendField(b, name, value)
}
