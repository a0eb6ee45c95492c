package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// Credentials are not in the command line that is written to files.
func TestCommandLine(t *testing.T) {
	cmd := &cobra.Command{}
	(&FetchFlags{}).Add(cmd)
	words := []string{
		"urls", "-H", "Authorization: Basic x", "-HCookie: a=b", "--proxy=http://u:p@proxy:1", "--proxy",
		"http://u:p@proxy:1", "-A", "me (+http://me.example)", "https://u:p@example.com/a.xml", "u:p@example.com",
	}
	if err := cmd.ParseFlags(words); err != nil {
		t.Fatal(err)
	}
	a := NewApp(t.Context(), nil, nil, nil)
	a.SetCommandLine(cmd, words)
	const want = `sitemap urls -H Authorization:... -HCookie:... --proxy=http://proxy:1 --proxy http://proxy:1 ` +
		`-A "me (+http://me.example)" https://example.com/a.xml example.com`
	if a.CommandLine != want {
		t.Errorf("got  %s\nwant %s", a.CommandLine, want)
	}
}
