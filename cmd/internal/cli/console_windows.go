package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// readsEscapes makes a console read escape sequences, as terminals do, and reports whether it does.
func readsEscapes(console *os.File) bool {
	handle, mode := windows.Handle(console.Fd()), uint32(0)
	if err := windows.GetConsoleMode(handle, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
