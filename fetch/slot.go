package fetch

import (
	"sync"
	"time"
)

// A slot is what a Limiter granted. It is given back once: when the response
// ends, or when nobody has read it for a while, since whoever stopped reading may
// be waiting for another slot. From then to its end the response is parked.
type slot struct {
	release func(status int, retryAfter time.Duration)
	origin  origin
	watch   *inner

	mu      sync.Mutex
	status  int // of the response
	after   time.Duration
	timer   *time.Timer
	reading bool
	freed   bool
	parks   bool
}

// answered says what is to be reported when the slot is given back.
func (s *slot) answered(status int, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.after = status, after
}

// busy says that the response is being read.
func (s *slot) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading = true
	if s.timer != nil {
		s.timer.Stop()
	}
}

// idle says that it is not.
func (s *slot) idle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading = false
	switch {
	case s.freed:
	case s.timer == nil:
		s.timer = time.AfterFunc(s.watch.c.times.linger, s.park)
	default:
		s.timer.Reset(s.watch.c.times.linger)
	}
}

// park gives the slot back before the end of the response, unless it is being read.
func (s *slot) park() {
	s.mu.Lock()
	reading := s.reading
	if !reading && !s.freed {
		s.parks = true
		s.watch.c.parked.add(s.origin, 1)
	}
	s.mu.Unlock()
	if !reading {
		s.free()
	}
}

// end says that the attempt has ended, with its response. It is called once.
func (s *slot) end() {
	s.free()
	s.watch.c.parked.live.Add(-1)
	s.watch.use(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parks {
		s.parks = false
		s.watch.c.parked.add(s.origin, -1)
	}
}

func (s *slot) free() {
	s.mu.Lock()
	first := !s.freed
	s.freed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	status, after := s.status, s.after
	s.mu.Unlock()
	if first && s.release != nil {
		s.release(status, after)
	}
}
