package conformance

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

var (
	updateVerdicts = flag.Bool("update", false,
		"write testdata/oracle/xsd.golden from the verdicts of xmllint")
	xsdDocuments = flag.Int("xsddocuments", 3_000,
		"generated documents to validate with xmllint, where it and the schemas are there")
)

const goldenDocuments = 1_000

// A verdict is the result of libxml2 for a document, with the protocol's schema.
type verdict struct {
	accepted bool
	message  string // the first one, if the document is refused
}

// cleanCodes are problems that a document never has if the schema accepts it.
var cleanCodes = []string{"mismatched_tag", "raw_ampersand", "undeclared_entity", "control_char",
	"invalid_utf8", "missing_loc", "empty_loc",
	"bad_priority", "bad_changefreq", "misplaced_element", "junk_after_root"}

// Our problems agree with the verdicts of xmllint --schema and the protocol's schemas, for
// generated documents with one mutation each. Without xmllint or the schemas, the verdicts are
// those recorded in testdata/oracle.
func TestXSD(t *testing.T) {
	list := allVerdicts(t)
	if *updateVerdicts {
		recordVerdicts(t, list[:goldenDocuments])
	}
	var accepted, differ int
	used := make([]int, len(differences))
	failed := map[string]int{}
	for i, v := range list {
		doc, m, _ := generate(i)
		out := readBytes(doc, sitemap.Options{})
		if v.accepted {
			accepted++
		}
		fault := xsdFault(v, &out)
		if fault == "" {
			continue
		}
		if row := slices.IndexFunc(differences, func(d difference) bool {
			return d.accepted == v.accepted && d.message.MatchString(v.message)
		}); row >= 0 {
			used[row]++
			differ++
			continue
		}
		if failed[m.name]++; failed[m.name] <= 2 {
			t.Errorf("document %d, %s: %s\nlibxml2: %s\nproblems %v, error %v, of\n%q", i, m.name,
				fault, v.message, out.codes(), out.err, doc)
		}
	}
	for i, d := range differences {
		if used[i] == 0 && len(list) > goldenDocuments {
			t.Errorf("no document needs the difference %q (%s)", d.message, d.reason)
		}
	}
	t.Logf("%d documents, %d accepted by libxml2, %d differ for a known reason", len(list),
		accepted, differ)
	for _, name := range sortedKeys(failed) {
		t.Logf("%6d failures: %s", failed[name], name)
	}
}

// allVerdicts returns the verdicts of xmllint if it and the schemas are there, else the recorded
// ones.
func allVerdicts(t *testing.T) []verdict {
	if dir := protocolDir(); dir != "" {
		if _, err := exec.LookPath("xmllint"); err == nil {
			return xmllintVerdicts(t, dir, max(*xsdDocuments, goldenDocuments))
		}
	}
	return recordedVerdicts(t, goldenDocuments)
}

// xsdFault describes the disagreement of our result with the verdict, if any.
func xsdFault(v verdict, out *outcome) string {
	if !v.accepted {
		if len(out.problems) == 0 && out.err == nil {
			return "refused there, no problem here"
		}
		return ""
	}
	for _, code := range out.codes() {
		if slices.Contains(cleanCodes, code) {
			return "accepted there, " + code + " here"
		}
	}
	return ""
}

// protocolDir returns the folder of the protocol's schemas, or "".
func protocolDir() string {
	dir := os.Getenv("SITEMAP_PROTOCOL")
	if dir == "" && os.Getenv("SITEMAP_CORPUS") != "" {
		dir = filepath.Join("..", "shared", "protocol")
	}
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	if dir == "" || !exists(filepath.Join(dir, "sitemap.xsd")) ||
		!exists(filepath.Join(dir, "siteindex.xsd")) {
		return ""
	}
	return dir
}

var xmllintLine = regexp.MustCompile(`^(?:\S*/)?(\d+)\.xml(?::\d+: (.*)| (validates|fails to validate))$`)

// xmllintVerdicts validates documents 0 to n-1, many per call.
func xmllintVerdicts(t *testing.T, schemas string, n int) []verdict {
	t.Helper()
	dir := t.TempDir()
	verdicts := make([]verdict, n)
	batches := map[string][]string{}
	for i := range n {
		doc, _, index := generate(i)
		name := filepath.Join(dir, strconv.Itoa(i)+".xml")
		if err := os.WriteFile(name, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		schema := "sitemap.xsd"
		if index {
			schema = "siteindex.xsd"
		}
		batches[schema] = append(batches[schema], name)
	}
	for schema, names := range batches {
		for batch := range slices.Chunk(names, 500) {
			args := append([]string{"--noout", "--nonet", "--schema",
				filepath.Join(schemas, schema)}, batch...)
			out, err := exec.Command("xmllint", args...).CombinedOutput()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Fatal(err)
			}
			readVerdicts(t, out, verdicts)
		}
	}
	return verdicts
}

// readVerdicts reads the output of xmllint.
func readVerdicts(t *testing.T, out []byte, verdicts []verdict) {
	t.Helper()
	for line := range bytes.Lines(out) {
		m := xmllintLine.FindStringSubmatch(strings.TrimSpace(string(line)))
		if m == nil {
			continue
		}
		i, err := strconv.Atoi(m[1])
		if err != nil || i >= len(verdicts) {
			t.Fatalf("xmllint: %q", line)
		}
		v := &verdicts[i]
		v.accepted = v.accepted || m[3] == "validates"
		if m[2] != "" && v.message == "" {
			v.message = strings.ToValidUTF8(m[2][:min(len(m[2]), 300)], "?")
		}
	}
}

const goldenPath = root + "/testdata/oracle/xsd.golden"

// recordVerdicts writes verdicts: one line each, with the document's checksum and the message or
// "accepted".
func recordVerdicts(t *testing.T, verdicts []verdict) {
	t.Helper()
	var b bytes.Buffer
	for i, v := range verdicts {
		doc, _, _ := generate(i)
		message := v.message
		if v.accepted {
			message = "accepted"
		}
		fmt.Fprintf(&b, "%08x %s\n", crc32.ChecksumIEEE(doc), message)
	}
	if err := os.MkdirAll(filepath.Dir(goldenPath), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenPath, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recordedVerdicts reads the verdicts of documents 0 to n-1.
func recordedVerdicts(t *testing.T, n int) []verdict {
	t.Helper()
	f, err := os.Open(goldenPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var verdicts []verdict
	for lines := bufio.NewScanner(f); lines.Scan() && len(verdicts) < n; {
		sum, message, _ := strings.Cut(lines.Text(), " ")
		doc, _, _ := generate(len(verdicts))
		if sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE(doc)) {
			t.Fatalf("document %d is not the one that was validated: run with -update and the schemas", len(verdicts))
		}
		v := verdict{accepted: message == "accepted"}
		if !v.accepted {
			v.message = message
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) < n {
		t.Fatalf("%d verdicts, want %d", len(verdicts), n)
	}
	return verdicts
}
