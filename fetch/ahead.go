package fetch

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"
)

const (
	// chunkSize is the unit in which bodies are read ahead.
	chunkSize = 32 << 10
	// aheadBudget bounds what a Client reads ahead, one chunk of each body aside.
	// All but a quarter of it is for bodies that somebody has begun to read, such as
	// six of 8 MiB: what comes too late of these is lost, while another body can be
	// fetched again.
	aheadBudget = 64 << 20
)

type chunk struct {
	buf  [chunkSize]byte
	r, w int  // buf[r:w] is unread
	paid bool // for with the budget
}

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// A budget bounds the bytes that all bodies of a Client are read ahead. Its zero
// value is ready.
type budget struct {
	most int64 // 0 means aheadBudget; only tests set it

	mu      sync.Mutex
	used    int64
	waiting map[*ahead]struct{} // to be woken when something is given back
}

// take takes a chunk's worth for a, or notes that a waits for it.
func (b *budget) take(a *ahead) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	most := cmp.Or(b.most, aheadBudget)
	if !a.begun {
		most /= 4
	}
	if b.used+chunkSize <= most {
		b.used += chunkSize
		return true
	}
	if b.waiting == nil {
		b.waiting = map[*ahead]struct{}{}
	}
	b.waiting[a] = struct{}{}
	return false
}

// give gives n chunks back.
func (b *budget) give(n int) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	b.used -= int64(n) * chunkSize
	wake := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	for w := range wake {
		w.wake()
	}
}

// leave ends a's wait.
func (b *budget) leave(a *ahead) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, a)
}

// An ahead reads src while its run runs, into at most max chunks of
// memory. One chunk it may always have, so that bodies never wait for each other;
// the others are paid for with the Client's budget.
type ahead struct {
	src    io.Reader
	max    int
	budget *budget
	park   func()        // is called when nobody reads and there is no room
	once   sync.Once     // runs run
	news   chan struct{} // told of what comes, for who does not wait with Read

	mu     sync.Mutex
	cond   sync.Cond
	queue  []*chunk          // the goroutine writes to the last one
	err    error             // why src ended
	ended  func(broken bool) // is called when src has ended, see turn.Body
	begun  bool              // to be read
	waited bool              // for room
	full   bool              // it waits now
	parked bool
	closed bool
}

func newAhead(src io.Reader, size int64, b *budget, park func()) *ahead {
	a := &ahead{src: src, max: int((min(size, aheadBudget) + chunkSize - 1) / chunkSize), budget: b, park: park, news: make(chan struct{}, 1)}
	a.cond.L = &a.mu
	return a
}

// run reads src to its end, or until the body is closed. What waits for room goes on when there is
// some.
func (a *ahead) run() {
	for {
		c := a.room()
		if c == nil {
			return
		}
		n, err := a.src.Read(c.buf[c.w:])
		a.mu.Lock()
		c.w += n
		a.err = err
		a.tell()
		ended, broken := a.takeEnded()
		a.mu.Unlock()
		if ended != nil {
			ended(broken)
		}
		if err != nil {
			return
		}
	}
}

// room waits until there is room for more bytes, and returns the chunk that has
// it, or nil when the body is closed.
func (a *ahead) room() *chunk {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.closed {
		n := len(a.queue)
		if n > 0 && a.queue[n-1].w < chunkSize {
			return a.queue[n-1]
		}
		paid := n > 0 && n < a.max && a.budget.take(a)
		if n == 0 || paid {
			c := chunks.Get().(*chunk)
			c.r, c.w, c.paid = 0, 0, paid
			a.queue = append(a.queue, c)
			a.full = false
			return c
		}
		a.waited, a.full = true, true
		a.cond.Broadcast()
		if !a.begun && !a.parked {
			a.parked = true
			a.mu.Unlock()
			a.park()
			a.mu.Lock()
			continue
		}
		a.cond.Wait()
	}
	return nil
}

// lapsed reports whether src failed after it had to wait, before anybody read
// what came of it. If it had to wait, it first gets what there is room for now.
func (a *ahead) lapsed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.waited || a.begun {
		return false
	}
	a.begin()
	for a.full = false; !a.full && !a.closed && a.err == nil; {
		a.cond.Wait()
	}
	return a.err != nil && a.err != io.EOF
}

// takeEnded returns the function that is to be called now, nil if there is none, and what it is
// told.
func (a *ahead) takeEnded() (ended func(broken bool), broken bool) {
	if a.err == nil || a.begun || a.waited || a.closed {
		return nil, false
	}
	ended, a.ended = a.ended, nil
	return ended, errors.Is(a.err, ErrBody)
}

func (a *ahead) onEnd(f func(broken bool)) {
	a.mu.Lock()
	a.ended = f
	f, broken := a.takeEnded()
	a.mu.Unlock()
	if f != nil {
		f(broken)
	}
}

// peek returns a copy of the first bytes that have come and were not read, at most so many.
func (a *ahead) peek(most int) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	var b []byte
	for _, c := range a.queue {
		b = append(b, c.buf[c.r:min(c.w, c.r+most-len(b))]...)
	}
	return b
}

// last returns a copy of the last bytes that have come and were not read, at most so many.
func (a *ahead) last(most int) (b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range slices.Backward(a.queue) {
		b = slices.Concat(c.buf[max(c.r, c.w-(most-len(b))):c.w], b)
	}
	return b
}

// begin is told that somebody begins to read.
func (a *ahead) begin() {
	a.begun = true
	a.cond.Broadcast()
}

// tell wakes who waits for what comes.
func (a *ahead) tell() {
	a.cond.Broadcast()
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// waits reports whether a Read has to wait.
func (a *ahead) waits() bool {
	return !a.closed && a.err == nil && (len(a.queue) == 0 || a.queue[0].r == a.queue[0].w)
}

// pending returns news if a Read has to wait.
func (a *ahead) pending() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		a.begin()
	}
	if !a.waits() {
		return nil
	}
	return a.news
}

func (a *ahead) wake() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cond.Broadcast()
}

// Read reads what was read ahead, and waits for it if need be.
func (a *ahead) Read(p []byte) (int, error) {
	a.mu.Lock()
	if !a.begun {
		a.begin()
	}
	for a.waits() {
		a.cond.Wait()
	}
	if a.closed {
		a.mu.Unlock()
		return 0, ErrClosed
	}
	if len(a.queue) == 0 {
		defer a.mu.Unlock()
		return 0, a.err
	}
	c := a.queue[0]
	n := copy(p, c.buf[c.r:c.w])
	c.r += n
	used := c.r == c.w && (c.w == chunkSize || a.err != nil)
	if used {
		a.queue[0] = nil
		a.queue = a.queue[1:]
		a.cond.Broadcast()
	}
	err := a.err
	a.mu.Unlock()
	if used {
		a.put(c)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

func (a *ahead) put(freed ...*chunk) {
	paid := 0
	for _, c := range freed {
		if c.paid {
			paid++
		}
		chunks.Put(c)
	}
	a.budget.give(paid)
}

// close ends run, whose src must fail by now, and gives back the memory.
func (a *ahead) close() {
	a.mu.Lock()
	a.closed = true
	a.tell()
	a.mu.Unlock()
	a.once.Do(func() {}) // or waits
	a.mu.Lock()
	queue := a.queue
	a.queue = nil
	a.mu.Unlock()
	a.put(queue...)
	a.budget.leave(a)
}
