// Package jsonl writes JSON and errors as the command prints them and as the parts of a batch hold
// them.
package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// Marshal returns v as JSON. HTML characters are not escaped; the control characters U+0080 to
// U+009F are, since they steer terminals.
func Marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // v is a type of ours that JSON can represent
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if bytes.IndexByte(line, c1Lead) < 0 {
		return line
	}
	return c1().ReplaceAllFunc(line,
		func(char []byte) []byte { return fmt.Appendf(nil, `\u%04x`, char[1]) })
}

// c1 matches the control characters that JSON allows as they are. In UTF-8 they begin with c1Lead.
var c1 = pattern.Of("[\u0080-\u009f]")

const c1Lead = 0xc2

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, Marshal(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
