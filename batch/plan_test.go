package batch_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
)

func TestPlan(t *testing.T) {
	const list = "\ufeff# sites\nwww.example.co.uk\nhttps://example.co.uk/sitemap.xml # the shop\n\n" +
		"192.0.2.7:8080\nhttp://[2001:DB8::1]/\t# by tab\nlocalhost\nwww.example.co.uk\nBÜCHER.example\n" +
		"https://user:secret@www.a.github.io/\n a b\nftp://example.com/\n" +
		"http://c.example/\t5\nhttp://d.example/\rhttp://e.example/\nhttp://f.example/\xfc\ufffdü\n"
	got, errs := map[string]string{}, []string{}
	for task, err := range batch.Plan(strings.NewReader(list), "7") {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		if task.Run != "7" || got[task.Domain] != "" {
			t.Errorf("%+v", task)
		}
		got[task.Domain] = strings.Join(task.Targets, " ")
	}
	want := map[string]string{
		"example.co.uk": "www.example.co.uk https://example.co.uk/sitemap.xml",
		"192.0.2.7":     "192.0.2.7:8080", "2001:db8::1": "http://[2001:DB8::1]/",
		"localhost": "localhost", "xn--bcher-kva.example": "BÜCHER.example",
		"a.github.io": "https://user:secret@www.a.github.io/", "f.example": "http://f.example/%FC%EF%BF%BDü",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("planned %q, want %q", got, want)
	}
	wantErrs := []string{
		`line 11: "a b": want a host or an http or https URL`,
		`line 12: "ftp://example.com/": want a host or an http or https URL`,
		`line 13: "http://c.example/\t5": want a host or an http or https URL`,
		`line 14: "http://d.example/\rhttp://e.example/": want a host or an http or https URL`,
	}
	if !slices.Equal(errs, wantErrs) {
		t.Errorf("errors %q, want %q", errs, wantErrs)
	}
}

// A list may be in UTF-16, as shells of Windows write it.
func TestPlan_UTF16(t *testing.T) {
	list := []byte{0xff, 0xfe}
	for _, c := range []byte("b\xfccher.example\r\n# a comment\r\na.example\r\n") { // in Latin-1
		list = append(list, c, 0)
	}
	var got []string
	for task, err := range batch.Plan(bytes.NewReader(list), "1") {
		if err != nil {
			t.Error(err)
		}
		got = append(got, task.Targets...)
	}
	slices.Sort(got)
	if want := []string{"a.example", "bücher.example"}; !slices.Equal(got, want) {
		t.Errorf("planned %q, want %q", got, want)
	}
}

// A list may be gzip-compressed. One that is cut short is planned as far as it can be read.
func TestPlan_Gzip(t *testing.T) {
	var list bytes.Buffer
	z := gzip.NewWriter(&list)
	io.WriteString(z, "a.example\nb.example\n")
	z.Close()
	got := tasks(t, list.String(), "1")
	if len(got) != 2 {
		t.Errorf("planned %v", got)
	}
	var last error
	for _, last = range batch.Plan(bytes.NewReader(list.Bytes()[:list.Len()-8]), "1") {
	}
	if !errors.Is(last, sitemap.ErrTruncated) {
		t.Errorf("a list that is cut short: %v", last)
	}
}

// The message about a document in place of a list is no document itself.
func TestPlan_Document(t *testing.T) {
	for _, err := range batch.Plan(strings.NewReader("<urlset>"+strings.Repeat(" <url>", 1000)), "1") {
		if err == nil || len(err.Error()) > 300 {
			t.Error(err)
		}
	}
}

// The error of a list that breaks off is the last element, and a line that is cut off is no target.
// A line that is too long is no target either.
func TestPlan_Errors(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		list io.Reader
		want []string
	}{
		{
			"breaks off",
			io.MultiReader(strings.NewReader("a.example\nb.exam"), iotest.ErrReader(broken)),
			[]string{"a.example", "broken"},
		},
		{
			"a long line",
			strings.NewReader("a.example\n" + strings.Repeat("x", 1<<17) + "\nb.example"),
			[]string{"line 2: longer than 65536 bytes", "a.example", "b.example"},
		},
	} {
		var got []string
		for task, err := range batch.Plan(test.list, "1") {
			if err != nil {
				got = append(got, err.Error())
			} else {
				got = append(got, task.Domain)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A list is sorted in the folder for temporary files, and no other. If it cannot be, that is the
// last element.
func TestPlan_TempDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", file)
	t.Setenv("TMP", file)
	var last error
	for _, last = range batch.Plan(&sites{n: 50_001}, "1") {
	}
	if last == nil || !strings.Contains(last.Error(), "cannot sort in a temporary file: ") {
		t.Errorf("got %v, want an error of the temporary file", last)
	}
}

// A caller may break off at any place.
func TestPlan_BreakOff(t *testing.T) {
	for _, list := range []string{hosts(1_000), "a b\na.example\n"} {
		for range batch.Plan(strings.NewReader(list), "1") {
			break
		}
	}
}

// The shards of these domains must not change: parts are found by them.
func TestShard(t *testing.T) {
	for domain, want := range map[string]int{
		"example.com": 309, "example.org": 862, "example.net": 195, "a.example": 2,
		"xn--bcher-kva.example": 160,
	} {
		if got := batch.Shard(domain, 1_000); got != want {
			t.Errorf("%s is in shard %d, want %d", domain, got, want)
		}
	}
}

// Each task is in one shard, and the shards are about equally large.
func TestShard_Cover(t *testing.T) {
	all, sizes := tasks(t, hosts(4_000), "1"), make([]int, 4)
	for _, task := range all {
		sizes[batch.Shard(task.Domain, 4)]++
	}
	for i, n := range sizes {
		if n < len(all)/5 || n > len(all)/3 {
			t.Errorf("shard %d has %d of %d tasks", i, n, len(all))
		}
	}
}

// A sites is a list of n sites.
type sites struct{ n, next int }

func (l *sites) Read(p []byte) (int, error) {
	n := 0
	for l.next < l.n && len(p)-n > 40 {
		n += copy(p[n:], fmt.Sprintf("www.site-%d.example\n", l.next*7919%l.n))
		l.next++
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func BenchmarkPlan(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for range batch.Plan(bufio.NewReaderSize(&sites{n: b.N}, 64<<10), "1") {
		n++
	}
	if n != b.N {
		b.Errorf("%d tasks, want %d", n, b.N)
	}
}
