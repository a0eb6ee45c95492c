package markdown

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	codeSpan = regexp.MustCompile("`+[^`]+`+")
	// The target of an inline link or image, or of a reference definition.
	linkTarget = regexp.MustCompile(`\]\(<?([^)\s>]+)|^\s*\[[^\]]+\]:\s+<?([^\s>]+)`)
	hasScheme  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*\*?`)
	// Text that may follow a path: a line and a column, or a name that a package exports.
	afterPath = regexp.MustCompile(`(:\d+)+$|\.[A-Z]\w*(\.\w+)*$`)
	mediaType = regexp.MustCompile(`^text/(html|plain|xml|csv)$`)
)

// check returns the faults of a document, each with its line.
func (r *repository) check(name string) (faults []string) {
	text, err := fs.ReadFile(r.fsys, name)
	if err != nil {
		return []string{err.Error()}
	}
	number := 0
	for line, fenced := range lines(string(text)) {
		number++
		report := func(format string, args ...any) {
			faults = append(faults,
				fmt.Sprintf("%s:%d: ", name, number)+fmt.Sprintf(format, args...))
		}
		code := line
		if !fenced {
			for _, target := range targets(line) {
				if !r.leadsSomewhere(name, target) {
					report("link to %s, which does not exist", target)
				}
			}
			code = strings.Join(codeSpan.FindAllString(line, -1), " ")
		}
		for _, p := range r.paths(code) {
			if !r.has(p) {
				report("path %s, which does not exist", p)
			}
		}
		for _, f := range testName.FindAllString(line, -1) {
			if strings.Contains(line, " -run ") {
				f += "*" // -run takes a pattern
			}
			if !r.hasFunction(f) {
				report("test %s, which does not exist", f)
			}
		}
	}
	return faults
}

// lines yields each line of a document, with whether it belongs to a fenced block of code.
func lines(text string) func(yield func(string, bool) bool) {
	return func(yield func(string, bool) bool) {
		fenced := false
		for line := range strings.Lines(text) {
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			if !yield(strings.TrimRight(line, "\r\n"), fenced || fence) {
				return
			}
			if fence {
				fenced = !fenced
			}
		}
	}
}

// targets returns the targets of the links in a line that lead into the repository.
func targets(line string) (all []string) {
	for _, m := range linkTarget.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
		if target := m[1] + m[2]; !hasScheme.MatchString(target) {
			all = append(all, target)
		}
	}
	return all
}

// leadsSomewhere reports whether a link in the document name leads to a file or folder, and to a
// heading of it if the link has a fragment.
func (r *repository) leadsSomewhere(name, target string) bool {
	file, fragment, hasFragment := strings.Cut(target, "#")
	if file == "" {
		file = name
	} else {
		file = path.Join(path.Dir(name), file)
	}
	if !hasFragment {
		return r.has(file)
	}
	text, err := fs.ReadFile(r.fsys, file)
	return err == nil && slices.Contains(anchors(string(text)), fragment)
}

// anchors returns the fragments of the headings of a document, as GitHub makes them.
func anchors(text string) (all []string) {
	seen := map[string]int{}
	for line, fenced := range lines(text) {
		heading := strings.TrimLeft(line, "#")
		if fenced || heading == line || !strings.HasPrefix(heading, " ") {
			continue
		}
		s := slug(heading)
		seen[s]++
		if n := seen[s]; n > 1 {
			s = fmt.Sprintf("%s-%d", s, n-1)
		}
		all = append(all, s)
	}
	return all
}

func slug(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return '-'
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// paths returns the words of code that look like paths of the repository: they contain a slash and
// begin with a file or folder of its root.
func (r *repository) paths(code string) (all []string) {
	words := strings.FieldsFunc(code, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("`'\"()[]{},;<>|=$", c)
	})
	for _, word := range words {
		p := strings.TrimRight(strings.TrimPrefix(word, "./"), ":.")
		p = strings.TrimSuffix(afterPath.ReplaceAllString(p, ""), "/")
		if first, _, hasSlash := strings.Cut(p, "/"); hasSlash && r.top[first] && !mediaType.MatchString(p) {
			all = append(all, p)
		}
	}
	return all
}
