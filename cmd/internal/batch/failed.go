package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A failure is a target, or a sitemap of one, that could not be read, or not to its end.
type failure struct {
	Run     string `json:"run"`
	Target  string `json:"target"`
	Sitemap string `json:"sitemap,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A failureList prints the failures of runs.
type failureList struct {
	app    *cli.App
	store  store
	out    *output.Writer
	format string
}

func (l *failureList) print(ctx context.Context, runs []string) error {
	if l.format == "csv" {
		l.out.Begin("run,target,sitemap,code,message\n")
	}
	for _, run := range runs {
		for part, err := range l.store.Parts(ctx, run) {
			if err == nil && part.Counts.Failed > 0 {
				err = l.part(ctx, part)
			}
			if errors.Is(err, batch.ErrDamaged) {
				l.app.Log.Printf("%v", err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// part prints the failures of a part.
func (l *failureList) part(ctx context.Context, part batch.Stored) error {
	for line, err := range batch.ReadPart(ctx, l.store, part) {
		switch {
		case err != nil:
			return err
		case line.Target != nil:
			err = l.failure(part.Run, line.Target.Target, "", line.Target.Error)
		case line.Document != nil:
			err = l.failure(part.Run, line.Document.Target, line.Document.Sitemap,
				line.Document.Error)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// failure prints a failure, unless e is nil.
func (l *failureList) failure(run, target, sitemap string, e *batch.Error) (err error) {
	if e == nil {
		return nil
	}
	switch l.format {
	case "jsonl":
		line := jsonl.Marshal(failure{run, target, sitemap, string(e.Code), e.Message})
		_, err = l.out.Write(append(line, '\n'))
	case "csv":
		row := output.AppendRow(nil, false, run, target, sitemap, string(e.Code), e.Message)
		_, err = l.out.Write(row)
	default:
		name := target
		if sitemap != "" {
			name += " " + sitemap
		}
		_, err = fmt.Fprintf(l.out, "%s: %s: %s\n", cli.Harmless(name, ""), e.Code,
			cli.Harmless(e.Message, ""))
	}
	return err
}
