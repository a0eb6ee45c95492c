package feed_test

import (
	"testing"

	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/testkit/golden"
)

func TestEntries_RSS(t *testing.T) { golden.Run(t, "../testdata/rss", feed.Entries) }

func TestEntries_Atom(t *testing.T) { golden.Run(t, "../testdata/atom", feed.Entries) }
