package findings

import "testing"

// SetMaxResults sets how many results a report may have, for one test, and returns how many it was.
func SetMaxResults(t *testing.T, n int) (was int) {
	was, maxResults = maxResults, n
	t.Cleanup(func() { maxResults = was })
	return was
}
