package batch_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"sync"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
)

// BenchmarkWorker compares a worker that keeps no parts, without and with states in memory, with
// bare walks.
func BenchmarkWorker(b *testing.B) {
	all := tasks(b, hosts(1_000), "1")
	n := 0
	for _, task := range all {
		n += len(task.Targets)
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			c := (&web{lastMod: "2024"}).client()
			for _, task := range all {
				for _, target := range task.Targets {
					for range c.URLs(b.Context(), target, nil) {
					}
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/site")
	})
	for name, states := range map[string]func() batch.States{
		"worker": func() batch.States { return nil }, "states": func() batch.States { return &memoryStates{} },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				worker := &batch.Worker{
					Client: (&web{lastMod: "2024"}).client(), Queue: queueOf(b, all), Sink: discard{},
					States: states(), Parallel: 1,
				}
				if err := worker.Run(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/site")
		})
	}
}

// discard is a sink that keeps nothing.
type discard struct{}

func (discard) Part(context.Context, batch.Stored) (batch.Part, error) { return discard{}, nil }
func (discard) Write(p []byte) (int, error)                            { return len(p), nil }
func (discard) Commit(context.Context, batch.Counts) error             { return nil }
func (discard) Discard()                                               {}

func (discard) Stat(context.Context, batch.Stored) (batch.Stored, error) {
	return batch.Stored{}, fs.ErrNotExist
}

func (discard) Parts(context.Context, string) iter.Seq2[batch.Stored, error] {
	return func(func(batch.Stored, error) bool) {}
}

func (discard) Open(context.Context, batch.Stored) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}

// memoryStates keeps states in a map.
type memoryStates struct {
	mu     sync.Mutex
	states map[string]batch.State
}

func (m *memoryStates) Load(_ context.Context, domain string) (batch.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[domain], nil
}

func (m *memoryStates) Save(
	_ context.Context, domain string, next batch.State, write func(io.Writer) error,
) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.states[domain].Version != next.Version {
		return batch.ErrStale
	}
	if m.states == nil {
		m.states = map[string]batch.State{}
	}
	next.Version += "+"
	next.Open = func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}
	m.states[domain] = next
	return nil
}

// noStates forgets states.
type noStates struct{}

func (noStates) Load(context.Context, string) (batch.State, error) { return batch.State{}, nil }

func (noStates) Save(_ context.Context, _ string, _ batch.State, write func(io.Writer) error) error {
	return write(io.Discard)
}
