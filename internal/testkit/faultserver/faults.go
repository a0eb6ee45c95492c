package faultserver

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var faults map[string]func(*response)

func init() {
	faults = map[string]func(*response){
		"ok":           func(r *response) { r.document(document(), "") },
		"gzip-encoded": func(r *response) { r.document(Gzip(document()), "gzip") },
		"gzip-file":    func(r *response) { r.document(Gzip(document()), "") },
		"gzip-both":    func(r *response) { r.document(Gzip(Gzip(document())), "gzip") },
		"http10":       http10,
		"close-after":  closeAfter,
		"validators":   validators,

		"reset":        func(r *response) { r.hijack(raw.reset) },
		"close":        func(r *response) { r.hijack(func(raw) {}) },
		"reset-midway": func(r *response) { r.midway(raw.reset) },
		"close-midway": func(r *response) { r.midway(func(raw) {}) },
		"silence":      func(r *response) { r.wait(0) },
		"stall":        func(r *response) { r.midway(raw.untilGone) },
		"drip":         func(r *response) { r.slowly(document(), 1, "") },
		"flap":         func(r *response) { r.flap(func() { r.status(503) }) },
		"flap-reset":   func(r *response) { r.flap(func() { r.hijack(raw.reset) }) },

		"http09":        func(r *response) { r.hijack(func(c raw) { c.Write(document()) }) },
		"chunk-midway":  func(r *response) { r.badChunks("") },
		"bad-chunk":     func(r *response) { r.badChunks("what?\n") },
		"long-body":     longBody,
		"header-flood":  headerFlood,
		"header-huge":   headerHuge,
		"header-many":   headerMany,
		"informational": informational,

		"lying-encoding":    func(r *response) { r.document(document(), "gzip") },
		"encoding":          func(r *response) { r.document(document(), r.param("name", "br")) },
		"truncated-gzip":    func(r *response) { r.document(truncated(), "") },
		"truncated-encoded": func(r *response) { r.document(truncated(), "gzip") },
		"corrupt-gzip":      func(r *response) { r.document(corrupt(), "") },
		"corrupt-encoded":   func(r *response) { r.document(corrupt(), "gzip") },

		"status":  func(r *response) { r.status(r.number("code", 500)) },
		"partial": (*response).partial,
		"empty":   func(r *response) { r.document(nil, "") },
		"html": func(r *response) {
			r.page("text/html",
				"<!DOCTYPE html>\n<html><head><title>Not found</title></head>"+
					"<body>Sorry.</body></html>\n")
		},
		"json": func(r *response) {
			r.page("application/json", `{"error":"not found","status":404}`+"\n")
		},
		"login": func(r *response) { r.redirect("/fault/html/login?next=" + r.req.URL.Path) },

		"redirect":         func(r *response) { r.redirect(r.param("to", "/fault/ok")) },
		"redirect-loop":    redirectLoop,
		"redirect-self":    func(r *response) { r.redirect(r.req.URL.RequestURI()) },
		"redirect-chain":   redirectChain,
		"redirect-nowhere": func(r *response) { r.WriteHeader(http.StatusFound) },

		"endless": func(r *response) {
			r.Header().Set("Content-Type", "text/xml")
			writeEndless(r, []byte(urlsetHead), endless())
		},
		"endless-gzip": func(r *response) {
			r.Header().Set("Content-Type", "application/gzip")
			first, rest := endlessGzip()
			writeEndless(r, first, rest)
		},
		"bomb": func(r *response) { r.document(bomb(max(1, r.number("n", 100))), "gzip") },
		"nested-bomb": func(r *response) {
			r.document(Gzip(bomb(max(1, r.number("n", 100)))), "")
		},
		"slow-bomb": func(r *response) {
			r.slowly(bomb(max(1, r.number("n", 100))), 1<<10, "gzip")
		},
	}
}

// ServeHTTP serves /fault/NAME, and 404 for anything else.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.Path]++
	hit := s.hits[r.URL.Path]
	s.mu.Unlock()
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/fault/"), "/")
	serve := faults[name]
	if serve == nil {
		http.NotFound(w, r)
		return
	}
	serve(&response{Server: s, ResponseWriter: w, req: r, hit: hit})
}

// Names returns the names of all faults.
func Names() []string {
	var names []string
	for name := range faults {
		names = append(names, name)
	}
	return names
}

func (r *response) number(name string, def int) int {
	n, err := strconv.Atoi(r.param(name, strconv.Itoa(def)))
	if err != nil {
		return def
	}
	return n
}

func (r *response) document(data []byte, encoding string) {
	r.Header().Set("Content-Type", "text/xml")
	r.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if encoding != "" {
		r.Header().Set("Content-Encoding", encoding)
	}
	r.Write(data)
}

func (r *response) page(contentType, body string) {
	r.Header().Set("Content-Type", contentType)
	io.WriteString(r, body)
}

