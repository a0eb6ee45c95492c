package batch_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/batch"
)

// Parts are found by their run and domain, whatever these are called.
func TestFolder_Parts(t *testing.T) {
	dir := t.TempDir()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, domain := range []string{"example.com", "192.0.2.7", "2001:db8::1", "a_b.example", "a+2.example", "con", "com1.example"} {
		for _, run := range []string{"1", "2", "2026-11-23"} {
			p, err := f.Part(run, domain)
			if err != nil {
				t.Fatal(err)
			}
			if has, err := f.Has(run, domain); has || err != nil {
				t.Errorf("Has of %s before Commit: %v, %v", domain, has, err)
			}
			if _, err := p.Write([]byte(domain + "\n")); err != nil {
				t.Fatal(err)
			}
			if err := p.Commit(batch.Counts{URLs: int64(len(run))}); err != nil {
				t.Fatal(err)
			}
			p.Discard()
			if has, err := f.Has(run, domain); !has || err != nil {
				t.Errorf("Has of %s after Commit: %v, %v", domain, has, err)
			}
			want[run+" "+domain] = true
		}
	}
	got := map[string]bool{}
	for p, err := range f.Parts("") {
		if err != nil {
			t.Fatal(err)
		}
		got[p.Run+" "+p.Domain] = true
		if lines := linesOf(t, readFile(t, p.Path)); lines != p.Domain+"\n" {
			t.Errorf("%s has %q", p.Path, lines)
		}
		if p.Counts.URLs != int64(len(p.Run)) || time.Since(p.Time) > time.Hour {
			t.Errorf("%+v", p)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if devices, err := filepath.Glob(filepath.Join(dir, "*", "co*.*")); err != nil || len(devices) != 2 {
		t.Errorf("%q, %v: want only those of the later runs of con", devices, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, ".tmp")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A file that is no part is reported, and those after it are found.
func TestFolder_NoPart(t *testing.T) {
	dir := t.TempDir()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	walkAll(t, &web{lastMod: "2024"}, f, tasks(t, hosts(20), "1"), 1)
	if err := os.MkdirAll(filepath.Join(dir, "00"), 0o755); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "00", "bad.example.jsonl.gz")
	if err := os.WriteFile(bad, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	parts, failed := 0, 0
	for _, err := range f.Parts("1") {
		if parts++; err != nil {
			failed++
			if !strings.Contains(err.Error(), bad) {
				t.Errorf("%v does not name %s", err, bad)
			}
		}
	}
	if failed != 1 || parts != len(tasks(t, hosts(20), "1"))+1 {
		t.Errorf("%d of %d parts failed", failed, parts)
	}
}

// What a killed process has left is removed after a day, and not before.
func TestOpenFolder_Left(t *testing.T) {
	dir := t.TempDir()
	f, err := batch.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Part("1", "a.example"); err != nil { // neither ended
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, ".tmp")
	files, err := os.ReadDir(left)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(left, files[0].Name()), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.OpenFolder(dir); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadDir(left); err != nil || len(now) != 1 || now[0].Name() != files[1].Name() {
		t.Errorf("left %v, %v", now, err)
	}
}
