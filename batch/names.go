package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/filename"
	"github.com/seed-322c453a/sitemap/internal/pattern"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

var runName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckRun returns an error if a run cannot have this name. A name is a letter or a digit, followed
// by at most 63 letters, digits, dots, "_" and "-".
func CheckRun(name string) error {
	if len(name) > 64 || !runName().MatchString(name) {
		const want = "want up to 64 letters, digits, '.', '_' and '-', first a letter or digit"
		return fmt.Errorf("run %.80q: %s", name, want)
	}
	return nil
}

// checkDomain returns an error unless domain is a host (RFC 1035, section 2.3.4; RFC 5890, section
// 2.3.1) or an address. The web has hosts with "_", and with "-" at the end of a label.
func checkDomain(domain string) error {
	sound := len(domain) <= 253
	for label := range strings.SplitSeq(domain, ".") {
		sound = sound && label != "" && len(label) <= 63 && strings.Trim(label, hostLetters) == ""
	}
	if !sound && !isAddr(domain) {
		return fmt.Errorf("%.80q is no host", domain)
	}
	return nil
}

const hostLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_"

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

// DomainOf returns the registrable domain of a target, or its host if it has no such domain.
func DomainOf(target string) (string, error) {
	host, err := hostOf(target)
	if err != nil || isAddr(host) {
		return host, err
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain, nil
	}
	return host, nil
}

// hostOf returns the host of a target, in lower case and ASCII.
func hostOf(target string) (string, error) {
	site, err := siteurl.Parse(target)
	if err != nil {
		return "", fmt.Errorf("%.200q: want a host or an http or https URL", sitemap.Redact(target))
	}
	host := strings.TrimSuffix(site.URL.Hostname(), ".")
	return host, checkDomain(host)
}

// PartSuffix ends the names of parts.
const PartSuffix = ".jsonl.gz"

// PartName returns the name of a part, RUN/xx/DOMAIN.jsonl.gz; see [FileName].
func PartName(run, domain string) string { return run + "/" + FileName(domain) + PartSuffix }

// FileName returns the name of a domain's file, xx/DOMAIN without a suffix. It can be a path on
// every system. Here xx is the first byte, in hexadecimal, of the hash that [Shard] uses. A domain
// that cannot be the name of a file is escaped.
func FileName(domain string) string {
	return fmt.Sprintf("%02x/%s", hash(domain)>>56, filename.Escape(domain, "~"))
}
