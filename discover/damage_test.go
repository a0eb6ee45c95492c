package discover

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// An interrupted is a run over two sites whose process ended before it was over.
type interrupted struct {
	w     *web
	path  string
	sites []string
	want  []string // by a run that is not interrupted
}

func newInterrupted(t *testing.T) *interrupted {
	r := &interrupted{w: newWeb(), path: filepath.Join(t.TempDir(), "state")}
	for _, site := range []string{"https://a.test", "https://b.test"} {
		r.sites = append(r.sites, site)
		var children []string
		for i := range 4 {
			child := fmt.Sprintf("%s/%d.xml", site, i)
			page := fmt.Sprintf("%s/%d", site, i)
			children, r.want = append(children, child), append(r.want, page)
			r.w.handle(child, func(rw http.ResponseWriter, req *http.Request) {
				rw.Header().Set("ETag", `"1"`)
				if req.Header.Get("If-None-Match") != "" {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				rw.Write([]byte(urlset(page)))
			})
		}
		r.w.serve(site+"/robots.txt", "Sitemap: "+site+"/index.xml\n")
		r.w.serve(site+"/index.xml", index(children...))
	}
	return r
}

// run goes on behind out until so many documents have ended, and returns the output then.
func (r *interrupted) run(t *testing.T, out []string, documents int) []string {
	t.Helper()
	state := openState(t, r.path)
	defer state.Abandon()
	offset, _, err := state.Resume("out", r.sites...)
	if err != nil {
		t.Fatal(err)
	}
	out = slices.Clone(out[:offset])
	done := func(*Sitemap, Summary) {
		state.Note(int64(len(out)))
		documents--
	}
	for _, site := range r.sites {
		for u, err := range r.w.client().URLs(context.Background(), site, &Options{State: state, Done: done}) {
			if err != nil || documents < 1 {
				break
			}
			out = append(out, u.Loc)
		}
	}
	return out
}

// journal returns what the file holds.
func (r *interrupted) journal(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(r.path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// journals calls f with journals of the run, and what it had written when they were: as it was
// interrupted, compacted, and interrupted again.
func (r *interrupted) journals(t *testing.T, f func(name string, journal []byte, out []string)) {
	out := r.run(t, nil, 7)
	first := r.journal(t)
	if err := openState(t, r.path).Abandon(); err != nil { // which compacts it
		t.Fatal(err)
	}
	compacted := r.journal(t)
	more := r.run(t, out, 2)
	again := r.journal(t)
	f("at first", first, out)
	f("compacted", compacted, out)
	f("again", again, more)
}

// goesOn goes on from a journal, and sees to it that the output is that of a run that was not
// interrupted.
func (r *interrupted) goesOn(t *testing.T, what string, journal []byte, out []string) {
	t.Helper()
	if err := os.WriteFile(r.path, journal, 0o600); err != nil {
		t.Fatal(err)
	}
	equal(t, what, r.run(t, out, 100), r.want)
}

// TestStateDamaged: whatever line of a State is damaged, an interrupted run that is cut to where
// it is to be goes on with each URL once.
func TestStateDamaged(t *testing.T) {
	r := newInterrupted(t)
	r.journals(t, func(name string, journal []byte, out []string) {
		lines := bytes.SplitAfter(journal, []byte("\n"))
		for i := 1; i < len(lines)-1; i++ {
			for how, damaged := range map[string][]byte{
				"no JSON": append([]byte("damaged "), lines[i]...),
				"a key":   bytes.Replace(lines[i], []byte(`":`), []byte(`x":`), 1),
				"a value": bytes.Replace(lines[i], []byte(`:"`), []byte(`:"x`), 1),
				"zeros":   make([]byte, len(lines[i])),
				"merged":  bytes.TrimSuffix(lines[i], []byte("\n")),
			} {
				was := lines[i]
				lines[i] = damaged
				r.goesOn(t, fmt.Sprintf("%s, line %d, %s", name, i, how), bytes.Join(lines, nil), out)
				lines[i] = was
			}
		}
	})
}

// TestStateTorn: so does one whose journal was not written to its end, wherever that is.
func TestStateTorn(t *testing.T) {
	t.Parallel()
	r := newInterrupted(t)
	r.journals(t, func(name string, journal []byte, out []string) {
		for cut := 0; cut <= len(journal); cut += 1 + cut%5 {
			r.goesOn(t, fmt.Sprintf("%s, cut at %d", name, cut), journal[:cut], out)
		}
		r.goesOn(t, name+", zeros behind it", append(slices.Clone(journal), make([]byte, maxLine+100_000)...), out)
	})
}

// TestStateOfOldRun: documents that an interrupted run has read are not forgotten, however long
// ago that was, by the clock at least.
func TestStateOfOldRun(t *testing.T) {
	r := newInterrupted(t)
	out := r.run(t, nil, 3)
	state := openState(t, r.path)
	for _, e := range state.entries {
		e.At = time.Now().Add(-2 * maxStateAge).Unix()
		state.journal.append(&line{Kind: lineDoc, Doc: e})
	}
	state.Abandon()
	equal(t, "output", r.run(t, out, 100), r.want)
}

// TestStateForgets: documents that no walk meets are forgotten, and what was known of their hosts.
func TestStateForgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	state := openState(t, path)
	for i, days := range []int{1, 100} {
		host := fmt.Sprintf("h%d.test", i)
		at := time.Now().AddDate(0, 0, -days).Unix()
		state.journal.append(&line{Kind: lineDoc, Doc: &entry{URL: "https://" + host + "/", At: at}})
		state.journal.append(&line{Kind: lineHost, Host: host, Mods: &honesty{Right: 1}})
	}
	state.Close()
	openState(t, path).Close()
	state = openState(t, path)
	defer state.Close()
	if len(state.entries) != 1 || len(state.hosts) != 1 || state.hosts["h0.test"] == nil {
		t.Errorf("documents %v, hosts %v", state.entries, state.hosts)
	}
}

// TestStateOpaque: validators come back as they were, and walks are known by names, whatever
// their bytes.
func TestStateOpaque(t *testing.T) {
	w := newWeb()
	tag := "\"\xe9\""
	w.handle("https://a.test/s.xml", func(rw http.ResponseWriter, req *http.Request) {
		rw.Header()["Etag"] = []string{tag}
		if req.Header.Get("If-None-Match") == tag {
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Write([]byte(urlset("https://a.test/1")))
	})
	path := filepath.Join(t.TempDir(), "state")
	for _, want := range []int{1, 0} {
		state := openState(t, path)
		if got := slices.Collect(state.walkOnce(w.client(), named("https://a.test/s.xml"))); len(got) != want {
			t.Errorf("%q, want %d", got, want)
		}
		state.Close()
	}
	for _, interrupted := range []bool{false, true} {
		state := openState(t, path)
		if _, _, err := state.Resume("out", "https://a.test/\xe9.xml"); err != nil {
			t.Errorf("interrupted %t: %v", interrupted, err)
		}
		state.Note(1)
		for range state.walkOnce(w.client(), named("https://a.test/\xe9.xml")) {
		}
		state.Abandon()
	}
	for _, tag := range []opaque{"", `"1"`, "base64:", "\xff", "é"} {
		text, _ := tag.MarshalText()
		var got opaque
		if err := got.UnmarshalText(text); err != nil || got != tag {
			t.Errorf("%q came back as %q, %v", tag, got, err)
		}
	}
}

// TestStateRemoved: a State whose file is not there any more when it is closed says so.
func TestStateRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	state := openState(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := state.Close(); err == nil {
		t.Error("no error")
	}
}

// TestResumeOfSharedDocuments: what two walks of a run read, and the one that was interrupted had
// read, is not yielded again by it when the other, which comes first now, has read it too.
func TestResumeOfSharedDocuments(t *testing.T) {
	w := newWeb()
	var pages, children []string
	for i := range 4 {
		child, page := fmt.Sprintf("https://a.test/%d.xml", i), fmt.Sprintf("https://a.test/%d", i)
		children, pages = append(children, child), append(pages, page)
		w.serve(child, urlset(page))
	}
	w.serve("https://a.test/1st.xml", index(children...))
	w.serve("https://a.test/2nd.xml", index(children...))
	path := filepath.Join(t.TempDir(), "state")
	run := func(stop string, walks ...string) (got []string) {
		state := openState(t, path)
		defer state.Abandon()
		if _, _, err := state.Resume("out", walks...); err != nil {
			t.Fatal(err)
		}
		for _, walk := range walks {
			for loc := range state.walkOnce(w.client(), named(walk)) {
				if loc == stop {
					return got
				}
				got = append(got, loc)
			}
		}
		return got
	}
	before := run(pages[2], "https://a.test/1st.xml")
	after := run("", "https://a.test/2nd.xml", "https://a.test/1st.xml")
	equal(t, "before", before, pages[:2])
	equal(t, "after", after, append(slices.Clone(pages), pages[2:]...))
}
