// Package jsonl writes JSON and errors as the command prints them and as the parts of a batch hold
// them.
package jsonl

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Marshal returns v as JSON in which HTML characters are not escaped.
func Marshal(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // v is a type of ours that JSON can represent
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, Marshal(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
