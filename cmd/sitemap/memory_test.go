package main

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A memoryNet is a listener in memory that every host is connected to. Under testing/synctest, its
// connections let the fake clock go on while they wait.
type memoryNet struct {
	conns chan net.Conn
	ended chan struct{}
}

// serveMemory serves all hosts with h. It returns a transport that finds them, and a function that
// ends both.
func serveMemory(h http.Handler) (transport *http.Transport, stop func()) {
	n := &memoryNet{conns: make(chan net.Conn), ended: make(chan struct{})}
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(n)
	transport = &http.Transport{DialContext: n.dial}
	return transport, func() { transport.CloseIdleConnections(); server.Close() }
}

func (n *memoryNet) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	n.conns <- server
	return client, nil
}

func (n *memoryNet) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.ended:
		return nil, net.ErrClosed
	}
}

func (n *memoryNet) Close() error { close(n.ended); return nil }

func (n *memoryNet) Addr() net.Addr { return &net.TCPAddr{} }

// runOver runs the command in this process, over a transport.
func runOver(t testing.TB, transport http.RoundTripper, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	a := cli.NewApp(t.Context(), strings.NewReader(""), &out, &err)
	a.Transport = transport
	status := execute(a, args)
	return result{out.String(), err.String(), status}
}
