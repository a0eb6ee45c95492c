package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/frontier/frontiertest"
)

// TestScripts compares whole outputs. In a script, the command "sitemap" requests http://HOST/PATH
// from the file web/HOST/PATH. Beside it and the commands of testscript there are
//
//	masked FILE   writes FILE, stdout or stderr, without times into FILE.txt
//	crawl NAME    writes the URLs of a crawl of the frontier at $FRONTIER into NAME.txt
func TestScripts(t *testing.T) {
	dir, err := filepath.Abs("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sitemap": scriptCommand, "masked": masked, "crawl": crawl,
		},
		Setup: func(e *testscript.Env) error {
			s := &frontiertest.Server{}
			e.Values["frontier"] = s
			e.Setenv("FRONTIER", "urlfrontier://"+s.Start(t))
			return nil
		},
	})
}

// workingFolder is held while the working folder is that of a script.
var workingFolder sync.Mutex

// scriptCommand is the command in scripts. It runs in this process, since to start one takes longer
// than most commands do.
func scriptCommand(ts *testscript.TestScript, fails bool, args []string) {
	workingFolder.Lock()
	defer workingFolder.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before)
	a := cli.NewApp(context.Background(), strings.NewReader(""), ts.Stdout(), ts.Stderr())
	a.Transport = webFolder("web")
	if status := execute(a, args); (status != cli.ExitOK) != fails {
		ts.Fatalf("exit status %d", status)
	}
}

// A webFolder answers requests with files.
type webFolder string

func (w webFolder) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}
	f, err := os.Open(filepath.Join(string(w), r.URL.Host, r.URL.Path))
	if err != nil {
		answer.StatusCode = http.StatusNotFound
	} else {
		answer.Body = f
	}
	answer.Status = http.StatusText(answer.StatusCode)
	return answer, nil
}

var (
	scriptTime     = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:[\d.]+(Z|[+-]\d\d:\d\d)`)
	scriptDuration = regexp.MustCompile(`\b[\d.]+m?s\b`)
)

func masked(ts *testscript.TestScript, _ bool, args []string) {
	text := scriptTime.ReplaceAllString(ts.ReadFile(args[0]), "TIME")
	text = scriptDuration.ReplaceAllString(text, "DURATION")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".txt"), []byte(text), 0o600))
}

func crawl(ts *testscript.TestScript, _ bool, args []string) {
	var b strings.Builder
	for _, u := range ts.Value("frontier").(*frontiertest.Server).URLs(args[0]) {
		fmt.Fprintf(&b, "%s %s\n", u.Key, u.URL)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".txt"), []byte(b.String()), 0o600))
}
