package audit

import (
	"hash/maphash"
	"strings"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxOrigins bounds the origins that are told apart.
const maxOrigins = 1_000

// An origin counts the pages of one scheme and host, in one spelling.
type origin struct {
	location.Origin
	authority string // as it is spelled: "https://www.example.com"
	count     int
	first     place                  // of the first page
	key       uint64                 // a hash of the host without "www."
	exact     uint64                 // a hash of authority
	odd       bool                   // authority has characters that a URL may not contain
	asked     bool                   // allows is known
	allows    func(path string) bool // by its robots.txt, nil if that has no rules
}

// An origins holds the origins of the pages of a document or a site.
type origins struct {
	byAuthority map[string]*origin
	order       []*origin // by their first page
	last        *origin
}

func newOrigins() *origins { return &origins{byAuthority: map[string]*origin{}} }

var seed = maphash.MakeSeed()

// of returns the origin of a location, or nil for one too many or one that is no URL.
func (o *origins) of(loc string) *origin {
	if o.last != nil && location.HasAuthority(loc, o.last.authority) {
		return o.last
	}
	authority, _ := location.Split(loc)
	n := o.byAuthority[authority]
	if n == nil {
		if len(o.order) >= maxOrigins {
			return nil
		}
		parsed, err := location.AuthorityOrigin(authority)
		if err != nil {
			return nil
		}
		n = &origin{Origin: parsed, authority: authority}
		n.key = maphash.String(seed, strings.TrimPrefix(parsed.Host, "www."))
		n.exact = maphash.String(seed, authority)
		n.odd = classOf(authority[strings.Index(authority, "://")+3:])&isOdd != 0
		o.byAuthority[authority] = n
		o.order = append(o.order, n)
	}
	o.last = n
	return n
}
