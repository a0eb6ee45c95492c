// Package conformance contains only tests of the packages together: with cases and their expected
// results, against other readers (encoding/xml, libxml2), and with damaged documents.
//
// The cases are those of the project's testdata, or of the folders in the environment variable
// SITEMAP_CORPUS, which are separated as in PATH. Relative ones are relative to the module's root.
// A folder with expected.jsonl holds cases as in testdata/cases/CODES.md, one with manifest.json a
// corpus as in testdata/corpus/SCHEMA.md.
package conformance
