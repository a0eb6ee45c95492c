package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestDemo(t *testing.T) {
	const golden = "testdata/demo.golden"
	if *update {
		// What is embedded counts from the next run on.
		d, err := walkDemo(t.Context(), &output{sink: newSink(io.Discard)})
		if err == nil {
			err = os.WriteFile("demo/expected.txt", []byte(strings.Join(d.facts, "\n")+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r := runArgs(t, "demo")
	if *update {
		if err := os.WriteFile(golden, []byte(r.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, exitOK, string(want))
}

// The demo fails where it does not show what it should.
func TestDemoChecks(t *testing.T) {
	d := &demo{facts: []string{"a", "b"}}
	for expected, want := range map[string]string{"a\nb\n": "", "a\n": `unexpected "b"`, "a\nb\nc\n": `missing "c"`, "a\nc\n": `"b", not "c"`} {
		err := d.check(expected)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("check(%q) = %v, want %q", expected, err, want)
		}
	}
}
