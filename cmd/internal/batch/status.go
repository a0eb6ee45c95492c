package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
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
	cmd := cli.Command("status [flags] OUT[/RUN]", nil,
		func(cmd *cobra.Command, args []string) error { return status(a, cmd, args, flags) })
	flags.placeFlags.add(cmd)
	f := cmd.Flags()
	run, queue := f.Lookup("run"), f.Lookup("queue")
	run.Usage, run.DefValue = "only the run `NAME` (default: all, or with --queue 1)", ""
	queue.Usage = "ask NATS at `URL`, nats://HOST:PORT, how many domains of the run wait and how " +
		"many are with workers"
	f.BoolVar(&flags.failed, "failed", false, "print the targets that failed, with their causes")
	flags.format.AddFormat(cmd, "text, csv or jsonl")
	return cmd
}

// find returns the store and the runs that the command line names, as OUT or OUT/RUN.
func (s *statusFlags) find(ctx context.Context, cmd *cobra.Command) (*store, []string, error) {
	isNamed := cmd.Flags().Changed("run")
	st, err := openStore(ctx, cmd, s.out)
	if err != nil {
		return nil, nil, err
	}
	runs := []string{s.run}
	if !isNamed && s.queue == "" {
		runs, err = st.runs(ctx)
	}
	isRun := func(run string) bool { return hasRun(ctx, st, run) }
	if err != nil || slices.ContainsFunc(runs, isRun) {
		return st, runs, err
	}
	if isNamed {
		return nil, nil, errNoParts(s.out + "/" + s.run)
	}
	if _, _, err := splitRun(s.out); err != nil {
		return nil, nil, errNoParts(s.out)
	}
	st, run, _, err := findRun(ctx, cmd, s.out)
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
	st, runs, err := flags.find(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	out := output.New(a)
	if flags.failed {
		p, err := flags.failurePrinter()
		if err != nil {
			return out.Finish(err)
		}
		p.Begin(out)
		return out.Finish(cmp.Or(printFailures(cmd.Context(), a, st, runs, p), p.End()))
	}
	var queueErr error // the parts are counted all the same
	for _, run := range runs {
		s, err := summarize(cmd.Context(), a, st, run)
		if err != nil {
			return out.Finish(err)
		}
		if flags.queue != "" {
			queueErr = cmp.Or(queueErr, s.ask(cmd.Context(), &flags.serverFlags))
		}
		if flags.format.Format == "jsonl" {
			out.Write(append(jsonl.Marshal(s), '\n'))
		} else {
			s.print(out)
		}
	}
	return out.Finish(queueErr)
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
	waiting, leased, err := natsqueue.Left(ctx, nc, s.Run, &natsqueue.Options{Patience: reachTime})
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("NATS does not answer")
	}
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	s.Waiting, s.Leased = &waiting, &leased
	return nil
}

// A failure is a target, or a sitemap of one, that could not be read, or not to its end.
type failure struct {
	Run     string `parquet:"run"`
	Target  string `parquet:"target"`
	Sitemap string `parquet:"sitemap,optional"`
	Code    string `parquet:"code"`
	Message string `parquet:"message"`
}

// failurePrinter returns the printer of failures in the format of the flags.
func (s *statusFlags) failurePrinter() (output.Printer[failure], error) {
	if s.format.Format != "text" {
		rows := func(rows []failure, f *failure) []failure { return append(rows, *f) }
		return output.NewTable(&s.format, rows)
	}
	return &output.Lines[failure]{Append: func(b []byte, f *failure) []byte {
		name := strings.TrimSuffix(f.Target+" "+f.Sitemap, " ")
		hint := ""
		if f.Sitemap == "" || f.Sitemap == f.Target {
			hint = cli.PrivateHintOf(f.Message)
		}
		return fmt.Appendf(b, "%s: %s: %s%s\n", cli.Harmless(name, ""), f.Code,
			cli.Harmless(f.Message, ""), hint)
	}}, nil
}

// printFailures prints the failures of runs.
func printFailures(
	ctx context.Context, a *cli.App, st *store, runs []string, p output.Printer[failure],
) error {
	hasFailed := func(part batch.Stored) bool { return part.Counts.Failed > 0 }
	for _, run := range runs {
		for line, err := range linesOf(ctx, st, run, hasFailed) {
			f, cause := failure{Run: run}, (*batch.Error)(nil)
			switch {
			case errors.Is(err, batch.ErrDamaged):
				a.Log.Printf("%v", err)
			case err != nil:
				return err
			case line.Target != nil:
				f.Target, cause = line.Target.Target, line.Target.Error
			case line.Document != nil:
				f.Target, f.Sitemap = line.Document.Target, line.Document.Sitemap
				cause = line.Document.Error
			}
			if cause == nil {
				continue
			}
			f.Code, f.Message = string(cause.Code), cause.Message
			if err := p.Print(&f); err != nil {
				return err
			}
		}
	}
	return nil
}

