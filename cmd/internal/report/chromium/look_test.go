package chromium

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// setWidth sets the width of the page in pixels.
func (b *tab) setWidth(pixels int64) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: pixels, Height: 800,
		DeviceScaleFactor: 1}
	if _, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, size); err != nil {
		b.t.Fatal(err)
	}
}

// media shows the page on "screen" or in "print", with a "light" or "dark" scheme.
func (b *tab) media(medium, scheme string) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{
		Media:    medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// fullPage returns a page with all sections, whose names and texts are long.
func fullPage(t *testing.T) []byte {
	t.Helper()
	const target = "https://www.example.com/"
	const earlier = `{"type":"problem","code":"implausible_lastmod","severity":"warning",` +
		`"sitemap":"a.xml","message":"m","target":"` + target + `"}` + "\n" +
		`{"type":"document","sitemap":"gone.xml","format":"urlset","entries":5,"target":"` + target + `"}`
	return site{
		target: target,
		names: append(names(30),
			"https://www.example.com/%3Cscript%3Ealert(1)%3C/script%3E.xml",
			"https://www.example.com/"+strings.Repeat("a_name_that_has_no_place_to_break", 5)+".xml",
			"https://a-host-with-long-labels.and-another-long-label.example.com/%D0%BC%D0%B8%D1%80.xml"),
		text:    strings.Repeat("a_text_without_space", 5),
		earlier: earlier,
	}.page(t)
}

// wide lists the elements that are beyond the right edge or scroll sideways.
const wide = `[...document.querySelectorAll("header *, main *")].filter((e) => {
	const box = e.getBoundingClientRect();
	return !e.closest("thead") && box.width > 0 &&
		(box.right > innerWidth ||
			getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth);
}).map((e) => e.outerHTML.slice(0, 100)).join()`

// longTileLabels lists the labels of tiles that end beyond their tile.
const longTileLabels = `[...document.querySelectorAll(".treemap text")].filter((e) =>
	e.getBoundingClientRect().right > e.previousElementSibling.getBoundingClientRect().right)
	.map((e) => e.textContent).join()`

// TestWidths: at any width nothing is clipped or scrolls sideways.
func TestWidths(t *testing.T) {
	b := newTab(t)
	b.open(fullPage(t))
	b.want(`document.querySelectorAll("details").forEach((d) => d.open = true)`, "undefined")
	for _, pixels := range []int64{320, 640, 800, 801, 1200} {
		b.setWidth(pixels)
		b.want(`innerWidth + " " + document.documentElement.scrollWidth`, fmt.Sprintf("%d %[1]d", pixels))
		b.want(wide, "")
		b.want(longTileLabels, "")
	}
	b.setWidth(320)
	b.want(`document.querySelector(".treemap").getBoundingClientRect().height`, "380")
	b.want(`getComputedStyle(document.querySelector("#rows td:nth-child(3)"), "::before").content`, `"entries "`)
	b.want(`/%[0-9A-F]{2}/.test(document.querySelector("main").innerText)`, "false")
	b.quiet()
}

// contrast is a function of two colours, by WCAG 2.2.
const contrast = `
	const light = (color) => color.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0) + 0.05;
	const contrast = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));`

// paleShapes is "true: " if there are tiles and bars, and lists those whose contrast with the page
// is below 3.
const paleShapes = `(() => {` + contrast + `
	const shapes = [...document.querySelectorAll("svg rect")];
	const back = getComputedStyle(document.body).backgroundColor;
	const pale = shapes.filter((e) => contrast(getComputedStyle(e).fill, back) < 3);
	return (shapes.length > 60) + ": " + pale.map((e) => e.outerHTML).join();
})()`

// paleTexts is "true: " if there are texts, and lists those whose contrast with what is under them
// is below 4.5.
const paleTexts = `(() => {` + contrast + `
	const under = (e) => {
		if (e.matches(".treemap text")) return getComputedStyle(e.previousElementSibling).fill;
		for (; e.parentElement; e = e.parentElement) {
			const color = getComputedStyle(e).backgroundColor;
			if (color !== "rgba(0, 0, 0, 0)") return color;
		}
	};
	const texts = [...document.querySelectorAll("body *:not(script, title)")]
		.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
	const pale = texts.filter((e) => {
		const style = getComputedStyle(e);
		return contrast(e.matches("text") ? style.fill : style.color, under(e)) < 4.5;
	});
	return (texts.length > 100) + ": " + pale.map((e) => e.outerHTML.slice(0, 100)).join();
})()`

// TestContrast: all texts can be read and all shapes seen, in light and in dark.
func TestContrast(t *testing.T) {
	b := newTab(t)
	b.open(fullPage(t))
	for _, scheme := range []string{"light", "dark"} {
		b.media("screen", scheme)
		b.want(paleTexts, "true: ")
		b.want(paleShapes, "true: ")
	}
	b.media("screen", "light")
	b.want(`document.body.style.color = "#999"`, "#999")
	b.want(paleTexts+` === "true: "`, "false") // the test sees it
}

// TestTargets: everything that can be clicked is large enough, and the focus is visible.
func TestTargets(t *testing.T) {
	b := newTab(t)
	b.open(fullPage(t))
	for _, pixels := range []int64{320, 1200} {
		b.setWidth(pixels)
		b.want(`[...document.querySelectorAll("nav a, summary, button:not([hidden]), tbody tr")].filter((e) => {
			const box = e.getBoundingClientRect();
			return box.height > 0 && box.height < 24;
		}).map((e) => e.outerHTML.slice(0, 100)).join()`, "")
	}
	seen := map[string]bool{}
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		b.want(`getComputedStyle(document.activeElement).outlineStyle`, "solid")
		name, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.activeElement.localName`))
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = true
	}
	for _, name := range []string{"a", "summary", "button", "rect", "div"} {
		if !seen[name] {
			t.Errorf("no %s is reached with the keyboard", name)
		}
	}
	b.do(chromedp.Focus(chromedp.CSS("#rows tbody tr:last-child a")))
	for range 29 {
		b.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
		b.want(`document.activeElement.getBoundingClientRect().top >=
			document.querySelector("#rows th").getBoundingClientRect().bottom`, "true") // not under the head
	}
	b.want(`document.activeElement.closest("tr").rowIndex`, "4")
	b.quiet()
}

// TestNames: what a screen reader stops at has a name.
func TestNames(t *testing.T) {
	b := newTab(t)
	b.open(fullPage(t))
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree,
		accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role := strings.Trim(string(n.Role.Value), `"`)
		counts[role]++
		switch role {
		case "button", "link", "heading", "region", "navigation", "columnheader", "DisclosureTriangle":
			if n.Name == nil || string(n.Name.Value) == `""` {
				t.Errorf("a %s has no name", role)
			}
		}
	}
	for _, role := range []string{"button", "link", "heading", "region", "navigation", "columnheader"} {
		if counts[role] == 0 {
			t.Errorf("no %s: %v", role, counts)
		}
	}
}

// TestPrint: the print has everything, is light, and has nothing to click.
func TestPrint(t *testing.T) {
	b := newTab(t)
	b.open(fullPage(t))
	b.media("print", "dark")
	b.setWidth(718) // A4
	b.want(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
	b.want(`[...document.querySelectorAll("nav, button, summary")].filter((e) => e.offsetHeight > 0).length`, "0")
	b.want(`[...document.querySelectorAll(".scroll")].filter((e) => getComputedStyle(e).overflowY !== "visible" ||
		e.scrollHeight > e.clientHeight).length`, "0")
	b.want(shownRows, "33")
	b.want(`document.querySelector("#dates tbody tr").getBoundingClientRect().height > 0`, "true")
	b.want(`document.querySelector(".treemap text").getBoundingClientRect().height > 8`, "true")
	b.want(wide, "")
	b.quiet()
}
