package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// openList opens a list of targets.
func openList(a *cli.App, list string) (io.ReadCloser, error) {
	in, err := a.Open(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", cli.FileName(list), jsonl.Message("", err))
	}
	return in, nil
}

// A plan puts the tasks of a list that have no part into a queue.
type plan struct {
	*openRun
	list   string
	in     io.ReadCloser
	failed map[string]bool // domains that are put although they have a part, or nil
	isNew  bool            // the run has no parts yet: planning need not look for any

	put, known, done int64 // domains
	targets          int64 // of the shard
}

// run reads the list.
func (p *plan) run(ctx context.Context) (err error) {
	p.record.Started, p.record.Targets, p.record.BadLines, p.record.Bad = thisSecond(), 0, 0, nil
	if err := p.record.save(ctx, p.store, p.flags.run); err != nil {
		return err
	}
	p.isNew = !hasPart(ctx, p.store, p.flags.run)
	if p.flags.retry {
		if p.failed, err = p.failedDomains(ctx); err != nil {
			return err
		}
	}
	if p.queue.begin != nil {
		if err := p.queue.begin(ctx); err != nil {
			return err
		}
	}
	targets := int64(0)
	for task, err := range batch.Plan(p.in, p.flags.run) {
		if line := (*batch.LineError)(nil); errors.As(err, &line) {
			p.record.add(line)
			p.metrics.bad.Inc()
			p.app.Log.Printf("%s, %v", cli.FileName(p.list), line)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %s", cli.FileName(p.list), jsonl.Message("", err))
		}
		targets += int64(len(task.Targets))
		if !p.flags.shard.has(task.Domain) {
			continue
		}
		if err := p.add(ctx, task); err != nil {
			return err
		}
	}
	p.record.Targets = targets
	if err := p.record.save(ctx, p.store, p.flags.run); err != nil {
		return err
	}
	return p.queue.End(ctx)
}

// add puts a task into the queue, unless it is done.
func (p *plan) add(ctx context.Context, task batch.Task) error {
	p.targets += int64(len(task.Targets))
	done := false
	var err error
	if !p.isNew && !p.failed[task.Domain] {
		done, err = batch.IsDone(ctx, p.store, task)
	}
	if err != nil {
		return err
	}
	if done {
		p.done++
		p.progress.Sites.Add(int64(len(task.Targets)))
		return nil
	}
	added, err := p.queue.Put(ctx, task)
	if added {
		p.put++
		p.metrics.put.Inc()
	} else {
		p.known++
	}
	return err
}

// failedDomains returns the domains that have a part with failures.
func (p *plan) failedDomains(ctx context.Context) (map[string]bool, error) {
	failed := map[string]bool{}
	for part, err := range p.store.Parts(ctx, p.flags.run) {
		if err != nil && !errors.Is(err, batch.ErrDamaged) {
			return nil, err
		}
		if err == nil && part.Counts.Failed > 0 {
			failed[domainOf(part)] = true
		}
	}
	return failed, nil
}

// domainOf returns the domain of a part, which may be one of its lots.
func domainOf(part batch.Stored) string {
	domain, _, _ := strings.Cut(part.Domain, "~")
	return domain
}

// isOver reports whether nothing of the run was left.
func (p *plan) isOver() bool { return p.put == 0 && p.known == 0 }

// report says that the run is over, and how to begin the next, or what a plan alone has done.
func (p *plan) report() {
	switch {
	case p.isOver():
		name := "run " + p.flags.run
		if p.flags.shard.n > 0 {
			name = "shard " + p.flags.shard.String() + " of " + name
		}
		p.app.Log.Printf("%s is over: %s done; begin the next one with --run NAME", name,
			cli.Plural(p.targets, "site"))
	case !p.flags.works:
		p.app.Log.Printf("%s put, %s in the queue before, %s done before",
			cli.Plural(p.put, "domain"), cli.Thousands(p.known), cli.Thousands(p.done))
	}
}
