package audit

import (
	"github.com/seed-322c453a/sitemap"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// The codes of images.
const (
	ImageMissingLoc sitemap.Code = "image_missing_loc"
	ImageRelative   sitemap.Code = "image_relative"
	ImageTooMany    sitemap.Code = "image_too_many"
)

var _ = register(
	Rule{Code: ImageMissingLoc, Severity: failure, Source: googleImages,
		Summary: "an image:image without an image:loc",
		Why:     "Google requires it, and ignores the image without it.",
		Fix:     "Add <image:loc>https://www.example.com/image.jpg</image:loc> to image:image."},
	Rule{Code: ImageRelative, Severity: failure, Source: googleImages,
		Summary: "an image:loc that is not an absolute URL",
		Why:     "Google asks for the full URL, and ignores the image.",
		Fix:     "Write the URL with its scheme and host: https://www.example.com/image.jpg."},
	Rule{Code: ImageTooMany, Severity: failure, Source: googleImages,
		Summary: "more than 1,000 images in an entry",
		Why:     "Google allows 1,000 images for a page, and may ignore the others.",
		Fix:     "Keep the 1,000 most important images of the page."},
)

const maxImages = 1_000 // of an entry

// judgeImage judges the image:image i.
func (x *extensions) judgeImage(i int) {
	e := &x.elements[i]
	if x.images++; x.images == maxImages+1 {
		x.find(of(ImageTooMany), e, "", "the entry has more than %d images", maxImages)
	}
	x.deprecated(i)
	loc := x.child(i, "loc")
	if loc == nil {
		x.find(of(ImageMissingLoc), e, "", "the image has no image:loc")
	} else if v := loc.value(); chars.SchemeOf(v) == "" {
		x.find(of(ImageRelative), loc, v, "image:loc %s is a relative URL", quoted(v))
	}
}
