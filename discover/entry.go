package discover

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// An entry is what the journal keeps of a document, under the URL that was asked
// for. It holds no grants: those are told anew in each walk.
type entry struct {
	URL      string `json:"url"`
	Rest     string `json:"rest,omitempty"` // of which that is only the start: digest of all
	Final    string `json:"final,omitempty"`
	ETag     opaque `json:"etag,omitempty"`
	Modified opaque `json:"modified,omitempty"`
	At       int64  `json:"at"` // of the response, seconds since 1970
	Digest   string `json:"digest,omitempty"`
	Entries  int64  `json:"entries,omitempty"`
	Format   string `json:"format,omitempty"`
	LastMod  string `json:"lastmod,omitempty"` // as its referrer listed it
	failure
	Kids []kid `json:"kids,omitempty"`
	Wide bool  `json:"wide,omitempty"` // it is read anew: see brief
	Run  int   `json:"run"`            // of the walk that read it
	Also []int `json:"also,omitempty"` // of others before, which had not ended
	// Asked are the origins whose robots.txt that walk asked for it, of Options.VerifyHosts.
	Asked []string `json:"asked,omitempty"`
	// Unverified are origins whose robots.txt did not name it, or could not be had, and whose
	// URLs it listed.
	Unverified []string `json:"unverified,omitempty"`
	// Verified are origins whose robots.txt was asked because of an index's own pages and named
	// it, so that its children had their grants. They are asked again.
	Verified []string `json:"verified,omitempty"`
	// Scopes are digests of the grants that it was read under, by several walks perhaps, where some
	// of its URLs were not trusted: under others, more of them may be.
	Scopes []string `json:"scopes,omitempty"`
	// Last is, of a document that failed, what is known of it from when it was last read.
	Last *entry `json:"last,omitempty"`
}

// content returns what is known of the document from when it was last read, nil if that is nothing.
func (e *entry) content() *entry {
	if e == nil || e.Err == "" {
		return e
	}
	return e.Last
}

// addReading adds to what a document was read under what it was before, if it had the same content.
func (e *entry) addReading(before *entry) {
	if before == nil || before.Digest == "" || before.Digest != e.Digest {
		return
	}
	e.Scopes = addNew(e.Scopes, before.Scopes, maxScopes)
	e.Unverified = addNew(e.Unverified, before.Unverified, maxVouching)
}

// addNew adds to list what it does not have of more, while it has no more than most.
func addNew(list, more []string, most int) []string {
	for _, s := range more {
		if len(list) < most && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// maxScopes bounds entry.Scopes.
const maxScopes = 64

// maxValidator bounds a validator that is kept. A document with a longer one is read anew.
const maxValidator = 1 << 10

func validator(s string) opaque {
	if len(s) > maxValidator {
		return ""
	}
	return opaque(s)
}

// brief returns what is kept of a document of which there is no room for more, such as an index that
// has too many children: it is read anew. One that failed and lists none is not, where a walk goes on.
func (e *entry) brief() *entry {
	f := e.failure
	f.Err = strings.Clone(clip(f.Err))
	start, rest := cutURL(e.URL)
	return &entry{
		URL: start, Rest: cmp.Or(e.Rest, rest), At: e.At, failure: f, Entries: e.Entries, Run: e.Run, Also: e.Also, Asked: e.Asked,
		Wide: e.Wide || f.Err == "" || len(e.Kids) > 0,
	}
}

// maxDocName is the longest URL by which a document is known as it is.
const maxDocName = 256

// cutURL returns the URL, or the start of one that is long, with the digest of all.
func cutURL(loc string) (start, rest string) {
	if len(loc) <= maxDocName {
		return loc, ""
	}
	sum := sha256.Sum256([]byte(loc))
	return strings.ToValidUTF8(loc[:maxDocName-50], ""), hex.EncodeToString(sum[:16])
}

// docName returns what a State knows a document by. That of one whose URL is long is no URL.
func docName(loc string) string { return wholeName(cutURL(loc)) }

func wholeName(start, rest string) string {
	if rest == "" {
		return start
	}
	return "\x00" + start + "\x00" + rest
}

// name is the docName of the entry.
func (e *entry) name() string {
	if e.Rest != "" {
		return wholeName(e.URL, e.Rest)
	}
	return docName(e.URL)
}

// location returns the URL, as far as it is known.
func (e *entry) location() string {
	if e.Rest != "" {
		return e.URL + "…"
	}
	return e.URL
}

// lacks reports whether URLs of the document, read under these grants, may be missing.
func (e *entry) lacks(scope Scope) bool {
	return len(e.Scopes) > 0 && !slices.Contains(e.Scopes, scope.digest())
}

// cost returns the memory of the children of the document, and of those that it had when it was
// last read.
func (e *entry) cost() int {
	if e.Last != nil {
		return costOf(e.Kids) + costOf(e.Last.Kids)
	}
	return costOf(e.Kids)
}

// entryCost is the memory of an entry, beside its texts.
const entryCost = 420

// size returns the memory, about, of the entry without children, and of that from when the document
// was last read; of one that is read anew none, or these would take the room of others.
func (e *entry) size() int {
	if e == nil || e.Wide {
		return 0
	}
	n := entryCost + len(e.URL) + len(e.Rest) + len(e.Final) + len(e.ETag) + len(e.Modified) + len(e.Digest) + len(e.LastMod) + len(e.Err) + 8*len(e.Also)
	for _, list := range [][]string{e.Asked, e.Unverified, e.Verified, e.Scopes} {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	if e.Last != nil {
		n += e.Last.size() - len(e.Last.URL) // which is ours, see State.put
	}
	return n
}

// runs returns the numbers of the walks that have read the document.
func (e *entry) runs() []int { return slices.Concat(e.Also, []int{e.Run}) }

// readBy reports whether the walk of that number has read the document.
func (e *entry) readBy(run int) bool { return e.Run == run || slices.Contains(e.Also, run) }

// An opaque is text of a server's, in JSON, which has no bytes that are not UTF-8.
type opaque string

const opaquePrefix = "base64:"

func (o opaque) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(o)) && !strings.HasPrefix(string(o), opaquePrefix) {
		return []byte(o), nil
	}
	return base64.StdEncoding.AppendEncode([]byte(opaquePrefix), []byte(o)), nil
}

func (o *opaque) UnmarshalText(text []byte) error {
	encoded, ok := bytes.CutPrefix(text, []byte(opaquePrefix))
	if ok {
		var err error
		if text, err = base64.StdEncoding.AppendDecode(nil, encoded); err != nil {
			return err
		}
	}
	*o = opaque(text)
	return nil
}

// A kid is a child of an index.
type kid struct {
	Loc     string `json:"l"`
	LastMod string `json:"m,omitempty"`
}

// A kids is the children of an index, while they take no more than maxKids bytes of memory.
type kids struct {
	list []kid
	cost int
}

func (k *kids) add(loc, lastMod string) {
	added := kid{loc, lastMod}
	if k.cost += added.cost(); k.cost > maxKids {
		k.list = nil
		return
	}
	k.list = append(k.list, added)
}

func (k *kids) tooMany() bool { return k.cost > maxKids }

func costOf(list []kid) (cost int) {
	for _, k := range list {
		cost += k.cost()
	}
	return cost
}

func (k kid) cost() int { return kidCost + len(k.Loc) + len(k.LastMod) }

const (
	kidCost = 40 // bytes of memory beside its text
	// maxKids is enough for as many children as the protocol allows, with locations of 200
	// bytes and lastmods.
	maxKids = 12 << 20
)
