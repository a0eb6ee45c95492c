// Package robots reads robots.txt files: the sitemaps that a site names, and the rules that it
// gives to crawlers.
//
// A site names its sitemap with one line of its robots.txt (sitemaps.org, "Specifying the Sitemap
// location in your robots.txt file"):
//
//	Sitemap: http://www.example.com/sitemap.xml
//
// The line is independent of the User-agent lines, so it may stand anywhere in the file, and a file
// may have several. [Parse] returns each of them as a [Record]:
//
//	base, _ := url.Parse("http://www.example.com/robots.txt")
//	r, err := robots.Parse(body, base)
//	if err != nil {
//		return err
//	}
//	for _, s := range r.Sitemaps {
//		fmt.Println(s.Line, s.Loc) // 1 http://www.example.com/sitemap.xml
//	}
//
// [File.Allowed] answers by the Allow and Disallow lines whether a crawler may fetch a URL
// (RFC 9309), and [File.CrawlDelay] returns the pause between requests that the site asks for.
// [File.Other] returns all other records, such as Content-Signal, as they stand in the file.
//
// Real files are full of mistakes, so reading is tolerant. A defect of one line never loses another
// line: Parse repairs the line or drops it. [File.Problems] lists what it did to Sitemap records.
// The package fetches nothing.
//
// Groups and rules are read as Google's parser reads them, so that a rule holds if its author meant
// one. Only Allow and Disallow end the User-agent lines of a group; a Crawl-delay or an empty line
// does not. The value of a rule goes on to the end of the line. "User agent" and "Useragent" stand
// for User-agent, and "Dissallow", "Dissalow", "Disalow", "Disallaw" and "Diasllow" for Disallow. A
// missing colon is added in "Disallow /x", where a key and one word stand alone.
//
// Unlike Google, the package compares paths normalized, as RFC 9309 says, and lets no Allow mean
// more than it says: index.html in a rule does not stand for its directory, and a long line is not
// cut.
//
// The files, each building on those before it:
//
//	value.go    splits the value of a Sitemap record into URLs
//	group.go    collects groups of rules, line by line
//	chooser.go  chooses the group of a crawler with temoto/robotstxt
//	lines.go    reads lines into records, problems and groups
//	robots.go   Parse and File
package robots
