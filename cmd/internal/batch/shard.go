package batch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap/batch"
)

// A shard is one of several shards of a list. The zero shard is the whole list.
type shard struct{ i, n int }

func (s *shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

func (s *shard) Type() string { return "string" }

func (s *shard) Set(text string) error {
	i, n, _ := strings.Cut(text, "/")
	var iErr, nErr error
	s.i, iErr = strconv.Atoi(i)
	s.n, nErr = strconv.Atoi(n)
	if iErr != nil || nErr != nil || s.i < 0 || s.i >= s.n {
		return errors.New("want I/N, with I from 0 to N-1")
	}
	return nil
}

// has reports whether a domain is in the shard.
func (s *shard) has(domain string) bool { return s.n == 0 || batch.Shard(domain, s.n) == s.i }
