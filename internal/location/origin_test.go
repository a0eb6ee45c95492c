package location

import (
	"net/url"
	"testing"
)

func TestParseOrigin(t *testing.T) {
	tests := []struct{ loc, scheme, host, path string }{
		{"http://example.com/a/b?c/d#e/f", "http", "example.com", "/a/b"},
		{"https://example.com", "https", "example.com", "/"},
		{"https://example.com?x=/a", "https", "example.com", "/"},
		{"https://example.com#/a", "https", "example.com", "/"},
		{"HTTPS://WWW.Example.COM:443/A", "https", "www.example.com", "/A"},
		{"http://example.com:80/", "http", "example.com", "/"},
		{"http://example.com:0080/", "http", "example.com", "/"},
		{"http://example.com:/", "http", "example.com", "/"},
		{"http://example.com:443/", "http", "example.com:443", "/"},
		{"http://example.com:0/", "http", "example.com:0", "/"},
		{"http://example.com./", "http", "example.com", "/"},
		{"http://example.com.:8080/", "http", "example.com:8080", "/"},
		{"http://user:pw@example.com/", "http", "example.com", "/"},
		{"http://www.host.example@evil.example/", "http", "evil.example", "/"},
		{"http://Бухта.РФ/", "http", "xn--80ab5cdk.xn--p1ai", "/"},
		{"http://XN--80AB5CDK.xn--p1ai/", "http", "xn--80ab5cdk.xn--p1ai", "/"},
		{"http://example\u3002com/", "http", "example.com", "/"},
		{"http://[2001:DB8:0:0::1]:80/", "http", "[2001:db8::1]", "/"},
		{"http://[2001:db8::1]:81/", "http", "[2001:db8::1]:81", "/"},
		{"http://example.com/a/../b/./c", "http", "example.com", "/b/c"},
		{"http://example.com/a/%2e%2E/b", "http", "example.com", "/b"},
		{"http://example.com/a/%2E./b", "http", "example.com", "/b"},
		{"http://example.com/a/..", "http", "example.com", "/"},
		{"http://example.com/../../x", "http", "example.com", "/x"},
		{"http://example.com/a//b", "http", "example.com", "/a//b"},
		{"http://example.com/%7euser/%63at/%2f", "http", "example.com", "/~user/cat/%2F"},
		{"http://example.com/caf%c3%a9/é", "http", "example.com", "/caf%C3%A9/%C3%A9"},
		{"http://example.com/100%/a b\\c", "http", "example.com", "/100%25/a%20b%5Cc"},
		{"http://example.com/a/b#/../../c", "http", "example.com", "/a/b"},
		{"http://example.com/a/x%2fy/../%2E%2e/b", "http", "example.com", "/a/x%2Fy/../../b"},
		{"http://example.com/a/x\\y/./b", "http", "example.com", "/a/x%5Cy/./b"},
	}
	for _, test := range tests {
		o, path, err := ParseOrigin(test.loc)
		if want := (Origin{test.scheme, test.host}); err != nil || o != want || path != test.path {
			t.Errorf("ParseOrigin(%q) = %v, %q, %v; want %v, %q", test.loc, o, path, err, want,
				test.path)
		}
		u, err := url.Parse(test.loc)
		if err != nil {
			continue // net/url is stricter
		}
		if got, err := OriginOf(u); err != nil || got != o {
			t.Errorf("OriginOf(%q) = %v, %v; want %v", test.loc, got, err, o)
		}
	}
}

func TestParseOriginErrors(t *testing.T) {
	for _, loc := range []string{"", "/a", "example.com/a", "ftp://example.com/", "http://",
		"http:///a", "http://./", "http://a b/", "http://example.com:x/", "mailto:a@b"} {
		if o, path, err := ParseOrigin(loc); err == nil {
			t.Errorf("ParseOrigin(%q) = %v, %q; want an error", loc, o, path)
		}
	}
	if _, err := OriginOf(&url.URL{Scheme: "http", Host: "a b"}); err == nil {
		t.Error("OriginOf of a host with a space: no error")
	}
	if _, err := OriginOf(&url.URL{Path: "/a"}); err == nil {
		t.Error("OriginOf of a relative URL: no error")
	}
}

func TestDir(t *testing.T) {
	tests := map[string]string{
		"": "/", "/": "/", "/sitemap.xml": "/", "/a/b/sitemap.xml": "/a/b/", "/a/b/": "/a/b/",
		"/a/..": "/", "/a/%2e%2e/b": "/", "/%7eme/x": "/~me/",
	}
	for path, want := range tests {
		if got := Dir(path); got != want {
			t.Errorf("Dir(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestInDir(t *testing.T) {
	tests := []struct {
		dir, path string
		want      bool
	}{
		{"/", "", true},
		{"/", "/a/b", true},
		{"/catalog/", "/catalog/", true},
		{"/catalog/", "/catalog/show", true},
		{"/catalog", "/catalog/show", true},
		{"/catalog/", "/catalog", false},
		{"/catalog/", "/catalogue/x", false},
		{"/catalog/", "/Catalog/x", false},
		{"/catalog/", "/image/x", false},
		{"/catalog/", "/catalog/../image", false},
		{"/catalog/", "/catalog/%2e%2e/image", false},
		{"/catalog/", "/catalog/%2E./image", false},
		{"/catalog/", "/catalog/..", false},
		{"/catalog/", "/image/../catalog/x", true},
		{"/catalog/", "/%63atalog/x", true},
		{"/caf%c3%a9/", "/café/x", true},
		{"/a%2fb/", "/a/b/x", false},
	}
	for _, test := range tests {
		if got := InDir(test.dir, test.path); got != test.want {
			t.Errorf("InDir(%q, %q) = %v, want %v", test.dir, test.path, got, test.want)
		}
	}
}
