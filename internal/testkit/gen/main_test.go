package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

func TestRun(t *testing.T) {
	var plain, zipped, errs bytes.Buffer
	if err := run([]string{"-kind", "text", "-n", "3"}, &plain, &errs); err != nil {
		t.Fatal(err)
	}
	if want := gendoc.Bytes(gendoc.Text, 3); !bytes.Equal(plain.Bytes(), want) {
		t.Errorf("got %q, want %q", plain.Bytes(), want)
	}
	if err := run([]string{"-kind", "text", "-n", "3", "-gzip"}, &zipped, &errs); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&zipped)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, plain.Bytes()) {
		t.Errorf("gzip: %q, %v, want %q", got, err, plain.Bytes())
	}
	if err := run([]string{"-kind", "none"}, io.Discard, &errs); err == nil {
		t.Error("an unknown kind gives no error")
	}
}
