package cli

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
)

// Root returns the command sitemap with its commands and help topics.
func Root(a *App, version string, commands ...*cobra.Command) *cobra.Command {
	a.Version = version
	root := Command("sitemap [flags]",
		func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Misuse(cmd, unknownCommand(cmd, "command", args[0]))
			}
			return nil
		},
		func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.Err)
			cmd.Help()
			return &UsageError{Err: errors.New("no command given")}
		})
	root.Version, root.SilenceErrors, root.SilenceUsage = version, true, true
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		var help bytes.Buffer
		printHelp(&help, cmd)
		_, err := cmd.OutOrStdout().Write(help.Bytes())
		if err != nil && !IsClosedPipe(err) {
			a.Fail("%v", err)
		}
	})
	root.SetVersionTemplate("sitemap {{.Version}}\n")
	root.AddCommand(commands...)
	for _, name := range topics {
		root.AddCommand(Command(name, nil, nil))
	}
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if topic, rest, _ := root.Find(args); len(rest) > 0 {
			return Misuse(root, unknownCommand(topic, "command or help topic", rest[0]))
		}
		return nil
	}
	return root
}

// unknownCommand returns the error about an unknown command below parent, or what else was wanted,
// with a suggestion.
func unknownCommand(parent *cobra.Command, what, name string) error {
	shown := sitemap.Redact(name)
	err := fmt.Errorf("unknown %s %q", what, shown)
	if near := nearestCommand(parent, name); slices.Contains(topics, near) {
		return fmt.Errorf("%w; did you mean 'sitemap help %s'?", err, near)
	} else if near != "" {
		return fmt.Errorf("%w; did you mean '%s %s'?", err, parent.CommandPath(), near)
	}
	if strings.ContainsAny(name, "./:") {
		return fmt.Errorf("%w; did you mean 'sitemap urls %s'?", err, shown)
	}
	return err
}

func nearestCommand(parent *cobra.Command, name string) string {
	var names []string
	for _, c := range parent.Commands() {
		names = append(names, c.Name())
	}
	return Nearest(name, names)
}

// badFlag returns the error about a flag, with a suggestion.
func badFlag(cmd *cobra.Command, err error) error {
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := Nearest(name, names); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	}
	if value := (*pflag.InvalidValueError)(nil); errors.As(err, &value) {
		err = fmt.Errorf("--%s: %w, not %s", value.GetFlag().Name, value.Unwrap(),
			quoted(value.GetValue()))
	}
	return Misuse(cmd, err)
}

// synonyms maps the names that other programs have for commands and flags to ours.
var synonyms = map[string]string{
	"list": "urls", "fetch": "urls", "validate": "check", "lint": "check", "compare": "diff",
	"json": "format", "jsonl": "format", "csv": "format", "parquet": "format", "rate": "delay",
	"include": "match", "filter": "match", "jobs": "parallel", "workers": "parallel",
}

// Nearest returns the one of names that a mistyped name may mean, or "": a synonym, or else the one
// that differs from it in fewest letters. Of several, it returns the one of closest length.
func Nearest(name string, names []string) string {
	if name == "" || slices.Contains(names, synonyms[name]) {
		return synonyms[name]
	}
	root := &cobra.Command{}
	for _, n := range names {
		root.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	for root.SuggestionsMinimumDistance = range 3 {
		if near := root.SuggestionsFor(name); len(near) > 0 {
			apart := func(s string) int { return max(len(s)-len(name), len(name)-len(s)) }
			return slices.MinFunc(near,
				func(a, b string) int { return cmp.Compare(apart(a), apart(b)) })
		}
	}
	return ""
}

// Exactly requires n arguments. The first must not be a mistyped command.
func Exactly(n int, message string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := AnyArgs(cmd, args)
		if err == nil && len(args) != n {
			err = Misuse(cmd, errors.New(message))
		}
		return err
	}
}

// AnyArgs requires that the first argument, if any, is not a mistyped command.
func AnyArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], "./:") || nearestCommand(cmd, args[0]) == "" {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return Misuse(cmd, unknownCommand(cmd, "command", args[0]))
}

// helpFiles holds NAME.txt for each command and help topic. The first paragraph is the short
// description. The second one of a command has the examples.
//
//go:embed help
var helpFiles embed.FS

// topics are the help topics that are not commands.
var topics = []string{"targets", "trust", "fields", "output", "errors", "state"}

// Command returns a command with its help. If run is nil, it is a help topic.
func Command(
	use string, args cobra.PositionalArgs, run func(cmd *cobra.Command, args []string) error,
) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: args, RunE: run, DisableFlagsInUseLine: true}
	SetHelp(cmd, cmd.Name())
	return cmd
}

// SetHelp sets the help of a command or topic to the text of the help file with this name.
func SetHelp(cmd *cobra.Command, name string) {
	text, err := helpFiles.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	cmd.Short, cmd.Long, _ = strings.Cut(strings.TrimSpace(string(text)), "\n\n")
	if !slices.Contains(topics, cmd.Name()) {
		cmd.Example, cmd.Long, _ = strings.Cut(cmd.Long, "\n\n")
	}
}

// Group makes the flags that were added to a command since the last call a group of its help.
func Group(cmd *cobra.Command, name string) {
	cmd.Flags().SortFlags = false
	group := map[string][]string{"group": {name}}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations == nil {
			flag.Annotations = group
		}
	})
}

// boolValue is printed by pflag after a flag that needs no value.
const boolValue = "[=true|false]"

const helpWidth = 80

// printHelp prints the help of a command: usage and examples first.
func printHelp(w io.Writer, cmd *cobra.Command) {
	if slices.Contains(topics, cmd.Name()) {
		fmt.Fprintf(w, "%s\n\n%s\n", cmd.Short, cmd.Long)
		return
	}
	use := cmd.UseLine()
	if cmd.HasSubCommands() && !cmd.HasParent() {
		use += " COMMAND"
	}
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n\n", cmd.Short, use)
	if cmd.Example != "" {
		fmt.Fprintf(w, "Examples:\n%s\n\n", cmd.Example)
	}
	fmt.Fprintln(w, cmd.Long)
	printCommands(w, cmd)
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

// printCommands prints the commands below a command, and then the help topics.
func printCommands(w io.Writer, cmd *cobra.Command) {
	var commands, help strings.Builder
	for _, c := range cmd.Commands() {
		list := &commands
		if slices.Contains(topics, c.Name()) {
			list = &help
		}
		fmt.Fprintf(list, "  %-10s  %s\n", c.Name(), c.Short)
	}
	if commands.Len() > 0 {
		fmt.Fprintf(w, "\nCommands:\n%s", &commands)
	}
	if help.Len() > 0 {
		fmt.Fprintf(w, "\nHelp topics (sitemap help TOPIC):\n%s", &help)
	}
}
