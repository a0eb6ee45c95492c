package fetch

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
	"github.com/seed-322c453a/sitemap/internal/location"
	"github.com/seed-322c453a/sitemap/internal/normal"
)

// A target is what one hop requests. Its URL has no credentials, fragment or dot segments: a server
// and a client could resolve those to different directories.
type target struct {
	url    *url.URL
	text   string // of url
	origin location.Origin
}

// parseTarget reads a URL. It returns the credentials in it too. The error is an ErrRequest or an
// ErrRefused.
func parseTarget(raw string) (target, *url.Userinfo, error) {
	u, err := sitemap.ParseLoc(raw)
	if err != nil {
		return target{}, nil, &cause{kind: ErrRequest, err: err}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return target{}, nil, refused("scheme " + chars.Clip(u.Scheme, 64))
	}
	o, err := location.OriginOf(u)
	if err != nil {
		return target{}, nil, &cause{kind: ErrRequest, err: err}
	}
	user := u.User
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	path := u.EscapedPath()
	if clean := normal.RemoveDotSegments(path); clean != path {
		if plain, err := url.PathUnescape(clean); err == nil {
			u.Path, u.RawPath = plain, clean
		}
	}
	return target{u, u.String(), o}, user, nil
}

// carriesTo reports whether what was meant for o may go to next: the same origin, or https of the
// same host.
func carriesTo(o, next location.Origin) bool {
	isUpgrade := o.Scheme == "http" && next.Scheme == "https" && !o.HasPort()
	return o == next || o.Host == next.Host && isUpgrade
}

// redirect resolves the value of a Location field (RFC 9110, section 10.2.2). Credentials in it are
// dropped.
func (t target) redirect(loc string) (target, error) {
	if len(loc) > location.MaxLen {
		return target{}, &cause{kind: ErrRedirect, detail: "bad redirect: Location is too long"}
	}
	loc = strings.TrimSpace(loc)
	switch scheme := chars.SchemeOf(loc); {
	case scheme == "":
		loc = location.ResolveReference(t.url, loc)
	case !chars.IsHTTP(scheme):
		return target{}, refused("redirect to scheme " + chars.Clip(scheme, 64))
	}
	next, _, err := parseTarget(loc)
	if err != nil {
		return target{}, &cause{kind: ErrRedirect, detail: "bad redirect: unreadable Location"}
	}
	return next, nil
}

// A policy says where the requests for one document may go.
type policy struct {
	isOpen bool              // to any port and address
	guard  *guard            // nil: any address
	named  []location.Origin // by the caller
}

// check returns an ErrRefused if t's port or address is not allowed. The transport checks the
// addresses of a host name.
func (p policy) check(t target) error {
	if p.isOpen {
		return nil
	}
	port := t.url.Port()
	isUsual := port == "" || port == "80" || port == "443"
	if !isUsual && !slices.Contains(p.named, t.origin) {
		return refused("port " + port)
	}
	if addr, err := netip.ParseAddr(t.url.Hostname()); err == nil && p.guard != nil {
		return p.guard.check(addr)
	}
	return nil
}

// isNamed reports whether the caller named o, or its host over http if o is https.
func (p policy) isNamed(o location.Origin) bool {
	return slices.ContainsFunc(p.named, func(n location.Origin) bool { return carriesTo(n, o) })
}
