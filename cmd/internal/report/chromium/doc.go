// Package chromium tests the page of package report in a browser, in a module of its own so that
// users of sitemap do not inherit the dependency:
//
//	GOWORK=off go test -C cmd/internal/report/chromium .
//
// It needs a Chromium or Chrome.
package chromium
