package main

import (
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed demo
var demoFiles embed.FS

// demoHosts are the sites of the demo, each a folder of demoFiles.
var demoHosts = []string{"www.example.com", "www.example.org"}

// A demoWeb serves the demo's sites, each from a port of its own on loopback.
type demoWeb struct {
	servers []*http.Server
	addrs   map[string]string // by host and port
}

func newDemoWeb() (*demoWeb, error) {
	web := &demoWeb{addrs: map[string]string{}}
	for _, host := range demoHosts {
		site, err := fs.Sub(demoFiles, "demo/"+host)
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			web.close()
			return nil, err
		}
		server := &http.Server{Handler: demoSite{site}, ReadHeaderTimeout: 10 * time.Second}
		web.servers = append(web.servers, server)
		web.addrs[net.JoinHostPort(host, "80")] = l.Addr().String()
		go server.Serve(l)
	}
	return web, nil
}

func (w *demoWeb) close() {
	for _, s := range w.servers {
		s.Close()
	}
}

// transport returns a transport that finds the demo's hosts on loopback, and no
// others.
func (w *demoWeb) transport() *http.Transport {
	var d net.Dialer
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			to, ok := w.addrs[addr]
			if !ok {
				return nil, errors.New("not one of the demo's hosts: " + addr)
			}
			return d.DialContext(ctx, network, to)
		},
	}
}

// A demoSite serves files: name.gz is name, compressed.
type demoSite struct{ files fs.FS }

func (s demoSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	plain, compressed := strings.CutSuffix(name, ".gz")
	f, err := s.files.Open(plain)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	if !compressed {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if path.Ext(name) != ".txt" {
			w.Header().Set("Content-Type", "application/xml")
		}
		io.Copy(w, f)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	zw := gzip.NewWriter(w)
	io.Copy(zw, f)
	zw.Close()
}
