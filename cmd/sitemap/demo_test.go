package main

import (
	"os"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	const golden = "demo/expected.txt"
	if *update { // what is embedded counts from the next run on
		var text strings.Builder
		if err := runDemo(t.Context(), &text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	runArgs(t, "demo").want(t, exitOK, string(want))
}
