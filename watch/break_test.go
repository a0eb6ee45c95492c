package watch_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/watch"
)

// TestBreaks: a loop that breaks off anywhere, while the site goes on changing, learns each thing
// once, and in the end what is listed.
func TestBreaks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		web := newWeb()
		w := web.watcher()
		w.Initial = true
		listed, known, ids := map[string]string{}, map[string]bool{}, map[string]bool{}
		files, named := []string{"0", "1", "2"}, 3
		serve := func() {
			var list []string
			for _, file := range files {
				list = append(list, file)
				var pages []string
				for page, in := range listed {
					if in == file {
						pages = append(pages, page)
					}
				}
				slices.Sort(pages)
				web.serve(file, urlset(pages...))
			}
			web.serve("i", index(list...))
		}
		change := func() {
			page, i := fmt.Sprintf("p%d", r.IntN(60)), r.IntN(len(files))
			switch r.IntN(20) {
			default: // it is published or moves
				listed[page] = files[i]
			case 1, 2, 3, 4, 5, 6, 7:
				delete(listed, page)
			case 8: // a sitemap is renamed
				name := fmt.Sprint(named)
				named++
				for page, in := range listed {
					if in == files[i] {
						listed[page] = name
					}
				}
				web.fail(files[i], 404)
				files[i] = name
			}
		}
		web.serve("robots.txt", "Sitemap: /i")
		for day := range 70 {
			if day < 45 {
				for range r.IntN(12) {
					change()
				}
			}
			serve()
			for range 6 {
				left := r.IntN(8)
				if day >= 45 {
					left = 1000
				}
				for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
					if err != nil {
						t.Fatal(err)
					}
					if left--; left < 0 {
						break
					}
					page := strings.TrimPrefix(e.URL.Loc, "https://a.test/")
					if ids[e.ID] {
						t.Errorf("day %d: %s again", day, short(e))
					}
					ids[e.ID] = true
					switch isNew := e.Kind == watch.Added; {
					case e.URL.Loc == "":
					case known[page] == isNew:
						t.Errorf("day %d: %s, and known is %v", day, short(e), known[page])
					default:
						known[page] = isNew
					}
				}
				time.Sleep(4 * time.Hour)
			}
		}
		for i := range 60 {
			page := fmt.Sprintf("p%d", i)
			if _, ok := listed[page]; ok != known[page] {
				t.Errorf("%s is listed: %v, known: %v", page, ok, known[page])
			}
		}
	})
}

// A mortal Store belongs to a process that is killed: what was not synced until then is lost. Or it
// cannot be read any more from some time on.
type mortal struct {
	discover.Store
	isUnreadable bool
	mu           sync.Mutex
	pending      map[string][]byte
	left         int // puts, or gets, until then
}

func (m *mortal) Get(key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isUnreadable {
		if m.left--; m.left < 0 {
			return nil, errors.New("unreadable")
		}
	}
	if value, ok := m.pending[key]; ok {
		return value, nil
	}
	return m.Store.Get(key)
}

func (m *mortal) Put(key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.isUnreadable {
		m.left--
	}
	m.pending[key] = slices.Clone(value)
	return nil
}

func (m *mortal) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left < 0 && !m.isUnreadable {
		return nil
	}
	for key, value := range m.pending {
		if err := m.Store.Put(key, value); err != nil {
			return err
		}
	}
	clear(m.pending)
	return nil
}

// TestKills: a process that is killed anywhere, or whose Store cannot be read, again and again while
// a site changes, has said in the end what is listed. What it says again has the same ID.
func TestKills(t *testing.T) {
	testKills(t, false)
	testKills(t, true)
}

