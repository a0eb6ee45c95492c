package conformance

// disagreements are the cases whose expectation is not ours, with the reason. Mostly it is the
// ruling that decides otherwise: a row T1 to T53, or 5.1 for robots.txt, of the project's rulings.
var disagreements = map[string]string{
	"aafeher-loc-len-2049":                                              "T32: kept up to 8 KiB",
	"smjs-index-loc-over-2048":                                          "T32: kept up to 8 KiB",
	"smjs-reject-urls-exceeding-max-length":                             "T32: kept up to 8 KiB",
	"aafeher-loc-unparseable":                                           "T28: bad escapes are kept, and a relative location is resolved",
	"smjs-index-loc-not-a-url":                                          "T28: a relative location is resolved",
	"cc-urlset-scheme-less-and-fragment":                                "T29: a host with a path gets the document's scheme",
	"scrapy-xxe-in-loc":                                                 "T11: a reference to a declared entity is literal text",
	"w3c-atom-4-1-2-link-same-rel-different-types":                      "T42: an HTML alternate goes before others",
	"feedparser-atom-entry-published-parsed-date-overwriting-with-link": "T48: published goes before issued",
	"feedparser-illformed-rdf-channel-empty-textinput":                  "rdf:about is the item's location where it has no link, as in other cases",
	"own-unterminated-cdata":                                            "what nothing closes was never opened: no entry is lost",
	"own-unterminated-comment":                                          "what nothing closes was never opened: no entry is lost",

	"w3c-rss20-item-link-invalid-item-link": "Scheme-less, second edition: purl.org/ is a host, without a base too",
	"cc-text-scheme-less-and-fragment":      "Scheme-less, second edition: in text sitemaps as in XML",
	"w3c-rss-must-missing-rss":              "Roots, second edition: a channel with no rss around it is read",

	"t07_csv.txt":        "Loc, third edition: a comma before a date ends the URL of a line of text",
	"own-text-csv-lines": "Loc, third edition: a comma before a date ends the URL of a line of text",

	"own-robots-bom-in-middle":            "5.1: a byte order mark is no part of a key, on whatever line",
	"own-robots-host-without-scheme":      "5.1: a first segment that ends in a known top-level domain is a host",
	"own-robots-html-with-directive-line": "5.1: an HTML page names no sitemap",
	"own-robots-nul-bytes":                "5.1: NULs are passed over",
	"own-robots-two-urls-on-one-line":     "5.1: each URL of a line is read",
	"own-robots-unicode-line-separators":  "5.1: values are split on white space, of any kind",
	"scrapy-robots-invalid-utf8-url":      "5.1: a byte that is not UTF-8 is percent-encoded",
	"cc-scope-domain-level-1":             "a registrable domain grants nothing: a policy of that peer",
	"cc-scope-domain-level-2":             "a registrable domain grants nothing: a policy of that peer",
	"own-scope-host-trailing-dot":         "hosts are compared normalised: in DNS the absolute name is the same host",
}
