package state_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
)

const task = "STATE_TEST_TASK"

// TestMain does a task in another process where command asks for it.
func TestMain(m *testing.M) {
	switch name, arg, _ := strings.Cut(os.Getenv(task), " "); name {
	case "":
		os.Exit(m.Run())
	case "open":
		f, err := state.Open(arg)
		switch {
		case errors.Is(err, state.ErrLocked):
			fmt.Println("locked")
		case err == nil:
			fmt.Println("opened")
			f.Close()
		default:
			fmt.Println(err)
		}
	case "walk":
		stop, dir, _ := strings.Cut(arg, " ")
		n, err := strconv.Atoi(stop)
		if err == nil {
			err = walk(dir, n)
		}
		fmt.Println("ended", err)
		io.Copy(io.Discard, os.Stdin)
	}
}

// command returns a process that does a task.
func command(t *testing.T, name, arg string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), task+"="+name+" "+arg)
	return cmd
}

const documents, each = 8, 5

// site is an index of documents.
func site() *discover.Client {
	files := fstest.MapFS{"robots.txt": {Data: []byte("Sitemap: /i.xml")}}
	list := "<sitemapindex>"
	for i := range documents {
		list += fmt.Sprintf("<sitemap><loc>https://example.com/%d.xml</loc></sitemap>", i)
		set := "<urlset>"
		for j := range each {
			set += fmt.Sprintf("<url><loc>https://example.com/%d/%d</loc></url>", i, j)
		}
		files[fmt.Sprint(i, ".xml")] = &fstest.MapFile{Data: []byte(set + "</urlset>")}
	}
	files["i.xml"] = &fstest.MapFile{Data: []byte(list + "</sitemapindex>")}
	return &discover.Client{Fetch: &fetch.Client{Transport: http.NewFileTransportFS(files)}}
}

// walk writes the URLs of the site to the file out in dir, and goes on where the walk before was
// stopped. After n URLs it prints "stopped" and waits to be killed.
func walk(dir string, stop int) error {
	db, err := state.Open(filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	out, err := os.OpenFile(filepath.Join(dir, "out"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	length, err := db.Get("out/length")
	if err != nil {
		return err
	}
	at, _ := strconv.ParseInt(string(length), 10, 64)
	if err := out.Truncate(at); err != nil {
		return err
	}
	n := 0
	o := &discover.Options{Store: db, Run: "1", Done: func(*discover.Sitemap, discover.Summary) {
		db.Sync() // of the documents before
		db.Put("out/length", strconv.AppendInt(nil, at, 10))
	}}
	for u, err := range site().URLs(context.Background(), "example.com", o) {
		if err != nil {
			return err
		}
		if n++; n > stop {
			fmt.Println("stopped")
			io.Copy(io.Discard, os.Stdin)
		}
		written, err := out.WriteAt([]byte(u.Loc+"\n"), at)
		if err != nil {
			return err
		}
		at += int64(written)
	}
	return db.Close()
}

// TestFile_Killed: a process that walks is killed, wherever it is, and begun again: in the end its
// output has each URL once.
func TestFile_Killed(t *testing.T) {
	dir := t.TempDir()
	killed := 0
	for _, stop := range []int{0, 1, 7, 4, 11, 12, 3, 5, 6, 1000} {
		cmd := command(t, "walk", fmt.Sprint(stop, " ", dir))
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(stdout).ReadString('\n')
		cmd.Process.Kill()
		cmd.Wait()
		if err != nil || stop < 1000 && line != "stopped\n" && !strings.HasPrefix(line, "ended <nil>") {
			t.Fatalf("stop %d: %q, %v", stop, line, err)
		}
		if line == "stopped\n" {
			killed++
		} else {
			break
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i := range documents {
		for j := range each {
			fmt.Fprintf(&want, "https://example.com/%d/%d\n", i, j)
		}
	}
	if string(text) != want.String() || killed < 6 {
		t.Errorf("killed %d times:\n%s", killed, text)
	}
}
