// Package conformance holds no code, only tests of the packages together: over
// cases with expected results, against other readers (encoding/xml, libxml2), and
// on damaged documents.
//
// The cases are those of the project's testdata, or of the folders that the
// environment variable SITEMAP_CORPUS lists, separated as in PATH; a relative one is
// relative to the module's root. A folder with expected.jsonl holds cases as
// testdata/cases/CODES.md explains them, one with manifest.json a corpus as
// testdata/corpus/SCHEMA.md does.
package conformance