func testKills(t *testing.T, isUnreadable bool) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		web := newWeb()
		w := web.watcher()
		w.Initial = true
		store := &mortal{Store: w.Store, isUnreadable: isUnreadable, pending: map[string][]byte{}}
		w.Store = store
		listed, known, said := map[string]string{}, map[string]bool{}, map[string]string{}
		files, named := []string{"0", "1", "2"}, 3
		web.serve("robots.txt", "Sitemap: /i")
		run := func(day int) {
			for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
				if err != nil {
					if !isUnreadable {
						t.Error(err)
					}
					break
				}
				time.Sleep(time.Duration(r.IntN(80)) * time.Millisecond)
				if before, ok := said[e.ID]; ok {
					if before != short(e) {
						t.Errorf("day %d: %s has the ID of %s", day, short(e), before)
					}
					continue
				}
				said[e.ID] = short(e)
				page, isNew := strings.TrimPrefix(e.URL.Loc, "https://a.test/"), e.Kind == watch.Added
				if e.URL.Loc != "" && known[page] == isNew {
					t.Errorf("day %d: %s, and known is %v", day, short(e), known[page])
				}
				if e.URL.Loc != "" {
					known[page] = isNew
				}
			}
		}
		for day := range 10 + 10**kills {
			for range r.IntN(10) {
				page, i := fmt.Sprintf("p%d", r.IntN(40)), r.IntN(len(files))
				switch r.IntN(12) {
				default:
					listed[page] = files[i]
				case 1, 2, 3, 4, 5:
					delete(listed, page)
				case 6: // a sitemap is renamed
					name := fmt.Sprint(named)
					named++
					for page, in := range listed {
						if in == files[i] {
							listed[page] = name
						}
					}
					web.fail(files[i], 404)
					files[i] = name
				}
			}
			for _, file := range files {
				var pages []string
				for _, page := range slices.Sorted(maps.Keys(listed)) {
					if listed[page] == file {
						pages = append(pages, page)
					}
				}
				web.serve(file, urlset(pages...))
			}
			web.serve("i", index(files...))
			for range 6 {
				for range 3 {
					store.left = r.IntN(30)
					run(day)
					clear(store.pending)
				}
				store.left = math.MaxInt
				run(day)
				time.Sleep(4 * time.Hour)
			}
		}
		store.left = math.MaxInt
		for range 60 {
			run(100)
			time.Sleep(4 * time.Hour)
		}
		for i := range 40 {
			page := fmt.Sprintf("p%d", i)
			if _, ok := listed[page]; ok != known[page] {
				t.Errorf("%s is listed: %v, known: %v", page, ok, known[page])
			}
		}
	})
}

// TestPanic: a loop that panics leaves nothing running.
func TestPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		web := newWeb()
		web.serve("robots.txt", "Sitemap: /s")
		web.serve("s", urlset("1", "2"))
		w := web.watcher()
		w.Initial = true
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		for range w.Events(t.Context(), slices.Values([]string{"a.test"})) {
			panic("here")
		}
	})
}

// A failing Store fails from a Put on.
type failing struct {
	discover.Store
	left int
}

func (f *failing) Put(key string, value []byte) error {
	if f.left--; f.left < 0 {
		return errors.New("full")
	}
	return f.Store.Put(key, value)
}

// TestStoreFails: whichever Put fails, the next range finds what has changed, and gives what it has
// said before the same ID.
func TestStoreFails(t *testing.T) {
	testStoreFails(t)
	var pages []string // a list of them takes several Puts
	random, path := rand.NewChaCha8([32]byte{}), make([]byte, 1_200)
	for range 60 {
		random.Read(path)
		pages = append(pages, base64.RawURLEncoding.EncodeToString(path))
	}
	testStoreFails(t, pages...)
}

func testStoreFails(t *testing.T, pages ...string) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		for n := 0; ; n++ {
			web := newWeb()
			web.serve("robots.txt", "Sitemap: /a\nSitemap: /b")
			web.serve("a", urlset(append(pages, "1", "2")...))
			web.serve("b", urlset("3"))
			w := web.watcher()
			store := w.Store
			want(t, "first", once(t, w))
			web.serve("a", urlset(append(pages, "1", "4")...))
			time.Sleep(2 * day)
			failing := &failing{store, n}
			w.Store = failing
			got := map[string]string{} // by ID
			for i := range 14 {
				if i == 2 {
					w.Store = store
				}
				for e, err := range w.Once(t.Context(), slices.Values([]string{"a.test"})) {
					if err == nil {
						got[e.ID] = short(e)
						time.Sleep(time.Second) // so that it is stored before the next one
					}
				}
				if i >= 2 {
					time.Sleep(day / 4)
				}
			}
			want(t, fmt.Sprint("after ", n, " puts"), slices.Collect(maps.Values(got)),
				"added 4", "removed 2")
			if failing.left > 0 { // than there were
				if n < 2 {
					t.Errorf("no more than %d puts", n)
				}
				return
			}
		}
	})
}
