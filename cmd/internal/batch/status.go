package batch

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// statusFlags are the flags of batch status.
type statusFlags struct {
	placeFlags
	format cli.PrintFlags
	failed bool
}

func statusCommand(a *cli.App) *cobra.Command {
	flags := &statusFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "status [flags] OUT[/RUN]",
		RunE: func(cmd *cobra.Command, args []string) error { return status(a, cmd, args, flags) },
	})
	flags.placeFlags.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.failed, "failed", false, "print the targets that failed, with their causes")
	cli.Group(cmd, "Output")
	flags.format.AddFormat(cmd, "text, csv or jsonl")
	return cmd
}

// find returns the store and the runs that the command line names. An argument may be OUT or
// OUT/RUN.
func (s *statusFlags) find(
	ctx context.Context, cmd *cobra.Command, args []string,
) (store, []string, error) {
	isNamed := cmd.Flags().Changed("run")
	st, err := openStore(ctx, s.out)
	if err != nil {
		return nil, nil, err
	}
	runs := []string{s.run}
	if !isNamed && s.queue == "" {
		runs, err = st.Runs(ctx)
	}
	if err != nil || len(runs) > 0 && hasRun(ctx, st, runs[0]) {
		return st, runs, err
	}
	out, run, err := splitRun(s.out)
	switch {
	case isNamed:
		return nil, nil, errNoParts(s.out + "/" + s.run)
	case err != nil || len(args) == 0:
		return nil, nil, errNoParts(s.out)
	}
	if st, err = openStore(ctx, out); err == nil && !hasRun(ctx, st, run) {
		err = errNoParts(s.out)
	}
	return st, []string{run}, err
}

// status prints the progress of the runs in a folder, or their failures.
func status(a *cli.App, cmd *cobra.Command, args []string, flags *statusFlags) error {
	var argErr error
	switch {
	case len(args) > 1 || len(args) == 1 && flags.out != "":
		argErr = errors.New("want one OUT, OUT/RUN or -o OUT")
	case flags.format.Format == "csv" && !flags.failed:
		argErr = errors.New("--format csv: only with --failed; use text or jsonl")
	case flags.failed && flags.queue != "":
		argErr = errors.New("want --failed or --queue, not both: failures are in the parts")
	}
	if len(args) > 0 {
		flags.out = args[0]
	}
	err := cli.UsageOf(cmd, argErr, flags.placeFlags.check())
	if err != nil {
		return err
	}
	st, runs, err := flags.find(cmd.Context(), cmd, args)
	if err != nil {
		return err
	}
	out, err := output.Create(a, "")
	if err != nil {
		return err
	}
	if flags.failed {
		l := &failureList{app: a, store: st, out: out, format: flags.format.Format}
		return out.Finish(l.print(cmd.Context(), runs))
	}
	for _, run := range runs {
		var s *summary
		if s, err = summarize(cmd.Context(), a, st, run); err == nil && flags.queue != "" {
			err = s.ask(cmd.Context(), &flags.serverFlags)
		}
		if err != nil {
			break
		}
		if flags.format.Format == "jsonl" {
			out.Write(append(jsonl.Marshal(s), '\n'))
		} else {
			s.print(out)
		}
	}
	return out.Finish(err)
}

// ask asks the queue how many domains wait and how many are leased. A frontier does not know.
func (s *summary) ask(ctx context.Context, flags *serverFlags) error {
	if !isNATS(flags.queue) {
		return nil
	}
	nc, err := connectNATS(flags)
	if err != nil {
		return err
	}
	defer nc.Close()
	waiting, leased, err := natsqueue.Left(ctx, nc, s.Run, nil)
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	s.Waiting, s.Leased = &waiting, &leased
	return nil
}

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
