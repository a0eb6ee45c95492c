package fetch

import (
	"sync"
	"sync/atomic"
)

// parked counts, by origin, the bodies that nobody reads: they have given back
// their Limiter's slot, but not their connection. The zero value is ready.
type parked struct {
	live atomic.Int64 // attempts that have not ended, with those bodies

	mu     sync.Mutex
	bodies map[origin]int
}

func (p *parked) add(o origin, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bodies == nil {
		p.bodies = map[origin]int{}
	}
	if p.bodies[o] += n; p.bodies[o] == 0 {
		delete(p.bodies, o)
	}
}

func (p *parked) at(o origin) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies[o] > 0
}

// any reports whether there is such a body of any origin.
func (p *parked) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.bodies) > 0
}
