package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A checkedValue is the value of a flag that refuses some values of its type.
type checkedValue struct {
	pflag.Value
	check func(text string) error // receives the value as String returns it
}

// Set sets the value and checks it.
func (c checkedValue) Set(s string) error {
	if err := c.Value.Set(s); err != nil {
		return err
	}
	return c.check(c.String())
}

// check makes a flag check its values.
func check(cmd *cobra.Command, name string, check func(text string) error) {
	flag := cmd.Flags().Lookup(name)
	flag.Value = checkedValue{flag.Value, check}
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // help leaves out this default
	}
}

// refuse makes flags refuse the values that match a pattern.
func refuse(cmd *cobra.Command, names []string, pattern, want string) {
	refused := regexp.MustCompile(pattern)
	for _, name := range names {
		check(cmd, name, func(text string) error {
			if refused.MatchString(text) {
				return errors.New("want " + want)
			}
			return nil
		})
	}
}

// NotNegative makes numbers and times refuse negative values.
func NotNegative(cmd *cobra.Command, names ...string) { refuse(cmd, names, "^-", "0 or more") }

// Positive makes numbers and times refuse 0 and negative values.
func Positive(cmd *cobra.Command, names ...string) {
	refuse(cmd, names, "^(-|0s?$)", "more than 0")
}

// OneOf makes a flag refuse all values but its default and these, which the shell completes.
func OneOf(cmd *cobra.Command, name string, values ...string) {
	usual := cmd.Flags().Lookup(name).DefValue
	check(cmd, name, func(text string) error {
		if text == usual || slices.Contains(values, text) {
			return nil
		}
		last := len(values) - 1
		return fmt.Errorf("want %s or %s", strings.Join(values[:last], ", "), values[last])
	})
	Complete(cmd, name, values...)
}

// Complete makes the shell complete the values of a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	cmd.RegisterFlagCompletionFunc(flag,
		cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// badValue returns the error about the value of a flag.
func badValue(e *pflag.InvalidValueError) error {
	return fmt.Errorf("--%s: %w, not %s", e.GetFlag().Name, e.Unwrap(), quoted(e.GetValue()))
}
