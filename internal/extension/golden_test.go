package extension_test

import (
	"testing"

	"github.com/seed-322c453a/sitemap/internal/testkit/golden"
	"github.com/seed-322c453a/sitemap/parse"
)

func TestElement(t *testing.T) { golden.Run(t, "../../testdata/extension", parse.Entries) }
