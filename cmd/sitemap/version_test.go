package main

import (
	"runtime/debug"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/version"
)

func TestVersion(t *testing.T) {
	clone := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-23T22:25:31Z"},
		{Key: "vcs.modified", Value: "false"},
	}
	for _, tt := range []struct {
		String   string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.9.0", nil, "v0.9.0, go1.26"},
		{"v0.9.0", clone, "v0.9.0, 2026-11-23, go1.26"},
		{"v0.9.1-0.20261123222531-0123456789ab", clone, "v0.9.1-0.20261123222531-0123456789ab, 2026-11-23, go1.26"},
		{"v0.0.0-20261123222531-0123456789ab+dirty", clone, "v0.0.0-20261123222531-0123456789ab+dirty, 2026-11-23, go1.26"},
		{"(devel)", nil, "(devel), go1.26"},
		{"", nil, "(devel), go1.26"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: tt.String}, Settings: tt.settings}
		if got := version.Of(info); got != tt.want {
			t.Errorf("Of(%q, %q) = %q, want %q", tt.String, tt.settings, got, tt.want)
		}
	}
}
