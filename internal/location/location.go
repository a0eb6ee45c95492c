// Package location cleans the locations in documents: it resolves and checks them (RFC 3986, RFC
// 3987), and returns their origins and directories.
//
// For example, " https://example.com/a b\n" becomes "https://example.com/a%20b", and "/c" in a
// document at https://example.com/ becomes "https://example.com/c". Apart from such repairs, an
// absolute http or https URL stays as it is listed. White space around it, line breaks with their
// indentation and control characters are removed. Inner spaces and bytes that are not UTF-8 are
// escaped.
//
// The files, each building on those before it:
//
//	classes.go   classes of the bytes of URLs
//	plain.go     recognizes locations that need no cleaning
//	resolve.go   resolves references
//	reference.go recognizes references that nobody meant, and hosts without a scheme
//	scrub.go     removes white space and control characters
//	location.go  Resolver
//	origin.go    Origin and directories
package location

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// MaxLen is the maximum length of a location in bytes. A longer one is dropped.
const MaxLen = 8 << 10

// A Resolver cleans the locations of one document. The zero Resolver has no base. It is safe for
// concurrent use as long as Base does not change.
type Resolver struct {
	// Base is the location of the document. Its user name and password are not passed on to the
	// locations that are resolved against it. A Base without a host, or with another scheme than
	// http and https, is ignored.
	Base *url.URL
	// Relative makes relative references no problem.
	Relative bool
}

// Clean returns the location in raw, trimmed and absolute. Raw is text with decoded references, in
// which bytes may not be UTF-8.
//
// Clean does not look for plain locations first, which Recent does faster.
//
// The codes are the problems to report. If the location cannot be used, drop is the reason, and not
// among codes: EmptyLoc, BogusLoc, BadScheme, BadLoc, RelativeLoc (there is no base) or LocTooLong
// (more than MaxLen bytes). Otherwise [sitemap.ParseLoc] of loc succeeds.
func (r *Resolver) Clean(raw []byte) (loc string, codes []sitemap.Code, drop sitemap.Code) {
	var buf [512]byte // enough for most
	text, codes := scrub(buf[:0], raw)
	ref := string(text)
	switch {
	case ref == "":
		return "", bytesOnly(codes), sitemap.EmptyLoc
	case isBogus(ref):
		return "", bytesOnly(codes), sitemap.BogusLoc
	}
	loc, how, drop := r.resolve(ref)
	if drop != "" {
		return "", bytesOnly(codes), drop
	}
	if len(loc) > MaxLen {
		return "", bytesOnly(codes), sitemap.LocTooLong
	}
	start := strings.IndexByte(loc, ':') + len("://")
	end := start + authorityLen(loc[start:])
	if !simpleHost(loc[start:end]) {
		if _, err := sitemap.ParseLoc(loc[:end]); err != nil {
			return "", bytesOnly(codes), sitemap.BadLoc
		}
	}
	if how != "" {
		codes = append(codes, how)
	}
	if strings.LastIndexByte(loc[start:end], '@') > 0 {
		codes = append(codes, sitemap.Userinfo)
	}
	return loc, inspect(codes, loc), ""
}

// CleanRef is Clean without codes, for xml:base and for locations in extensions.
func (r *Resolver) CleanRef(raw []byte) (loc string, ok bool) {
	loc, _, drop := r.Clean(raw)
	return loc, drop == ""
}

// bytesOnly returns those of codes that concern the bytes of the document. Other repairs of a
// location do not matter once it is dropped.
func bytesOnly(codes []sitemap.Code) []sitemap.Code {
	var kept []sitemap.Code
	for _, c := range codes {
		if c == sitemap.ControlChar || c == sitemap.InvalidUTF8 {
			kept = append(kept, c)
		}
	}
	return kept
}

// resolve makes ref absolute. How is RelativeLoc or SchemeAssumed if ref was not absolute and that
// is a problem. The host of the result is not checked yet.
func (r *Resolver) resolve(ref string) (loc string, how, drop sitemap.Code) {
	scheme := chars.SchemeOf(ref)
	if chars.IsHTTP(scheme) && strings.HasPrefix(ref[len(scheme):], "://") {
		return ref, "", ""
	}
	hasBase := r != nil && r.Base != nil && chars.IsHTTP(r.Base.Scheme) && r.Base.Host != ""
	switch {
	case startsWithHost(ref):
		if hasBase {
			return r.Base.Scheme + "://" + ref, sitemap.SchemeAssumed, ""
		}
		return "https://" + ref, sitemap.SchemeAssumed, ""
	case hasMistypedScheme(ref):
		return "", "", sitemap.BogusLoc
	case scheme != "":
		return "", "", sitemap.BadScheme
	case strings.HasPrefix(ref, "://"):
		return "", "", sitemap.BadLoc
	case !meant(ref):
		return "", "", sitemap.BogusLoc
	case !hasBase:
		return "", "", sitemap.RelativeLoc
	}
	if !r.Relative {
		how = sitemap.RelativeLoc
	}
	return ResolveReference(r.Base, ref), how, ""
}

// IsAbsolute reports whether raw starts like an absolute http or https URL, after white space.
func IsAbsolute(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	start := strings.ToLower(string(raw[:min(len(raw), len("https://"))]))
	return strings.HasPrefix(start, "http://") || start == "https://"
}

// Several returns the URLs in raw if it holds several absolute http and https URLs with white space
// between them, and nothing else.
func Several(raw []byte) [][]byte {
	if bytes.Count(raw, []byte(":")) < 2 || bytes.Count(raw, []byte("://")) < 2 {
		return nil // the first count is much faster
	}
	urls := bytes.Fields(raw)
	for _, u := range urls {
		if !IsAbsolute(u) {
			return nil
		}
	}
	if len(urls) < 2 {
		return nil
	}
	return urls
}

// simpleHost reports whether s is a host of letters, digits, hyphens and dots, which is always
// valid.
func simpleHost(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(chars.IsLetter(c) || chars.IsDigit(c) || c == '-' || i > 0 && c == '.') {
			return false
		}
	}
	return s != ""
}

// inspect appends the problems of a location that is kept, except those of its authority.
func inspect(codes []sitemap.Code, loc string) []sitemap.Code {
	if i := strings.IndexByte(loc, '%'); i >= 0 && hasBadEscape(loc[i:]) {
		codes = append(codes, sitemap.BadEscape)
	}
	if hasAmpersandReference(loc) {
		codes = append(codes, sitemap.DoubleEscaped)
	}
	if len(loc) > sitemap.ProtocolLoc && utf8.RuneCountInString(loc) > sitemap.ProtocolLoc {
		codes = append(codes, sitemap.LocTooLong)
	}
	return codes
}

// hasAmpersandReference reports whether s contains &amp; or a character reference to an ampersand.
func hasAmpersandReference(s string) bool {
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			return false
		}
		s = s[i+1:]
		name, _, ok := strings.Cut(s[:min(len(s), 12)], ";")
		if !ok {
			continue
		}
		if name == "amp" || name == "AMP" {
			return true
		}
		if digits, ok := strings.CutPrefix(name, "#"); ok {
			digits = strings.ToLower(digits)
			if strings.TrimLeft(digits, "0") == "38" || digits[:min(1, len(digits))] == "x" &&
				strings.TrimLeft(digits[1:], "0") == "26" {
				return true
			}
		}
	}
}
