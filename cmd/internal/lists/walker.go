package lists

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/progress"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A Handler prints what the visit of one target meets. A file is a document whose Sitemap has only
// a Loc, its name. Functions that are nil are not called.
type Handler struct {
	Page     func(r *batch.URL) error                         // with each URL taken; do not keep r
	Document func(s *discover.Sitemap, sum *discover.Summary) // when a document has ended
	Failure  func(err error)                                  // of the target as a whole
	End      func()
	Walk     func(ctx context.Context) error // walks the target otherwise
}

// A Walker walks the targets of a command, several at once.
type Walker struct {
	App      *cli.App
	Flags    *Flags
	File     sitemap.Options // of files; Report is set for each
	Entries  bool            // print all entries of files, also the sitemaps that they list
	Client   *discover.Client
	Options  discover.Options
	Selector *Selector
	Handle   func(v *Visit) Handler
	Progress progress.Counter
	ended    func() error // returns why the run has ended
	Problems cli.Tally
	failed   sync.Map // the targets in the file of --failed
	Out      *output.Writer
	Header   string                    // of the output, unless there is a Printer
	Printer  output.Printer[batch.URL] // or nil
	Journal  *journal                  // nil without --state

	documents output.Printer[batch.Document] // the table of --documents, nil without it
	failures  *batch.InOrder                 // the file of --failed, nil without it
	// Read prints lines that visits side by side have written, in the order of the list. If it is
	// nil, the lines are printed as they are.
	Read  func(r io.Reader) error
	lines *bufio.Reader // that Read reads
	rest  []byte        // the beginning of a line
}

// NewWalker returns the walker that the flags describe.
func NewWalker(
	a *cli.App, cmd *cobra.Command, flags *Flags, docs *cli.DocumentFlags,
) (*Walker, error) {
	selector := &Selector{max: flags.MaxURLs, normalize: flags.Normalize}
	w := &Walker{App: a, Flags: flags, Selector: selector}
	var errs [4]error
	w.Client, w.Options, errs[0] = flags.Walk(a, 0)
	w.File, errs[1] = docs.Options(flags.Limit)
	w.Selector.matches, errs[2] = flags.Matcher()
	w.documents, errs[3] = flags.documentTable()
	if flags.Unique {
		w.Selector.seen, w.Selector.room = map[uint64]bool{}, cli.MaxUnique
		w.Selector.full = func() {
			a.Log.Printf("--unique: more than %s URLs; further ones may be printed again",
				cli.Thousands(cli.MaxUnique))
		}
	}
	return w, cli.UsageOf(cmd, flags.check(), cmp.Or(errs[:]...))
}

// OneByOne reports whether no two visits are under way at once, so that they may print directly.
func (w *Walker) OneByOne() bool { return !w.Progress.IsList || w.Flags.Parallel == 1 }

// inOrder returns a sink that writes to to in the order of the list.
func (w *Walker) inOrder(to io.Writer) *batch.InOrder {
	return batch.NewInOrder(to, func() {
		w.App.Log.Printf("too much waits for earlier targets: what follows is not in the order " +
			"of the list")
	})
}

// A Visit is the walk of one target. With --state, what it prints of a document stays together.
type Visit struct {
	*Walker
	Target  target.Target
	Options discover.Options
	handler Handler
	Record  batch.URL
	from    *discover.Sitemap // the document of the record
	printed string            // the location of a printed document that may be read again
	cause   *jsonl.Error      // why something could not be read, the first time
	broken  error             // why the walk was stopped: something could not be written
	stop    func()            // ends the walk

	to, failures io.Writer // failures is nil without --failed

	lines []byte // that were not written yet
	holds bool   // the journal's output
	taken taken  // that the journal has not noted
}

// Lines are written a chunk at a time. With --state, those of a document are one, unless they are
// many: then other visits wait for its end.
const (
	chunk        = 32 << 10
	journalChunk = 1 << 20
)
