module github.com/seed-322c453a/sitemap/bench

go 1.26.0

require (
	github.com/mmcdole/gofeed v1.4.2
	github.com/seed-322c453a/sitemap v0.0.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mmcdole/goxpp/v2 v2.0.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/seed-322c453a/sitemap => ..
