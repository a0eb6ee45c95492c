package batch_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
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
	go func() {
		defer queue.End(ctx)
		for task, err := range batch.Plan(list, "2026-11-23") {
			if err != nil {
				fmt.Println(err) // a line that is no target
				continue
			}
			if done, err := batch.IsDone(ctx, folder, task); done || err != nil {
				continue
			}
			queue.Put(ctx, task)
		}
	}()
	client := (&web{lastMod: "2024-05-06"}).client() // of a web for tests
	w := &batch.Worker{Client: client, Queue: queue, States: folder, Sink: folder}
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
