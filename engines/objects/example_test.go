package objects_test

import (
	"context"
	"log"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/engines/objects"
)

// A worker that keeps everything in a bucket. Others may run beside it on other machines, with a
// queue that they share.
func Example() {
	ctx := context.Background()
	store, err := objects.Open(ctx, "s3://bucket/sitemaps") // described by AWS_REGION and so on
	if err != nil {
		log.Fatal(err)
	}
	states, err := store.States(ctx)
	if err != nil {
		log.Fatal(err)
	}
	queue := batch.NewMemoryQueue(1_000)
	for _, domain := range []string{"example.com", "example.org"} {
		queue.Put(ctx, batch.Task{Run: "2026-11-23", Domain: domain, Targets: []string{domain}})
	}
	queue.End(ctx)
	w := &batch.Worker{Client: &discover.Client{}, Queue: queue, States: states, Sink: store}
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
	for part, err := range store.Parts(ctx, "2026-11-23") {
		if err != nil {
			log.Fatal(err)
		}
		log.Printf("%s: %d URLs", part.Path, part.Counts.URLs)
	}
}
