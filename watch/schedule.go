package watch

import (
	"container/heap"
	"time"
)

// A visit is a site in the order in which sites have their turns.
type visit struct {
	name, key string
	next      time.Time // when it is due
	expected  float64   // changes, when it became due
	asked     time.Time
	rate      float64
}

// visits is a heap.
type visits struct {
	list []*visit
	less func(a, b *visit) bool
}

func (h *visits) Len() int           { return len(h.list) }
func (h *visits) Less(i, j int) bool { return h.less(h.list[i], h.list[j]) }
func (h *visits) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *visits) Push(v any)         { h.list = append(h.list, v.(*visit)) }
func (h *visits) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}

// A schedule decides which site has its turn next: of those that are due, the one with the most
// changes to expect. So after a pause, overdue sites have their turns in that order.
type schedule struct {
	waiting visits // by when they are due
	due     visits // by expected changes
}

func newSchedule() *schedule {
	return &schedule{
		waiting: visits{less: func(a, b *visit) bool { return a.next.Before(b.next) }},
		due:     visits{less: func(a, b *visit) bool { return a.expected > b.expected }},
	}
}

func (s *schedule) add(v *visit) { heap.Push(&s.waiting, v) }

// take returns the next site, or nil if no site is due.
func (s *schedule) take(now time.Time) *visit {
	for s.waiting.Len() > 0 && !s.waiting.list[0].next.After(now) {
		v := heap.Pop(&s.waiting).(*visit)
		v.expected = v.rate * now.Sub(v.asked).Hours()
		heap.Push(&s.due, v)
	}
	if s.due.Len() == 0 {
		return nil
	}
	return heap.Pop(&s.due).(*visit)
}

// wait returns how long it is until a site is due. It reports false if no site waits.
func (s *schedule) wait(now time.Time) (time.Duration, bool) {
	if s.waiting.Len() == 0 {
		return 0, false
	}
	return s.waiting.list[0].next.Sub(now), true
}
