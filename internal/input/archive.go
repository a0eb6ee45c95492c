package input

import (
	"bytes"

	"github.com/seed-322c453a/sitemap"
)

// archives are the signatures of data that has to be unpacked first, apart from gzip. Brotli has
// none.
var archives = []struct {
	signature string
	err       error
}{
	{"PK\x03\x04", sitemap.ErrZip},
	{"PK\x05\x06", sitemap.ErrZip}, // empty
	{"BZh", sitemap.ErrBzip2},
	{"\xfd7zXZ\x00", sitemap.ErrXz},
	{"\x28\xb5\x2f\xfd", sitemap.ErrZstd},
	{"x\x01", sitemap.ErrZlib},
	{"x\x5e", sitemap.ErrZlib},
	{"x\x9c", sitemap.ErrZlib},
	{"x\xda", sitemap.ErrZlib},
	{"version https://git-lfs.github.com/spec/", sitemap.ErrGitLFS},
}

// archiveOf returns the error for data that starts like an archive, or nil.
func archiveOf(b []byte) error {
	for _, a := range archives {
		if bytes.HasPrefix(b, []byte(a.signature)) {
			return a.err
		}
	}
	if len(b) > 262 && string(b[257:262]) == "ustar" {
		return sitemap.ErrTar
	}
	return nil
}
