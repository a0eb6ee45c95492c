// Package bench compares feeds with github.com/mmcdole/gofeed, in a module of its
// own so that users of sitemap do not inherit the dependency:
//
//	GOWORK=off go test -C bench -bench .
package bench
