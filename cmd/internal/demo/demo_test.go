package demo

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

var update = flag.Bool("update", false, "write expected.txt")

func TestDemo(t *testing.T) {
	const golden = "expected.txt"
	if *update { // what is embedded counts from the next run on, which tests it
		var text strings.Builder
		if err := run(t.Context(), &text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var got, diag strings.Builder
	cmd := Command(cli.NewApp(t.Context(), nil, &got, &diag))
	cmd.SetArgs([]string{})
	if err := cmd.ExecuteContext(t.Context()); err != nil || got.String() != string(want) || diag.Len() > 0 {
		t.Errorf("printed\n%s\nwant\n%s\n%s%v", got.String(), want, diag.String(), err)
	}
}
