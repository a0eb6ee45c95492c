package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
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
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&flags.failed, "failed", false, "print the targets that failed, with their causes")
	})
	flags.format.AddFormat(cmd, "text, csv or jsonl")
	return cmd
}

// find returns the folder and the runs that the command line names.
func (s *statusFlags) find(
	ctx context.Context, cmd *cobra.Command, args []string,
) (*folder, []string, error) {
	isNamed := cmd.Flags().Changed("run")
	if len(args) > 0 {
		s.out = args[0]
		dir, run, err := splitRun(s.out)
		if f, openErr := openFolder(dir); err == nil && openErr == nil && !isNamed && f.hasRun(ctx, run) {
			s.out, s.run, isNamed = dir, run, true
		}
	}
	f, err := openFolder(s.out)
	if err != nil {
		return nil, nil, err
	}
	runs := []string{s.run}
	if !isNamed && s.queue == "" {
		runs, err = f.Runs()
	}
	if err == nil && (len(runs) == 0 || !f.hasRun(ctx, runs[0])) {
		name := s.out
		if isNamed {
			name = filepath.Join(name, s.run)
		}
		err = errNoParts(name)
	}
	return f, runs, err
}

// status prints how far the runs in a folder are, or what has failed in them.
func status(a *cli.App, cmd *cobra.Command, args []string, flags *statusFlags) error {
	named := flags.placeFlags
	if len(args) > 0 {
		named.out = args[0]
	}
	var argErr error
	switch {
	case len(args) > 1 || len(args) == 1 && flags.out != "":
		argErr = errors.New("want one OUT, OUT/RUN or -o OUT")
	case flags.failed && flags.queue != "":
		argErr = errors.New("--failed: the parts say what has failed, not the queue")
	}
	err := cli.UsageOf(cmd, argErr, named.check(), flags.format.CheckFormat())
	if err != nil {
		return err
	}
	f, runs, err := flags.find(cmd.Context(), cmd, args)
	if err != nil {
		return err
	}
	out, err := output.Create(a, "")
	if err != nil {
		return err
	}
	if flags.failed {
		l := &failureList{app: a, store: f, out: out, format: flags.format.Format}
		return out.Finish(l.print(cmd.Context(), runs))
	}
	if flags.format.Format == "csv" {
		out.Begin(summaryHeader)
	}
	for _, run := range runs {
		var s *summary
		if s, err = summarize(cmd.Context(), a, f, run); err == nil && flags.queue != "" {
			err = s.ask(cmd.Context(), &flags.serverFlags)
		}
		if err != nil {
			break
		}
		switch flags.format.Format {
		case "jsonl":
			out.Write(append(jsonl.Marshal(s), '\n'))
		case "csv":
			out.Write(s.row())
		default:
			s.print(out)
		}
	}
	return out.Finish(err)
}

// ask takes from the queue how many domains wait and are with workers. A frontier does not say that.
func (s *summary) ask(ctx context.Context, flags *serverFlags) error {
	if !isNATS(flags.queue) {
		return nil
	}
	nc, err := connectNATS(flags)
	if err != nil {
		return err
	}
	defer nc.Close()
	waiting, leased, err := jetstream.Left(ctx, nc, s.Run, nil)
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	s.Waiting, s.Leased = &waiting, &leased
	return nil
}
