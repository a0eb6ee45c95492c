package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
)

// Root returns the command sitemap with its commands and help topics.
func Root(a *App, version string, commands ...*cobra.Command) *cobra.Command {
	a.Version = version
	root := WithHelp(&cobra.Command{
		Use:           "sitemap",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Misuse(cmd, unknownCommand(cmd, args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.SetOut(a.Err)
			cmd.Help()
			return &UsageError{Err: errors.New("no command given")}
		},
	})
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpFunc(printHelp)
	root.SetVersionTemplate("sitemap {{.Version}}\n")
	root.AddCommand(commands...)
	addTopics(root)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		if topic, rest, _ := root.Find(args); len(rest) > 0 {
			return Misuse(root, unknownCommand(topic, rest[0]))
		}
		return nil
	}
	return root
}

// unknownCommand returns the error about an unknown command below parent, with the one that may be
// meant.
func unknownCommand(parent *cobra.Command, name string) error {
	shown := sitemap.Redact(name)
	err := fmt.Errorf("unknown command %q", shown)
	if near := nearestCommand(parent, name); slices.Contains(topics, near) {
		return fmt.Errorf("%w; did you mean: sitemap help %s", err, near)
	} else if near != "" {
		return fmt.Errorf("%w; did you mean: %s %s", err, parent.CommandPath(), near)
	}
	if strings.ContainsAny(name, "./:") {
		return fmt.Errorf("%w; did you mean: sitemap urls %s", err, shown)
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

var unknownFlag = regexp.MustCompile(`^unknown flag: --(\S+)`)

// badFlag returns the error about a flag, with the flag that may be meant.
func badFlag(cmd *cobra.Command, err error) error {
	if m := unknownFlag.FindStringSubmatch(err.Error()); m != nil {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := Nearest(m[1], names); near != "" {
			err = fmt.Errorf("%w; did you mean --%s", err, near)
		}
	}
	if value := (*pflag.InvalidValueError)(nil); errors.As(err, &value) {
		err = badValue(value)
	}
	return Misuse(cmd, err)
}

// Nearest returns the one of names that a mistyped name may mean, or "". Of several that differ
// from it in as few letters, it is the one of a length most like it.
func Nearest(name string, names []string) string {
	if name == "" {
		return ""
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

// Exactly requires n arguments, and that the first is no mistyped command.
func Exactly(n int, message string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := AnyArgs(cmd, args)
		if err == nil && len(args) != n {
			err = Misuse(cmd, errors.New(message))
		}
		return err
	}
}

// AnyArgs requires that the first argument, if there is one, is no mistyped command.
func AnyArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], "./:") || nearestCommand(cmd, args[0]) == "" {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return nil
	}
	return Misuse(cmd, unknownCommand(cmd, args[0]))
}
