package cli

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// SetCommandLine notes the command line of a.CommandLine: its words, without header fields and the
// user names and passwords in URLs.
func (a *App) SetCommandLine(cmd *cobra.Command, words []string) {
	fields, _ := cmd.Flags().GetStringArray("header") // nil for a command that has no such flag
	line := "sitemap"
	for _, word := range words {
		for _, field := range fields {
			name, _, _ := strings.Cut(field, ":")
			word = strings.ReplaceAll(word, field, name+":...")
		}
		if !strings.HasPrefix(word, "-") {
			word = Redact(word)
		}
		word = userInfo.ReplaceAllString(word, "//") // also in --proxy=URL
		line += " " + quoted(word)
	}
	a.CommandLine = line
}

// quoted returns a word in quotes, if it needs them.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return strconv.Quote(word)
}

var (
	userInfo  = regexp.MustCompile(`//[^/?#]*@`)
	plainWord = regexp.MustCompile(`^[\w.,:/?=&%@+~-]+$`)
)
