package batch_test

import (
	"flag"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

var million = flag.Int("sites", 2_000, "how many sites TestWorker_Memory walks")

// The memory of a worker does not grow with the list: 256 MiB are enough for a million sites.
func TestWorker_Memory(t *testing.T) {
	q := batch.NewMemoryQueue(1_000)
	planned := make(chan error, 1)
	go func() {
		defer q.End(t.Context())
		n := 0
		for task, err := range batch.Plan(&sites{n: *million}, "1") {
			if err == nil {
				_, err = q.Put(t.Context(), task)
			}
			if err != nil {
				planned <- err
				return
			}
			n++
		}
		planned <- nil
	}()
	done := make(chan batch.Counts, 64)
	w := &batch.Worker{
		Client: (&web{lastMod: "2024", forgets: true}).client(), Queue: q, Sink: discard{}, Parallel: 32,
		States: noStates{},
		Done:   func(_ batch.Task, c batch.Counts) { done <- c },
	}
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(t.Context())
		close(done)
	}()
	var sum batch.Counts
	for c := range done {
		sum.Targets += c.Targets
		sum.URLs += c.URLs
		sum.Failed += c.Failed
	}
	if err := <-planned; err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if sum.Targets != int64(*million) || sum.URLs != 3*sum.Targets || sum.Failed > 0 {
		t.Errorf("walked %+v of %d sites", sum, *million)
	}
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Logf("the memory is not known here: %v", err)
		return
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(text))
	if kb, err := strconv.Atoi(strings.Join(peak[1:], "")); err != nil || kb > 256<<10 {
		t.Errorf("at most %d KiB were used, %v", kb, err)
	} else {
		t.Logf("at most %d MiB were used", kb>>10)
	}
}