// A summary describes the progress of a run, by the counts of its parts.
type summary struct {
	Run   string    `json:"run"`
	Mode  string    `json:"mode,omitempty"`
	Begun time.Time `json:"begun,omitzero"`
	Sites int64     `json:"sites,omitempty"` // of the list, 0 until it has been read
	Done  int64     `json:"done"`            // of these

	Domains  int64                  `json:"domains"`
	Failed   int64                  `json:"failed"` // domains with something unread
	Causes   map[sitemap.Code]int64 `json:"causes,omitempty"`
	Damaged  int64                  `json:"damaged,omitempty"` // parts
	BadLines int64                  `json:"bad_lines,omitempty"`
	Bad      []badLine              `json:"bad,omitempty"`
	Counts   batch.Counts           `json:"counts"`

	// Waiting and Leased are domains in the queue, if one was named.
	Waiting *int `json:"waiting,omitempty"`
	Leased  *int `json:"leased,omitempty"`

	Rate float64 `json:"rate,omitempty"`         // sites a second since the last start
	Left float64 `json:"seconds_left,omitempty"` // 0 if unknown or finished
}

// summarize counts the parts of a run. It reports those that are damaged.
func summarize(ctx context.Context, a *cli.App, st *store, run string) (*summary, error) {
	rec, err := readRecord(ctx, st, run)
	if err != nil {
		return nil, err
	}
	s := &summary{
		Run: run, Begun: rec.Begun, Sites: rec.Targets, BadLines: rec.BadLines, Bad: rec.Bad,
		Causes: map[sitemap.Code]int64{},
	}
	if !rec.Begun.IsZero() {
		s.Mode = rec.mode.String()
	}
	recent, lots := int64(0), map[string]bool{} // domains with lots that failed
	for part, err := range st.Parts(ctx, run) {
		if errors.Is(err, fs.ErrNotExist) { // an empty folder
			break
		}
		if errors.Is(err, batch.ErrDamaged) {
			s.Damaged++
			a.Log.Printf("%v: it will be made again", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		s.add(part, lots)
		if !part.Time.Before(rec.Started) {
			recent += part.Counts.Targets
		}
	}
	s.Done = s.Counts.Targets
	if s.Sites > 0 {
		s.Done = min(s.Done, s.Sites)
	}
	elapsed := time.Since(rec.Started).Seconds()
	if left := s.Sites - s.Done; left > 0 && recent > 0 && elapsed > 0 {
		s.Rate = float64(recent) / elapsed
		s.Left = math.Ceil(float64(left) / s.Rate)
	}
	return s, nil
}

// add counts a part. A domain with several lots that failed counts once, by the first cause.
func (s *summary) add(part batch.Stored, lots map[string]bool) {
	c := part.Counts
	s.Counts.Add(c)
	s.Counts.Cause = "" // see Causes
	domain, _, isLot := strings.Cut(part.Domain, "~")
	if !isLot {
		s.Domains++
	}
	if c.Failed == 0 || isLot && lots[domain] {
		return
	}
	if isLot {
		lots[domain] = true
	}
	s.Failed++
	s.Causes[c.Cause]++
}

// print prints the summary as text.
func (s *summary) print(w io.Writer) {
	fmt.Fprint(w, "run "+s.Run)
	if s.Mode != "" {
		fmt.Fprintf(w, " (%s), begun %s", s.Mode, s.Begun.Format(time.RFC3339))
	}
	sites := cli.Plural(s.Done, "site")
	if s.Sites > 0 {
		sites = cli.Thousands(s.Done) + " of " + cli.Plural(s.Sites, "site")
	}
	fmt.Fprintf(w, ": %s done, %s in %s\n", sites, cli.Plural(s.Counts.URLs, "URL"),
		cli.Plural(s.Counts.Documents, "sitemap"))
	if c := s.Counts; c.Errors+c.Warnings+c.Infos > 0 {
		fmt.Fprintf(w, "found %s, %s, %s\n", cli.Plural(c.Errors, "error"),
			cli.Plural(c.Warnings, "warning"), cli.Plural(c.Infos, "info"))
	}
	if n := s.Counts.Untrusted; n > 0 {
		fmt.Fprintln(w, cli.LeftOut(n))
	}
	s.printCauses(w)
	if s.Waiting != nil {
		fmt.Fprintf(w, "%s in the queue, %s with workers\n",
			cli.Plural(int64(*s.Waiting), "domain"), cli.Thousands(int64(*s.Leased)))
	}
	if s.Left > 0 {
		left := time.Duration(min(s.Left, math.MaxInt32)) * time.Second
		fmt.Fprintf(w, "%.1f sites/s, %s left\n", s.Rate, cli.About(left))
	}
}

func (s *summary) printCauses(w io.Writer) {
	fmt.Fprintf(w, "%s of %s failed, in whole or in part\n", cli.Thousands(s.Failed),
		cli.Plural(s.Domains, "domain"))
	causes := slices.SortedFunc(maps.Keys(s.Causes), func(a, b sitemap.Code) int {
		return cmp.Or(cmp.Compare(s.Causes[b], s.Causes[a]), cmp.Compare(a, b))
	})
	for _, cause := range causes {
		fmt.Fprintf(w, "%9s  %s\n", cli.Thousands(s.Causes[cause]), cause)
	}
	if s.Damaged > 0 {
		fmt.Fprintf(w, "%s damaged\n", cli.Plural(s.Damaged, "part"))
	}
	if s.BadLines == 0 {
		return
	}
	fmt.Fprintf(w, "%s in the list\n", cli.Plural(s.BadLines, "bad line"))
	for _, b := range s.Bad {
		fmt.Fprintf(w, "     line %d: %s\n", b.Line, cli.Harmless(b.Error, ""))
	}
}
