package audit

import (
	"hash/maphash"
	"strings"

	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// maxOrigins bounds the origins that are told apart.
const maxOrigins = 1_000

// An origin counts the pages of one scheme and host, in one spelling.
type origin struct {
	location.Origin
	authority string // as it is spelled: "https://www.example.com"
	count     int
	first     place        // of the first page
	key       uint64       // a hash of the host without "www."
	exact     uint64       // a hash of authority
	odd       bool         // authority has characters that a URL may not contain
	asked     bool         // rules is known
	rules     *robots.File // of its robots.txt, nil if there are none
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

// A class is a set of kinds of the characters in a location.
type class uint8

const (
	isUpper   class = 1 << iota // a capital
	isPercent                   // an escape
	isHash                      // the start of a fragment
	isQuery                     // a query or parameters
	isOdd                       // what a URL may not contain as it is (RFC 3986, section 2)
	isBracket                   // allowed in the host only
	isDot                       // a dot
)

var classes = func() (table [256]class) {
	for c := range table {
		table[c] = isOdd
	}
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-._~:/@!$&'()*+,=") {
		table[c] = 0
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = isUpper
	}
	table['.'] = isDot
	table['%'], table['#'], table['?'], table[';'] = isPercent, isHash, isQuery, isQuery
	table['['], table[']'] = isOdd|isBracket, isOdd|isBracket
	return table
}()

// classOf returns the kinds of the characters in s.
func classOf(s string) (has class) {
	for i := range len(s) {
		has |= classes[s[i]]
	}
	return has
}
