package batch

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// A Task is the targets of one registrable domain.
type Task struct {
	// Run names the run that the task belongs to; see [CheckRun].
	Run string `json:"run,omitempty"`
	// Domain is the registrable domain of the targets, such as "example.co.uk", in lower case and
	// ASCII. For an IP address, and for a host without such a domain, it is the host. For a lot it
	// is the domain with "~" and two digits. A [List] may use other names.
	Domain string `json:"domain,omitempty"`
	// Targets are sites and URLs of sitemaps, as they were listed and in that order.
	Targets []string `json:"targets,omitempty"`
	// Turn is the place of the task in its list, from 1, if [PlanInOrder] has planned it. Several
	// such tasks may have one domain, so they need a [MemoryQueue].
	Turn uint64 `json:"turn,omitempty"`
	// More means that the queue hands out the targets of a domain in several tasks. So the part
	// keeps the lines of other targets, and the task is never divided into lots.
	More bool `json:"-"`
	// Attempts is how often the queue has handed the task out before, however those leases ended,
	// if it counts that. After five attempts the task is abandoned, and its part says so.
	Attempts int `json:"-"`
}

// Digest returns a digest of the targets. It does not depend on their order.
func (t Task) Digest() string {
	h := sha256.New()
	for _, target := range slices.Sorted(slices.Values(t.Targets)) {
		h.Write(binary.AppendUvarint(nil, uint64(len(target))))
		h.Write([]byte(target))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// check returns an error if the task cannot be done.
func (t Task) check() error {
	if err := cmp.Or(CheckRun(t.Run), checkDomain(t.Domain)); err != nil {
		return fmt.Errorf("%w: %w", ErrTask, err)
	}
	return nil
}

// maxTargets is the most targets of an undivided domain. A domain with more is divided into lots.
// It is a variable so that tests need fewer targets.
var maxTargets = 1_000

// lots returns the 256 lots of a task. The lot of a target is the first byte of the SHA-256 of its
// host.
func (t Task) lots() []Task {
	lots := make([]Task, 256)
	for i := range lots {
		name := fmt.Sprintf("%s~%02x", t.Domain, i)
		lots[i] = Task{Run: t.Run, Domain: name, Attempts: t.Attempts}
	}
	for _, target := range t.Targets {
		host, _ := hostOf(target) // "" if it is not a target: its walk fails
		lot := &lots[hash(host)>>56]
		lot.Targets = append(lot.Targets, target)
	}
	return lots
}

// Causes of errors, for errors.Is.
var (
	// ErrStale means that another worker has taken over a domain: its state or its part was
	// replaced, or the lease has ended.
	ErrStale = errors.New("batch: another worker has taken over the domain")
	// ErrDamaged means that a part is not whole. It counts as missing and is done again.
	ErrDamaged = errors.New("damaged part")
	// ErrTask means that a task can never be done, for example because its domain is not a host.
	// The worker goes on with the next task.
	ErrTask = errors.New("batch: the task cannot be done")
)
