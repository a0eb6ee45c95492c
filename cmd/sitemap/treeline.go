package main

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
)

// A treeObject is a document as "tree --format jsonl" prints it.
type treeObject struct {
	Type      string           `json:"type"`
	Sitemap   string           `json:"sitemap"`
	URL       string           `json:"url,omitempty"`
	Referrer  string           `json:"referrer,omitempty"`
	Robots    string           `json:"robots,omitempty"`
	Line      int              `json:"line,omitempty"`
	Depth     int              `json:"depth"`
	LastMod   sitemap.Time     `json:"lastmod,omitzero"`
	Status    int              `json:"status,omitempty"`
	Attempts  int              `json:"attempts,omitempty"`
	Hops      []treeHop        `json:"hops,omitempty"`
	Format    string           `json:"format,omitempty"`
	Encoding  string           `json:"encoding,omitempty"`
	Entries   int64            `json:"entries"`
	Bytes     int64            `json:"bytes,omitempty"`
	Received  int64            `json:"received,omitempty"`
	Trust     map[string]int64 `json:"trust,omitempty"`
	Problems  map[string]int   `json:"problems,omitempty"`
	LastMods  *treeLastMods    `json:"lastmods,omitempty"`
	FirstByte float64          `json:"first_byte,omitempty"` // seconds
	Elapsed   float64          `json:"elapsed,omitempty"`    // seconds
	Skipped   string           `json:"skipped,omitempty"`
	Error     *treeError       `json:"error,omitempty"`
}

type treeHop struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
}

type treeLastMods struct {
	Count    int64 `json:"count"`
	Equal    int64 `json:"equal"`
	Future   int64 `json:"future"`
	DateOnly int64 `json:"date_only"`
}

type treeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// treeLine returns the line of a document. Documents are few, compared to
// entries: encoding/json will do.
func treeLine(s *discover.Sitemap, sum *discover.Summary) []byte {
	o := treeObject{
		Type:      "document",
		Sitemap:   redact(s.Loc),
		Robots:    s.RobotsURL,
		Line:      s.Line,
		LastMod:   s.LastMod,
		Status:    sum.Status,
		Attempts:  sum.Attempts,
		Format:    sum.Format.String(),
		Encoding:  sum.Encoding,
		Entries:   sum.Entries,
		Bytes:     sum.Bytes,
		Received:  sum.Received,
		FirstByte: seconds(sum.FirstByte),
		Elapsed:   seconds(sum.Elapsed),
		Skipped:   skipped(sum),
	}
	if sum.FinalURL != o.Sitemap {
		o.URL = sum.FinalURL
	}
	for at := s.Referrer; at != nil; at = at.Referrer {
		o.Depth++
	}
	if s.Referrer != nil {
		o.Referrer = redact(s.Referrer.Loc)
	}
	for _, hop := range sum.Hops {
		o.Hops = append(o.Hops, treeHop{hop.URL, hop.Status})
	}
	o.count(sum)
	if sum.Err != nil {
		o.Error = &treeError{failureCode(sum.Err), failureTextOf(o.Sitemap, sum.Err)}
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&o); err != nil {
		panic(err) // no field has a value that JSON has not
	}
	return line.Bytes()
}

// count takes over what is counted by kinds.
func (o *treeObject) count(sum *discover.Summary) {
	if l := sum.LastMods; l.Count > 0 {
		o.LastMods = &treeLastMods{l.Count, l.Equal, l.Future, l.DateOnly}
	}
	for trust, n := range sum.ByTrust {
		if o.Trust == nil {
			o.Trust = map[string]int64{}
		}
		o.Trust[trust.String()] = n
	}
	for code, n := range sum.Problems {
		if o.Problems == nil {
			o.Problems = map[string]int{}
		}
		o.Problems[code.String()] = n
	}
}

// seconds returns d in seconds, to the microsecond.
func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1e6 // which prints as it is
}
