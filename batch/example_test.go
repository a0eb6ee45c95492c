package batch_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
)

// A list is walked and its parts are read.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "out-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := strings.NewReader("a.example\nwww.a.example\nnone.example\n")
	queue := batch.NewMemoryQueue(1_000)
	client := (&web{lastMod: "2024-05-06"}).client() // of a web for tests
	w := &batch.Worker{Client: client, Queue: queue, States: folder, Sink: folder}
	go func() {
		defer queue.End(ctx)
		for task, err := range batch.Plan(list, "2026-11-23") {
			if err != nil {
				fmt.Println(err) // a line that is not a target
				continue
			}
			if done, err := w.IsDone(ctx, task); done || err != nil {
				continue
			}
			queue.Put(ctx, task)
		}
	}()
	if err := w.Run(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for part, err := range folder.Parts(ctx, "2026-11-23") {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(part.Domain, part.Counts.URLs, part.Counts.Cause)
	}
	// Unordered output:
	// a.example 6
	// none.example 0 no_sitemap
}

// A second run of a list has only the changes since the first.
func ExampleWorker() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "out-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	site := &web{lastMod: "2024-05-06"} // for tests
	for _, run := range []string{"2026-11-23", "2026-11-24"} {
		queue := batch.NewMemoryQueue(1)
		queue.Put(ctx, batch.Task{Run: run, Domain: "a.example", Targets: []string{"a.example"}})
		queue.End(ctx)
		w := &batch.Worker{
			Client: site.client(), Queue: queue, States: folder, Sink: folder,
			Options: discover.Options{OnlyChanged: true},
			Done:    func(t batch.Task, c batch.Counts) { fmt.Println(t.Run, t.Domain, c.URLs) },
		}
		if err := w.Run(ctx); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 2026-11-23 a.example 3
	// 2026-11-24 a.example 0
}

// A folder has the lines of each part of a run. Here they are the findings of an audit.
func ExampleFolder() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "out-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder, err := batch.OpenFolder(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	queue := batch.NewMemoryQueue(1)
	queue.Put(ctx, batch.Task{Run: "1", Domain: "a.example", Targets: []string{"a.example"}})
	queue.End(ctx)
	w := &batch.Worker{
		Client: (&web{lastMod: "yesterday"}).client(), // of a web for tests
		Queue:  queue, Sink: folder,
		Job: batch.Findings(audit.Options{Only: []sitemap.Code{sitemap.BadLastMod}}),
	}
	if err := w.Run(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for part, err := range folder.Parts(ctx, "1") {
		if err != nil {
			fmt.Println(err)
			continue
		}
		in, err := folder.Open(ctx, part)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for line, err := range batch.Lines(in) {
			if err != nil {
				fmt.Println(err)
			} else if f := line.Finding; f != nil {
				fmt.Println(f.Severity, f.Loc, f.Message)
			}
		}
		in.Close()
	}
	// Output:
	// error https://a.example/0 lastmod "yesterday" is not a W3C date
	// error https://a.example/1 lastmod "yesterday" is not a W3C date
	// error https://a.example/2 lastmod "yesterday" is not a W3C date
}

// The pages of a list are printed in its order.
func ExampleInOrder() {
	ctx := context.Background()
	var pages strings.Builder
	out := batch.NewInOrder(&pages, nil)
	queue := batch.NewMemoryQueue(1_000)
	go func() {
		defer queue.End(ctx)
		for task, err := range batch.PlanInOrder(strings.NewReader("b.example\na.example\n"), "1") {
			if err == nil {
				queue.Put(ctx, task)
			}
		}
	}()
	client := (&web{lastMod: "2024-05-06"}).client() // of a web for tests
	w := &batch.Worker{Client: client, Queue: queue, Sink: out}
	if err := w.Run(ctx); err != nil {
		fmt.Println(err)
	}
	if err := out.Close(); err != nil {
		fmt.Println(err)
	}
	for line, err := range batch.Lines(strings.NewReader(pages.String())) {
		if err != nil {
			fmt.Println(err)
		} else if line.URL != nil {
			fmt.Println(line.URL.Loc)
		}
	}
	// Output:
	// https://b.example/0
	// https://b.example/1
	// https://b.example/2
	// https://a.example/0
	// https://a.example/1
	// https://a.example/2
}
