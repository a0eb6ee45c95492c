package lists

import (
	"sync"
)

// A queue keeps the lines of targets that have ended until all targets before them in the list have,
// so that the output has the order of the list.
type queue struct {
	mu      sync.Mutex
	ended   int            // all targets up to this number have ended
	waiting map[int][]byte // the lines of later ones
	size    int            // of these
}

// maxWaiting is how many bytes of lines wait. Beyond that, the order is given up.
const maxWaiting = 32 << 20

// isNext reports whether all targets before number have ended.
func (q *queue) isNext(number int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended == number-1
}

// end takes the last lines of a target that has ended, and returns all lines that are due.
func (q *queue) end(number int, lines []byte) (due [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting == nil {
		q.waiting = map[int][]byte{}
	}
	q.waiting[number] = lines
	q.size += len(lines)
	for next, ok := q.waiting[q.ended+1]; ok; next, ok = q.waiting[q.ended+1] {
		q.ended++
		q.size -= len(next)
		due = append(due, next)
		delete(q.waiting, q.ended)
	}
	if q.size > maxWaiting {
		for number, lines := range q.waiting {
			due = append(due, lines)
			q.waiting[number] = nil // it has ended, and its lines are printed
		}
		q.size = 0
	}
	return due
}
