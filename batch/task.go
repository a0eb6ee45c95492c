package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Task is the targets of one registrable domain.
type Task struct {
	// Run names the run that the task belongs to; see [CheckRun].
	Run string `json:"run"`
	// Domain is the registrable domain of the targets, such as "example.co.uk", in lower case and
	// ASCII. For an IP address, and for a host without one, it is the host. A lot has the name of its
	// domain with "~" and two digits.
	Domain string `json:"domain"`
	// Targets are sites and URLs of sitemaps, as they were listed and in that order.
	Targets []string `json:"targets,omitempty"`
	// Attempts is how often the queue has handed the task out before, as far as it counts. After five
	// the task is abandoned: its part says so.
	Attempts int `json:"-"`
}

// Digest returns a digest of the targets, whatever their order.
func (t Task) Digest() string {
	h := sha256.New()
	for _, target := range slices.Sorted(slices.Values(t.Targets)) {
		h.Write(binary.AppendUvarint(nil, uint64(len(target))))
		h.Write([]byte(target))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// check reports a task that cannot be done.
func (t Task) check() error {
	err := CheckRun(t.Run)
	if err == nil {
		err = checkDomain(t.Domain)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTask, err)
	}
	return nil
}

var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckRun reports a name that no run can have: want a letter or digit, and then at most 63 letters,
// digits, dots, "_" and "-".
func CheckRun(name string) error {
	if !runName.MatchString(name) {
		return fmt.Errorf("run %.80q: want up to 64 letters, digits, '.', '_' and '-', first a letter or digit", name)
	}
	return nil
}

// checkDomain reports what is neither a host (RFC 1035, section 2.3.4; RFC 5890, section 2.3.1) nor
// an address. The web has hosts with "_", and with "-" at the end of a label.
func checkDomain(domain string) error {
	if isAddr(domain) {
		return nil
	}
	sound := len(domain) <= 253
	for label := range strings.SplitSeq(domain, ".") {
		sound = sound && 0 < len(label) && len(label) <= 63
		for _, c := range []byte(label) {
			sound = sound && ('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_')
		}
	}
	if !sound {
		return fmt.Errorf("%.80q is no host", domain)
	}
	return nil
}

func isAddr(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Zone() == ""
}

// Shard returns the shard of a domain, from 0 to n-1. It is the same in all versions: the first
// eight bytes of the domain's SHA-256, as a big-endian number, modulo n.
func Shard(domain string, n int) int { return int(hash(domain) % uint64(n)) }

func hash(domain string) uint64 {
	sum := sha256.Sum256([]byte(domain))
	return binary.BigEndian.Uint64(sum[:])
}

// maxTargets is how many targets are done as one. A domain that has more is done in lots.
const maxTargets = 1_000

// lots returns the lots of a task, in the order of their names, and nil if it is done as one. The lot
// of a target is the first byte of the SHA-256 of its host.
func (t Task) lots() []Task {
	if len(t.Targets) <= maxTargets {
		return nil
	}
	var all [256]Task
	for _, target := range t.Targets {
		host, _ := hostOf(target) // of what is no target, "": it fails in its walk
		lot := &all[hash(host)>>56]
		lot.Targets = append(lot.Targets, target)
	}
	var lots []Task
	for i, lot := range all {
		if len(lot.Targets) > 0 {
			lot.Run, lot.Domain, lot.Attempts = t.Run, t.Domain+fmt.Sprintf("~%02x", i), t.Attempts
			lots = append(lots, lot)
		}
	}
	return lots
}

// shortName matches what may stand in the name of a file on every system.
var shortName = regexp.MustCompile(`^[a-z0-9_~-][a-z0-9._~-]*$`)

// reserved matches names of devices of Windows, which no file may have, whatever follows the dot.
var reserved = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// maxName leaves room for a suffix in the 255 bytes that file systems allow.
const maxName = 200

// fileName returns the name of a file for a domain, without its suffix: the domain itself, if it can
// be one. Else other characters are escaped as in URLs, and a long name ends in a hash. No two names
// are the same, also where case does not count.
func fileName(domain string) string {
	if len(domain) <= maxName && shortName.MatchString(domain) && !reserved.MatchString(domain) {
		return domain
	}
	var b strings.Builder
	for i, c := range []byte(domain) {
		ok := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '~' || c == '.'
		if ok && i > 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + strconv.FormatUint(uint64(c)|1<<8, 16)[1:])
		}
	}
	if b.Len() <= maxName {
		return b.String()
	}
	return fmt.Sprintf("%s%%-%x", b.String()[:maxName/2], sha256.Sum256([]byte(domain)))
}
