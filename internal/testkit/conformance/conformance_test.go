package conformance

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // what tests leave is soon garbage
	m.Run()
}

// root is the path of the module's root.
const root = "../../.."

func folders(t *testing.T) []string {
	t.Helper()
	list := filepath.SplitList(os.Getenv("SITEMAP_CORPUS"))
	if len(list) == 0 {
		list = []string{"testdata/cases", "testdata/corpus"}
	}
	for i, dir := range list {
		if !filepath.IsAbs(dir) {
			list[i] = filepath.Join(root, dir)
		}
	}
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func readFile(t *testing.T, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestConformance(t *testing.T) {
	for _, dir := range folders(t) {
		switch {
		case exists(filepath.Join(dir, "expected.jsonl")):
			t.Run("cases", func(t *testing.T) { runCases(t, dir) })
		case exists(filepath.Join(dir, "manifest.json")):
			t.Run("corpus", func(t *testing.T) { runCorpus(t, dir) })
		default:
			t.Errorf("%s holds neither expected.jsonl nor manifest.json", dir)
		}
	}
}
