package audit

// Sources of several rules, each with the title of the page or the number of the section.
const (
	protocolXML      = `sitemaps.org, "Sitemaps XML format"`
	protocolTags     = `sitemaps.org, "XML tag definitions"`
	protocolEscaping = `sitemaps.org, "Entity escaping"`
	protocolIndex    = `sitemaps.org, "Using Sitemap index files"`
	protocolText     = `sitemaps.org, "Other Sitemap formats"`
	protocolLocation = `sitemaps.org, "Sitemap file location"`
	protocolCross    = `sitemaps.org, "Sitemaps & Cross Submits"`
	protocolSubmit   = `sitemaps.org, "Informing search engine crawlers"`
	protocolFAQ      = `sitemaps.org, "Frequently asked questions"`
	protocolSchema   = "sitemaps.org, the schemas sitemap.xsd and siteindex.xsd"

	xmlCharacters = "XML 1.0, section 2.2"
	xmlProlog     = "XML 1.0, section 2.8"
	xmlReferences = "XML 1.0, section 4.1"
	rfcGzip       = "RFC 1952, section 2.2"
	rfcURI        = "RFC 3986, section 3"
	rssItems      = `RSS 2.0 Specification, "Elements of <item>"`
	w3cDates      = protocolTags + `; W3C, "Date and Time Formats"`

	googleBuild      = `Google Search Central, "Build and submit a sitemap"`
	googleIndex      = `Google Search Central, "Manage your sitemaps with a sitemap index file"`
	googleNews       = `Google Search Central, "News sitemaps"`
	googleImages     = `Google Search Central, "Image sitemaps"`
	googleVideos     = `Google Search Central, "Video sitemaps and alternatives"`
	googleAlternates = `Google Search Central, "Tell Google about localized versions of your page"`
	googleCanonical  = "Google Search Central, " +
		`"How to specify a canonical URL with rel="canonical" and other methods"`
	googleStatus = "Google Search Central, " +
		`"How HTTP status codes, and network and DNS errors affect Google Search"`
	googleRobotsMeta = "Google Search Central, " +
		`"Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"`
	searchConsole = `Search Console Help, "Manage your sitemaps using the Sitemaps report"`
	bingLastMod   = "Bing Webmaster Blog, " +
		`"The Importance of Setting the "lastmod" Tag in Your Sitemap"`
	yandexErrors = `Yandex Webmaster, "Sitemap errors reference"`
)
