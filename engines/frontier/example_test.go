package frontier_test

import (
	"context"
	"log"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/engines/frontier"
)

// A worker takes the sites of a crawl from a frontier, until it is stopped.
func ExampleQueue() {
	conn, err := frontier.Dial("localhost:7071", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	folder, err := batch.OpenFolder("out")
	if err != nil {
		log.Fatal(err)
	}
	queue := &frontier.Queue{Conn: conn, Crawl: "sites", Run: "2026-11-23"}
	w := &batch.Worker{Client: &discover.Client{}, Queue: queue, States: folder, Sink: folder}
	if err := w.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// The pages of a run go to a frontier, for a crawler to fetch.
func ExampleEmit() {
	ctx := context.Background()
	conn, err := frontier.Dial("localhost:7071", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	folder, err := batch.OpenFolder("out")
	if err != nil {
		log.Fatal(err)
	}
	answers := map[frontier.Answer]int{}
	for part, err := range folder.Parts(ctx, "2026-11-23") {
		if err != nil {
			log.Fatal(err)
		}
		lines, err := folder.Open(ctx, part)
		if err != nil {
			log.Fatal(err)
		}
		err = frontier.Emit(ctx, conn, "pages", lines, func(a frontier.Answer) { answers[a]++ })
		lines.Close()
		if err != nil {
			log.Fatal(err)
		}
	}
	log.Printf("%d pages added, %d known, %d to put again",
		answers[frontier.Added], answers[frontier.Skipped], answers[frontier.Failed])
}