func (r *response) status(code int) {
	if after := r.param("retry-after", ""); after != "" {
		r.Header().Set("Retry-After", after)
	}
	if encoding := r.param("encoding", ""); encoding != "" {
		r.Header().Set("Content-Encoding", encoding)
	}
	r.Header().Set("Content-Type", "text/plain")
	r.WriteHeader(code)
	if code != http.StatusNoContent && code != http.StatusResetContent &&
		code != http.StatusNotModified {
		fmt.Fprintf(r, "status %d\n", code)
	}
}

func (r *response) redirect(to string) {
	r.Header()["Location"] = []string{to}
	r.WriteHeader(http.StatusFound)
	fmt.Fprintln(r, "moved")
}

func (r *response) partial() {
	data := document()
	half := len(data) / 2
	r.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", half-1, len(data)))
	r.Header().Set("Content-Type", "text/xml")
	r.WriteHeader(http.StatusPartialContent)
	r.Write(data[:half])
}

// flap fails for the first n requests of a path.
func (r *response) flap(fail func()) {
	if r.hit <= r.number("n", 2) {
		fail()
		return
	}
	r.document(document(), "")
}

// slowly sends size bytes every Pace.
func (r *response) slowly(data []byte, size int, encoding string) {
	if encoding != "" {
		r.Header().Set("Content-Encoding", encoding)
	}
	r.Header().Set("Content-Type", "text/xml")
	for len(data) > 0 {
		n := min(size, len(data))
		if _, err := r.Write(data[:n]); err != nil {
			return
		}
		data = data[n:]
		r.ResponseWriter.(http.Flusher).Flush()
		if !r.wait(r.Pace) {
			return
		}
	}
}

// midway sends a header and half of the document, then calls then.
func (r *response) midway(then func(raw)) {
	r.hijack(func(c raw) {
		data := document()
		c.send(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: %d\n\n",
			len(data)))
		c.Write(data[:len(data)/2])
		c.r.wait(c.r.Pace) // a reset discards unread bytes
		then(c)
	})
}

func (r *response) badChunks(end string) {
	r.hijack(func(c raw) {
		data := document()
		c.send("HTTP/1.1 200 OK\nContent-Type: text/xml\nTransfer-Encoding: chunked\n\n")
		for rest := data[:len(data)/2]; len(rest) > 0; {
			n := min(1000, len(rest))
			fmt.Fprintf(c, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		c.send(end)
	})
}

func http10(r *response) {
	r.hijack(func(c raw) {
		c.send("HTTP/1.0 200 OK\nContent-Type: text/xml\n\n")
		c.Write(document())
	})
}

func closeAfter(r *response) {
	r.hijack(func(c raw) {
		c.send(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: %d\n\n",
			len(document())))
		c.Write(document())
	})
}

func longBody(r *response) {
	r.hijack(func(c raw) {
		c.send(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: %d\n\n",
			len(document())/2))
		c.Write(document())
	})
}

// The validators of the fault "validators".
const (
	ETag         = `"v1"`
	LastModified = "Mon, 06 May 2024 07:08:09 GMT"
)

func validators(r *response) {
	h := r.Header()
	h.Set("ETag", ETag)
	h.Set("Last-Modified", LastModified)
	if r.req.Header.Get("If-None-Match") == ETag ||
		r.req.Header.Get("If-Modified-Since") == LastModified {
		r.WriteHeader(http.StatusNotModified)
		return
	}
	r.document(document(), "")
}

func headerFlood(r *response) {
	r.hijack(func(c raw) {
		c.send("HTTP/1.1 200 OK\n")
		line := []byte("X-Flood: " + strings.Repeat("x", 1000) + "\r\n")
		for {
			if _, err := c.Write(line); err != nil {
				return
			}
		}
	})
}

func headerHuge(r *response) {
	r.hijack(func(c raw) {
		c.send("HTTP/1.1 200 OK\nConnection: close\nX-Huge: " +
			strings.Repeat("x", r.number("n", 1024)<<10) + "\nContent-Length: 0\n\n")
		c.untilGone()
	})
}

func headerMany(r *response) {
	r.hijack(func(c raw) {
		n := r.number("n", 20_000)
		var head strings.Builder
		head.WriteString("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 0\n")
		// Content-Length is one field; Connection belongs to the connection
		for i := 1; i < n; i++ {
			head.WriteString(strconv.FormatInt(int64(i), 36) + ":\n")
		}
		c.send(head.String() + "\n")
	})
}

func informational(r *response) {
	r.hijack(func(c raw) {
		const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
		many := []byte(strings.Repeat(hints, 100))
		for {
			if _, err := c.Write(many); err != nil {
				return
			}
		}
	})
}

func redirectLoop(r *response) {
	const a, b = "/fault/redirect-loop", "/fault/redirect-loop/b"
	if r.req.URL.Path == b {
		r.redirect(a)
		return
	}
	r.redirect(b)
}

func redirectChain(r *response) {
	n := r.number("n", 3)
	if n == 0 {
		r.document(document(), "")
		return
	}
	r.redirect("/fault/redirect-chain?n=" + strconv.Itoa(n-1))
}
