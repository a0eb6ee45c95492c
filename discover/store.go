package discover

// A Store keeps the memory of walks between runs. Package discover/state has one in a file and one
// in memory; any key-value database can be another.
//
//	db, err := state.Open("sites.db")
//	...
//	for u, err := range c.URLs(ctx, site, &discover.Options{Store: db, OnlyChanged: true}) {
//
// A Store must be comparable, as a pointer is, and safe for concurrent use: walks side by side may
// share one, if all of them have the same value. An error of a Store ends the walk.
//
// Keys have the form "site/rest", where site is a host and rest may hold any bytes. They have at
// most 300 bytes. Values have some 64 KiB at most, and their content belongs to package discover:
// each begins with the version of its format, and a value of another version counts as absent.
//
// A walk calls [Options.Done] for a document and then Put, on the ranging goroutine, with nothing
// between. It calls Sync only after both, at most every 200 ms, more often in a document of more
// than 50,000 pages, and at its end. So a program that records its own output in Done, in the same
// Store, resumes after exactly that output if it crashes. Grants are never stored: each walk
// computes them.
type Store interface {
	// Get returns the value of a key, or nil if there is none.
	Get(key string) ([]byte, error)
	// Put sets the value of a key. The Store must not change value, or keep it after Put returns.
	Put(key string, value []byte) error
	// Sync makes all values durable that were put before.
	Sync() error
}
