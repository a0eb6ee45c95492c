package demo

import (
	"compress/gzip"
	"context"
	"embed"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
)

// sites holds the sites of the demo, each in a folder named like its host.
//
//go:embed www.example.com www.example.org
var sites embed.FS

// serve serves the sites of the demo from loopback. It returns a transport that finds all hosts
// there, and a function that ends both.
func serve() (transport *http.Transport, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: http.HandlerFunc(serveDocument)}
	go server.Serve(l)
	transport = &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, l.Addr().String())
		},
	}
	return transport, func() { transport.CloseIdleConnections(); server.Close() }, nil
}

// serveDocument serves a file: name.gz is the file name, compressed.
func serveDocument(w http.ResponseWriter, r *http.Request) {
	plain, compressed := strings.CutSuffix(path.Join(r.Host, r.URL.Path), ".gz")
	f, err := sites.Open(plain)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	contentType := "application/xml"
	if strings.HasSuffix(plain, ".txt") {
		contentType = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	if !compressed {
		io.Copy(w, f)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	zw := gzip.NewWriter(w)
	io.Copy(zw, f)
	zw.Close()
}
