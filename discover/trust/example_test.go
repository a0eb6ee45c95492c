package trust_test

import (
	"fmt"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A sitemap on another host lists the URLs of the host whose robots.txt names it.
func ExampleGrants() {
	robots := trust.Grants(trust.FromRobots, "http://www.host1.com/robots.txt", nil, nil)
	scope := trust.Grants(trust.FromRobots,
		"http://www.sitemaphost.com/sitemap-host1.xml", nil, robots)
	for _, g := range scope {
		fmt.Println(g)
	}
	// Output:
	// www.host1.com/ (robots)
	// http://www.sitemaphost.com/ (location)
}

func ExampleScope_Judge() {
	robots := trust.Grants(trust.FromRobots, "http://www.host1.com/robots.txt", nil, nil)
	scope := trust.Grants(trust.FromRobots,
		"http://www.sitemaphost.com/sitemap-host1.xml", nil, robots)
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

// A robots.txt speaks for each host that redirects led to, if it is exactly /robots.txt there.
func ExampleGrants_robots() {
	hops := []string{"https://www.example.com/robots.txt", "https://cdn.example.net/example/robots.txt"}
	for _, g := range trust.Grants(trust.FromRobots, "http://example.com/robots.txt", hops, nil) {
		fmt.Println(g)
	}
	// Output:
	// example.com/ (robots)
	// www.example.com/ (robots)
}
