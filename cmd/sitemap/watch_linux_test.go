package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// Events after logrotate has moved the file go to a new one, and none is lost.
func TestWatch_Moved(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		os.Rename(out, out+".1")
		fmt.Fprintf(w, "Sitemap: /s.txt\nhttp://%s/%s\n", r.Host, r.URL.Path[1:2])
	}))
	defer s.Close()
	for _, old := range []string{"", "old\n"} {
		os.WriteFile(out, []byte(old), 0o600)
		runArgs(t, watchArgs(s.URL, t.TempDir(), "--initial", "-o", out)...).want(t, cli.ExitOK, "")
		if text, err := os.ReadFile(out); string(text) != "+ "+s.URL+"/s\n" || err != nil {
			t.Errorf("the file holds %q, %v", text, err)
		}
	}
	if text, err := os.ReadFile(out + ".1"); string(text) != "old\n" || err != nil {
		t.Errorf("the file that was moved holds %q, %v", text, err)
	}
}
