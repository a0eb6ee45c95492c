package trust_test

import (
	"fmt"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A sitemap on another host lists the URLs of the host whose robots.txt names it.
func ExampleScope_Judge() {
	var scope trust.Scope
	if g, ok := trust.OfLocation("http://www.sitemaphost.com/sitemap-host1.xml"); ok {
		scope = scope.With(g)
	}
	scope = scope.With(trust.OfRobots("http://www.host1.com/robots.txt")...)
	for _, loc := range []string{
		"http://www.host1.com/page",
		"http://www.host2.com/page",
		"http://www.sitemaphost.com/page",
		"https://host1.com/page",
	} {
		level, _ := scope.Judge(loc)
		fmt.Println(loc, level)
	}
	// Output:
	// http://www.host1.com/page robots
	// http://www.host2.com/page untrusted
	// http://www.sitemaphost.com/page location
	// https://host1.com/page variant
}

func ExampleOfLocation() {
	g, ok := trust.OfLocation("http://example.com/catalog/sitemap.xml")
	fmt.Println(g, ok)
	// Output: http://example.com/catalog/ (location) true
}

// A robots.txt speaks for each host that redirects led to, if it is exactly /robots.txt there.
func ExampleOfRobots() {
	for _, g := range trust.OfRobots("http://example.com/robots.txt",
		"https://www.example.com/robots.txt", "https://cdn.example.net/example/robots.txt") {
		fmt.Println(g)
	}
	// Output:
	// example.com/ (robots)
	// www.example.com/ (robots)
}
