package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// A digest is of the entries that a document lists, not of its bytes: it tells
// whether lastmods are honest, and many a generator writes the time into a comment
// of a document in which nothing has changed. The zero digest is none, and takes
// nothing.
type digest struct {
	h    hash.Hash
	buf  []byte
	bare bool // of entries without their extensions
}

func (r *run) digest(bare bool) digest {
	if r == nil {
		return digest{}
	}
	return digest{h: sha256.New(), bare: bare}
}

const bareDigest = "bare-"

// sameKind reports whether digests, as String returns them, are of the same
// parts of entries.
func sameKind(a, b string) bool {
	return strings.HasPrefix(a, bareDigest) == strings.HasPrefix(b, bareDigest)
}

func (d *digest) entry(e *sitemap.Entry) {
	b := append(d.buf[:0], e.Loc...)
	b = append(e.LastMod.AppendTo(append(b, '\n')), '\n')
	b = append(e.Published.AppendTo(b), '\n', byte(e.ChangeFreq), byte(e.Kind))
	b = strconv.AppendFloat(b, e.Priority.Or(-1), 'g', -1, 64)
	if e.Extensions != nil {
		// What cannot be written in JSON is left out.
		text, _ := json.Marshal(e.Extensions)
		b = append(b, text...)
	}
	d.buf = append(b, '\n')
	d.h.Write(d.buf)
}

func (d *digest) String() string {
	if d.h == nil {
		return ""
	}
	sum := hex.EncodeToString(d.h.Sum(nil)[:16])
	if d.bare {
		sum = bareDigest + sum
	}
	return sum
}

// digest returns a short text that differs where the grants do, whatever their order.
func (s Scope) digest() string {
	var grants []string
	for _, g := range s.Grants {
		grants = append(grants, fmt.Sprintf("%+v", g))
	}
	slices.Sort(grants)
	sum := sha256.Sum256([]byte(strings.Join(grants, "\n")))
	return hex.EncodeToString(sum[:8])
}
