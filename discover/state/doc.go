// Package state has two implementations of [discover.Store], which keep the memory of walks in a
// file or in memory.
//
//	db, err := state.Open("sites.db")
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	for u, err := range c.URLs(ctx, site, &discover.Options{Store: db, OnlyChanged: true}) {
//
// Use [File] for programs that run again and again on one machine. Use [Memory] for tests, and for
// workers that carry the state of a site from machine to machine: [Memory.WriteTo] writes it, and
// [Memory.ReadFrom] reads it.
//
// Both are safe for concurrent use.
//
// Each file builds on those below it:
//
//	open.go    Open
//	file.go    File
//	memory.go  Memory
//	format.go  the format of files
package state
