package discover

import (
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// A record is what a Store keeps of one document.
type record struct {
	URL          string `json:"url"`
	Final        string `json:"final,omitempty"`
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	Digest       []byte `json:"digest,omitempty"`  // of its entries
	LastMod      string `json:"lastmod,omitempty"` // as its referrer listed it
	family
	Lost    int    `json:"lost,omitempty"`    // children for which there was no room
	Partial bool   `json:"partial,omitempty"` // something was left out, but not all
	Err     string `json:"err,omitempty"`     // why it could not be read
	Read    int64  `json:"read,omitempty"`    // when it was last read, in Unix seconds
	Run     uint32 `json:"run"`               // that ended it last
	// Earlier are the runs of other walks that ended it before, the last ones only. Such a walk, if
	// it is resumed, must not read the document again.
	Earlier []uint32 `json:"earlier,omitempty"`
}

// maxEarlier is how many other walks of a document are remembered.
const maxEarlier = 3

// endedIn reports whether the document was ended in a run.
func (r *record) endedIn(number uint32) bool {
	return r.Run == number || slices.Contains(r.Earlier, number)
}

// before returns Earlier for a run that ends the document now.
func (r *record) before(number uint32) []uint32 {
	runs := append(slices.Clone(r.Earlier), r.Run)
	runs = slices.DeleteFunc(runs, func(n uint32) bool { return n == number || n == 0 })
	return runs[max(0, len(runs)-maxEarlier):]
}

// A family is the children of an index in its record: a line each, in parts of bounded size.
type family struct {
	Children string `json:"children,omitempty"` // the first part
	Parts    int    `json:"parts,omitempty"`    // further parts, which have keys of their own
	Slot     int    `json:"slot,omitempty"`     // in these keys: 0 and 1 in turn
}

// failedEmpty reports whether the document failed before its first entry.
func (r *record) failedEmpty() bool { return r.Err != "" && !r.Partial }

// storedTime returns the text of a lastmod, with its precision and "?" if its zone was assumed.
func storedTime(t sitemap.Time) string {
	s := t.String()
	if t.Precision() == sitemap.Minute {
		s = s[:len("2006-01-02T15:04")] + s[len("2006-01-02T15:04:05"):]
	}
	if t.ZoneAssumed() {
		s += "?"
	}
	return s
}

// parseStoredTime reads what storedTime returns. It returns the zero Time for invalid text.
func parseStoredTime(s string) sitemap.Time {
	text, assumed := strings.CutSuffix(s, "?")
	t, err := sitemap.ParseTime(text)
	switch {
	case err != nil:
		return sitemap.Time{}
	case assumed:
		return t.AssumeZone()
	}
	return t
}

// A plan is what the Store says of a document before it is requested.
type plan struct {
	record      *record // nil if there is none
	brief       bool    // the children are left out of it
	skip        Skipped // SkippedState, SkippedResume or ""
	conditional bool    // send the validators
	trial       bool    // it is requested only to prove its host's lastmods
}
