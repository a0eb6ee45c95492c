package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// An origin is a scheme, host and port, normalised: lower case, no trailing dot,
// the port always there.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) origin {
	o := origin{u.Scheme, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()}
	if o.port == "" {
		o.port = defaultPort(o.scheme)
	}
	return o
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// carriesTo reports whether what was meant for o may go to next: the same
// origin, or the same host over https where it was http.
func (o origin) carriesTo(next origin) bool {
	return o == next || o == origin{"http", next.host, "80"} && next.scheme == "https" && next.port == "443"
}

// A target is what one hop asks for. Its URL has neither userinfo nor fragment nor dot
// segments: a server and we could take these for different directories.
type target struct {
	url    *url.URL
	origin origin
}

// newTarget returns the target for u and the userinfo that u carried.
func newTarget(u *url.URL) (target, *url.Userinfo) {
	bare := *u
	bare.User, bare.Fragment, bare.RawFragment = nil, "", ""
	path := u.EscapedPath()
	if clean := location.RemoveDotSegments(path); clean != path {
		if plain, err := url.PathUnescape(clean); err == nil {
			bare.Path, bare.RawPath = plain, clean
		}
	}
	return target{&bare, originOf(&bare)}, u.User
}

// parseTarget reads the URL of a request.
func parseTarget(raw string) (target, *url.Userinfo, error) {
	u, err := sitemap.ParseLoc(raw)
	if err != nil {
		return target{}, nil, err
	}
	t, user := newTarget(u)
	return t, user, nil
}

// maxLocation bounds the Location of a redirect, as it does the locations of
// sitemaps.
const maxLocation = 8 << 10

// redirect resolves the value of a Location field (RFC 9110, section 10.2.2).
// Userinfo in it is dropped.
func (t target) redirect(location string) (target, error) {
	if len(location) > maxLocation {
		return target{}, &cause{kind: ErrRedirect, detail: "bad redirect: Location is too long"}
	}
	location = strings.TrimSpace(location)
	ref, err := url.Parse(location)
	if err != nil {
		ref, err = url.Parse(mend(location))
	}
	if err == nil {
		location = t.url.ResolveReference(ref).String()
	}
	if scheme, _, ok := strings.Cut(location, ":"); ok && isScheme(scheme) && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return target{}, refused("redirect to scheme " + clip(scheme, 64))
	}
	next, _, err := parseTarget(location)
	if err != nil {
		return target{}, &cause{kind: ErrRedirect, detail: "bad redirect: unreadable Location"}
	}
	return next, nil
}

// mend returns ref, without its fragment, as package url can read it: with escapes for the
// control characters and for a % that starts none, as ParseLoc has them for absolute URLs.
func mend(ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	var b strings.Builder
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c < ' ', c == 0x7f, c == '%' && !isEscape(ref[i:]):
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isEscape reports whether s starts with a percent-encoded byte.
func isEscape(s string) bool {
	return len(s) > 2 && location.IsHex(s[1]) && location.IsHex(s[2])
}

func isScheme(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}

// A policy says where the requests for one document may go.
type policy struct {
	anyPort bool
	guard   *guard   // nil: any address
	named   []origin // by the caller
}

// check returns an ErrRefused if t's scheme, port or address is not allowed. The
// addresses behind a host's name are the transport's to check.
func (p policy) check(t target) error {
	if t.origin.scheme != "http" && t.origin.scheme != "https" {
		return refused("scheme " + t.origin.scheme)
	}
	if port := t.origin.port; !p.anyPort && port != "80" && port != "443" && !p.isNamed(t.origin) {
		return refused("port " + port)
	}
	if p.guard == nil {
		return nil
	}
	if addr, err := netip.ParseAddr(t.origin.host); err == nil {
		return p.guard.check(addr)
	}
	return nil
}

func (p policy) isNamed(o origin) bool { return slices.Contains(p.named, o) }

// isNamedHost reports whether the caller named o, or its host over http where o
// is https.
func (p policy) isNamedHost(o origin) bool {
	return slices.ContainsFunc(p.named, func(n origin) bool { return n.carriesTo(o) })
}
