package natsqueue_test

import (
	"context"
	"log"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// A program that plans a run and works on it. Further workers, on other machines, do the same
// without the loop. The folder is one that all of them share.
func Example() {
	ctx := context.Background()
	nc, err := natsqueue.Connect("nats://broker:4222", natsqueue.Login{})
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	queue, err := natsqueue.OpenQueue(ctx, nc, "2026-11-23", nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := queue.Begin(ctx); err != nil {
		log.Fatal(err)
	}
	for task, err := range batch.Plan(strings.NewReader("example.com\nexample.org\n"), "2026-11-23") {
		if err != nil {
			log.Fatal(err)
		}
		if _, err := queue.Put(ctx, task); err != nil {
			log.Fatal(err)
		}
	}
	if err := queue.End(ctx); err != nil {
		log.Fatal(err)
	}

	states, err := natsqueue.OpenStates(ctx, nc, nil)
	if err != nil {
		log.Fatal(err)
	}
	folder, err := batch.OpenFolder("/shared/out")
	if err != nil {
		log.Fatal(err)
	}
	w := &batch.Worker{Client: &discover.Client{}, Queue: queue, States: states, Sink: folder}
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
