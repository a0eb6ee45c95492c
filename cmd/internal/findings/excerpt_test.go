package findings

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
)

// A line is cut to the width with the caret under the same character.
func TestFit(t *testing.T) {
	ascii := strings.Repeat("a", 60) + "X" + strings.Repeat("b", 60)
	wide := strings.Repeat("日本", 20) + "X" + strings.Repeat("語", 40)
	for _, test := range []struct {
		name, line string
		width      int
	}{
		{"no width", ascii, 0},
		{"in the middle", ascii, 76},
		{"narrow", ascii, 20},
		{"short", "<a>X</a>", 76},
		{"at the start", "X" + strings.Repeat("b", 100), 76},
		{"at the end", strings.Repeat("a", 100) + "X", 76},
		{"wide characters", wide, 76},
		{"tabs", strings.Repeat("\t", 90) + "X", 76},
		{"combining marks", strings.Repeat("e\u0301", 50) + "X" + strings.Repeat("b", 50), 76},
		{"a control character", strings.Repeat("\u009b", 80) + "X", 76},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, column := fit(test.line, strings.IndexByte(test.line, 'X'), test.width)
			if w := runewidth.StringWidth(text); test.width > 0 && w > test.width {
				t.Errorf("%d columns: %s", w, text)
			}
			if before, _, ok := strings.Cut(text, "X"); !ok || runewidth.StringWidth(before) != column {
				t.Errorf("the caret is in column %d of %s", column, text)
			}
		})
	}
	if text, column := fit("abc", 10, 76); text != "abc" || column != 3 {
		t.Errorf("after the end: %q, %d", text, column)
	}
}
