package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// A foreignElement is an element of another namespace in the list of a case.
type foreignElement struct {
	Name     string
	Attrs    map[string]string
	Text     string
	Children []foreignElement
}

// extensionFaults looks for every text and attribute of the listed elements in e's extensions, or
// among those reported as bad_extension. A document with a record that is left out has such a
// problem, too. The tests of parse check which field holds which value.
func extensionFaults(e sitemap.Entry, want []foreignElement,
	problems []sitemap.Problem) (why []string) {
	if len(want) == 0 {
		return nil
	}
	have := map[string]bool{}
	for _, p := range problems {
		if p.Code == sitemap.BadExtension {
			have[plain(p.Text)] = true
		}
	}
	if e.Extensions == nil {
		if len(have) == 0 {
			return []string{e.Loc + ": no extensions"}
		}
		return nil
	}
	b, err := json.Marshal(e.Extensions)
	if err != nil {
		return []string{err.Error()}
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return []string{err.Error()}
	}
	collect(tree, have)
	for _, el := range want {
		for _, v := range el.values() {
			if !have[plain(v)] {
				why = append(why, fmt.Sprintf("%s: extension %s: no value %q", e.Loc, el.Name, v))
			}
		}
	}
	return why
}

// collect records the values in a tree of JSON.
func collect(v any, have map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			collect(child, have)
		}
	case []any:
		for _, child := range v {
			collect(child, have)
		}
	case string:
		have[plain(v)] = true
	case float64:
		have[plain(strconv.FormatFloat(v, 'g', -1, 64))] = true
	case bool:
		have[strconv.FormatBool(v)] = true
	}
}

// lists are elements whose text is a list.
var lists = []string{"keywords", "genres", "stock_tickers", "restriction", "platform"}

// values returns the element's texts and attributes.
func (el *foreignElement) values() (values []string) {
	if text := strings.TrimSpace(el.Text); text != "" {
		if slices.Contains(lists, strings.ToLower(el.Name)) {
			values = strings.FieldsFunc(text, func(r rune) bool {
				return r == ',' || r == ' ' && el.Name != "keywords" && el.Name != "genres"
			})
		} else {
			values = append(values, text)
		}
	}
	for _, v := range el.Attrs {
		if v != "" {
			values = append(values, v)
		}
	}
	for i := range el.Children {
		values = append(values, el.Children[i].values()...)
	}
	return values
}

// plain returns a value in a form that both sides share.
func plain(v string) string {
	v = strings.Join(strings.Fields(v), " ")
	switch strings.ToLower(v) {
	case "yes", "true":
		return "true"
	case "no", "false":
		return "false"
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if t, err := sitemap.ParseTime(v); err == nil {
		return t.String()
	}
	return v
}
