package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

func (a *app) checkCommand() *cobra.Command {
	flags := &walkFlags{}
	docs := &documentFlags{}
	cmd := document(&cobra.Command{
		Use: "check [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.printLines(cmd, args, flags, docs, func(w *walker) { w.handler = a.checker(w) })
		},
	})
	flags.add(cmd, "text or jsonl")
	docs.add(cmd)
	return cmd
}

// A problemLine is a problem as "check --format jsonl" prints it.
type problemLine struct {
	Type     string           `json:"type"`
	Sitemap  string           `json:"sitemap"`
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	Line     int              `json:"line"`
	Offset   int64            `json:"offset"` // in the decoded document
	Field    string           `json:"field,omitempty"`
	Text     string           `json:"text,omitempty"`
	Dropped  bool             `json:"dropped"`
}

// A documentLine is a document as "check --format jsonl" prints it.
type documentLine struct {
	Type     string     `json:"type"`
	Sitemap  string     `json:"sitemap"`
	Format   string     `json:"format,omitempty"`
	Encoding string     `json:"encoding,omitempty"`
	Entries  int64      `json:"entries"`
	Problems int        `json:"problems"`
	Skipped  string     `json:"skipped,omitempty"`
	Target   string     `json:"target,omitempty"` // a target that could not be walked
	Status   int        `json:"status,omitempty"`
	Failed   bool       `json:"failed,omitempty"` // nothing of it could be read
	Error    *lineError `json:"error,omitempty"`
}

// checker returns the handler that prints problems and documents.
func (a *app) checker(w *walker) handler {
	lines := w.flags.format == "jsonl"
	print := func(name, target string, sum *discover.Summary) {
		d := &documentLine{
			Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
			Entries: sum.Entries, Problems: problemCount(sum), Skipped: skipped(sum), Target: target,
			Status: sum.Status, Error: errorOf(name, sum.Err),
		}
		d.Failed = sum.Err != nil && d.Format == "" && d.Entries == 0 &&
			!errors.Is(sum.Err, discover.ErrLimit)
		if lines {
			w.out.Write(append(marshal(d), '\n'))
		} else {
			fmt.Fprintf(w.out, "%s: %s\n", printable(name), printable(d.text(sum)))
		}
	}
	return handler{
		problem: func(s *discover.Sitemap, p sitemap.Problem) {
			if p.Severity() == sitemap.SeverityError {
				a.failed = true
			}
			name := redact(s.Loc)
			if !lines {
				w.out.WriteString(problemText(name, p) + "\n")
				return
			}
			w.out.Write(append(marshal(problemLine{
				"problem", name, p.Code, p.Severity(), p.Pos.Line, p.Pos.Offset,
				p.Field, p.Text, p.Dropped,
			}), '\n'))
		},
		document: func(s *discover.Sitemap, sum *discover.Summary) { print(redact(s.Loc), "", sum) },
		failure:  func(t target, err error) { print(t.label(), t.label(), &discover.Summary{Err: err}) },
	}
}

// text returns the line of a document, after its name.
func (d *documentLine) text(sum *discover.Summary) string {
	var parts []string
	switch {
	case d.Skipped != "":
		parts = append(parts, "left out ("+d.Skipped+")")
	case d.Format != "":
		parts = append(parts, strings.Join([]string{
			d.Format, d.Encoding, listed(sum), plural(d.Problems, "problem"),
		}, ", "))
	case d.Error == nil:
		parts = append(parts, plural(d.Problems, "problem"))
	}
	if d.Error != nil {
		parts = append(parts, d.Error.Code+": "+d.Error.Message)
	}
	return strings.Join(parts, "; ")
}
