package cli

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpFiles holds NAME.txt for each command and help topic. The first paragraph is the short
// description. The second one of a command has the examples.
//
//go:embed help
var helpFiles embed.FS

// topics are the help topics that are not commands.
var topics = []string{"targets", "trust", "fields", "output", "errors", "state"}

// WithHelp sets the help of a command or topic from its file.
func WithHelp(cmd *cobra.Command) *cobra.Command { return WithHelpOf(cmd, cmd.Name()) }

// WithHelpOf sets the help of a command from the file of a name.
func WithHelpOf(cmd *cobra.Command, name string) *cobra.Command {
	text, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	cmd.Short, cmd.Long, _ = strings.Cut(strings.TrimSpace(string(text)), "\n\n")
	if !slices.Contains(topics, cmd.Name()) {
		cmd.Example, cmd.Long, _ = strings.Cut(cmd.Long, "\n\n")
	}
	return cmd
}

// addTopics adds the help topics to root.
func addTopics(root *cobra.Command) {
	for _, name := range topics {
		root.AddCommand(WithHelp(&cobra.Command{Use: name, DisableFlagsInUseLine: true}))
	}
}

// Group makes the flags that were added to a command since the last call a group of its help.
func Group(cmd *cobra.Command, name string) {
	cmd.Flags().SortFlags = false
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations == nil {
			flag.Annotations = map[string][]string{"group": {name}}
		}
	})
}

// boolValue is printed by pflag after a flag that needs no value.
const boolValue = "[=true|false]"

const helpWidth = 80

// printHelp prints the help of a command: usage and examples first.
func printHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	if slices.Contains(topics, cmd.Name()) {
		fmt.Fprintf(w, "%s\n\n%s\n", cmd.Short, cmd.Long)
		return
	}
	use := cmd.UseLine()
	if cmd.HasSubCommands() && !cmd.HasParent() {
		use += " COMMAND"
	}
	const text = "%s\n\nUsage:\n  %s\n\nExamples:\n%s\n\n%s\n"
	fmt.Fprintf(w, text, cmd.Short, use, cmd.Example, cmd.Long)
	if cmd.HasSubCommands() {
		title := "Commands"
		if !cmd.HasParent() {
			title = "Commands, and help topics (sitemap help TOPIC)"
		}
		fmt.Fprintf(w, "\n%s:\n", title)
	}
	for _, c := range cmd.Commands() {
		fmt.Fprintf(w, "  %-10s  %s\n", c.Name(), c.Short)
	}
	names := []string{"Target", "Output", "Rule", "Selection", "Network", "Politeness"}
	for _, name := range names {
		group := pflag.NewFlagSet(name, pflag.ContinueOnError)
		group.SortFlags = false
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if slices.Contains(flag.Annotations["group"], name) {
				group.AddFlag(flag)
			}
		})
		if group.HasFlags() {
			usages := group.FlagUsagesWrapped(helpWidth)
			usages = strings.ReplaceAll(usages, boolValue, strings.Repeat(" ", len(boolValue)))
			fmt.Fprintf(w, "\n%s flags:\n%s", name, usages)
		}
	}
}
