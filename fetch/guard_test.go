package fetch_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/seed-322c453a/sitemap/fetch"
)

// Addresses of every range that is refused, the first and the last where that
// tells more.
var refusedAddrs = []string{
	"0.0.0.0", "0.255.255.255", // this network
	"10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255", // private
	"100.64.0.1", "100.127.255.255", // CGNAT
	"100.100.100.200",              // metadata of Alibaba, within CGNAT
	"127.0.0.1", "127.255.255.254", // loopback
	"169.254.0.1", "169.254.169.254", "169.254.170.2", // link-local, metadata of AWS, Google, Azure
	"168.63.129.16",            // metadata of Azure
	"192.0.0.1", "192.0.0.192", // protocol assignments, metadata of Oracle
	"192.0.2.1", "198.51.100.1", "203.0.113.255", // documentation
	"192.31.196.1", "192.175.48.1", // AS112
	"192.52.193.1",                 // AMT
	"192.88.99.1",                  // 6to4 relays
	"198.18.0.1", "198.19.255.255", // benchmarking
	"224.0.0.1", "239.255.255.255", // multicast
	"240.0.0.1", "255.255.255.255", // reserved, broadcast
	"::", "::1", "::127.0.0.1", // unspecified, loopback, IPv4-compatible
	"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", // IPv4-mapped
	"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "64:ff9b:1:ffff::1", // NAT64
	"100::1",                 // discard
	"2001::1", "2001:1ff::1", // protocol assignments, Teredo
	"2001:2::1", "2001:db8::1", // benchmarking, documentation
	"2002:7f00:1::", "2002:808:808::1", // 6to4
	"2620:4f:8000::1",    // AS112
	"3fff::1",            // documentation
	"5f00::1",            // segment routing
	"fc00::1", "fd12::1", // unique local
	"fd00:ec2::254",      // metadata of AWS
	"fe80::1", "fec0::1", // link-local, site-local
	"ff02::1", "ff0e::101", // multicast
}

var publicAddrs = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
	"192.167.255.255", "198.17.255.255", "198.20.0.0", "223.255.255.255",
	"2606:4700:4700::1111", "2a00:1450:4001:82a::200e", "2400:cb00::1",
}

func TestGuard_AllowsPublicAddresses(t *testing.T) {
	for _, a := range publicAddrs {
		if err := fetch.CheckAddress(netip.MustParseAddr(a)); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	for _, a := range refusedAddrs {
		if err := fetch.CheckAddress(netip.MustParseAddr(a)); !errors.Is(err, fetch.ErrRefused) {
			t.Errorf("%s: %v, want %v", a, err, fetch.ErrRefused)
		}
	}
}

// TestRefusedLiterals asks for the addresses themselves: nothing is sent, and the
// Limiter is not asked.
func TestRefusedLiterals(t *testing.T) {
	l := &countingLimiter{}
	c := &fetch.Client{Limiter: l}
	for _, a := range refusedAddrs {
		host := a
		if strings.Contains(a, ":") {
			host = "[" + a + "]"
		}
		_, err := c.Get(t.Context(), fetch.Request{URL: "http://" + host + "/"})
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrRefused) || !errors.As(err, &e) || e.Attempts != 0 || e.Temporary() {
			t.Errorf("Get(%s): %v, want %v without an attempt", a, err, fetch.ErrRefused)
		}
	}
	if len(l.statuses) != 0 || l.out != 0 {
		t.Errorf("limiter was asked %d times, want none", len(l.statuses)+l.out)
	}
}

// A nameServer is a DNS server for a net.Resolver, which gives the answers for a
// name one after the other, and the last one from then on.
type nameServer struct {
	mu      sync.Mutex
	answers map[string][]string // name to lists of addresses, each separated by spaces
	asked   map[string]int
}

func newNameServer(answers map[string][]string) (*nameServer, *net.Resolver) {
	s := &nameServer{answers: answers, asked: map[string]int{}}
	return s, &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go s.serve(server)
		return client, nil
	}}
}

func (s *nameServer) serve(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, query); err != nil {
			return
		}
		reply := s.reply(query)
		c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

func (s *nameServer) reply(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	addrs, known := s.answer(strings.TrimSuffix(q.Name.String(), "."), q.Type == dnsmessage.TypeA)
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addrs {
		addr := netip.MustParseAddr(a)
		h := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}
		switch {
		case addr.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: addr.As4()}})
		case addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	out, _ := m.Pack()
	return out
}

// answer returns the addresses of a name; each lookup asks once for A.
func (s *nameServer) answer(name string, count bool) ([]string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers, ok := s.answers[name]
	if !ok {
		return nil, false
	}
	n := min(s.asked[name], len(answers)-1)
	if count {
		s.asked[name]++
	}
	return strings.Fields(answers[n]), true
}

// TestRefusedNames resolves names to addresses that are refused: also where an
// answer that was checked before was another.
func TestRefusedNames(t *testing.T) {
	s := newSite(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	_, resolver := newNameServer(map[string][]string{
		"loopback.test": {"127.0.0.1"},
		"both.test":     {"127.0.0.1 ::1 10.0.0.1"},
		"mapped.test":   {"::ffff:127.0.0.1"},
		"rebind.test":   {"8.8.8.8", "127.0.0.1"},
	})
	for _, name := range []string{"loopback.test", "both.test", "mapped.test", "rebind.test"} {
		c := &fetch.Client{Proxy: noProxy, RetryWait: time.Millisecond}
		fetch.Resolve(c, resolver, netip.Prefix{})
		_, err := c.Get(t.Context(),
			fetch.Request{URL: "http://" + name + ":" + port + "/fault/ok"})
		var e *fetch.Error
		if !errors.Is(err, fetch.ErrRefused) || !errors.As(err, &e) || e.Attempts != 1 {
			t.Errorf("%s: %v, want %v after 1 attempt", name, err, fetch.ErrRefused)
		}
	}
	if opened := s.connections(); opened != 0 {
		t.Errorf("%d connections were made, want none", opened)
	}
	c := &fetch.Client{Proxy: noProxy, AllowPrivateNetworks: true}
	fetch.Resolve(c, resolver, netip.Prefix{})
	defer c.CloseIdleConnections()
	doc, err := c.Get(t.Context(), fetch.Request{URL: "http://loopback.test:" + port + "/fault/ok"})
	if err != nil {
		t.Fatalf("with AllowPrivateNetworks: %v", err)
	}
	doc.Body.Close()
}

func TestUnknownHost(t *testing.T) {
	_, resolver := newNameServer(nil)
	c := &fetch.Client{Proxy: noProxy, RetryWait: time.Millisecond}
	fetch.Resolve(c, resolver, netip.Prefix{})
	_, err := c.Get(t.Context(), fetch.Request{URL: "http://unknown.test/"})
	var (
		dns *net.DNSError
		e   *fetch.Error
	)
	if !errors.Is(err, fetch.ErrConnect) || !errors.As(err, &dns) || !dns.IsNotFound {
		t.Fatalf("error %v, want %v and a *net.DNSError", err, fetch.ErrConnect)
	}
	if !errors.As(err, &e) || e.Attempts != 1 {
		t.Errorf("error %+v, want 1 attempt", e)
	}
}

// guardedClient returns a fetch.Client whose guard takes 127.0.0.1 for public.
func guardedClient(t *testing.T, resolver *net.Resolver) *fetch.Client {
	c := newClient(t)
	c.AllowPrivateNetworks = false
	fetch.Resolve(c, resolver, netip.MustParsePrefix("127.0.0.1/32"))
	return c
}

// TestRefusedHops redirects from a public host to others.
func TestRefusedHops(t *testing.T) {
	s := newSite(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	_, resolver := newNameServer(map[string][]string{"private.test": {"10.0.0.1"},
		"other.test": {"127.0.0.1"}})
	c := guardedClient(t, resolver)
	for _, tt := range []struct {
		to   string
		want error
	}{
		{"http://10.0.0.1/", fetch.ErrRefused},
		{"http://[::ffff:10.0.0.1]/", fetch.ErrRefused},
		{"http://private.test/", fetch.ErrRefused},
		{"http://private.test:443/", fetch.ErrRefused},
		{"http://other.test:" + port + "/fault/ok", fetch.ErrRefused}, // the port
		{"http://127.0.0.1:22/", fetch.ErrRefused},
		{"https://127.0.0.1:8443/", fetch.ErrRefused},
		{"http://127.0.0.1:" + port + "/fault/ok", nil}, // the origin that was named
	} {
		doc, err := c.Get(t.Context(),
			fetch.Request{URL: s.fault("redirect?to=") + url.QueryEscape(tt.to)})
		if !errors.Is(err, tt.want) {
			t.Errorf("redirect to %s: %v, want %v", tt.to, err, tt.want)
		}
		if err == nil {
			doc.Body.Close()
		}
	}
}

// TestPorts asks for ports where the caller named other origins.
func TestPorts(t *testing.T) {
	s := newSite(t)
	c := guardedClient(t, nil)
	for _, tt := range []struct {
		origins []string
		want    error
	}{
		{nil, nil},
		{[]string{s.URL}, nil},
		{[]string{"https://example.com/", s.URL + "/other"}, nil},
		{[]string{"https://example.com/"}, fetch.ErrRefused},
		{[]string{"http://127.0.0.1/"}, fetch.ErrRefused},
		{[]string{strings.Replace(s.URL, "http:", "https:", 1)}, fetch.ErrRefused},
		{[]string{"%"}, fetch.ErrRefused},
	} {
		doc, err := c.Get(t.Context(), fetch.Request{URL: s.fault("ok"), Origins: tt.origins})
		if !errors.Is(err, tt.want) {
			t.Errorf("Origins %q: %v, want %v", tt.origins, err, tt.want)
		}
		if err == nil {
			doc.Body.Close()
		}
	}
}

// TestNewTransport uses the transport without a fetch.Client.
func TestNewTransport(t *testing.T) {
	s := newSite(t)
	guarded := &http.Client{Transport: fetch.NewTransport()}
	if _, err := guarded.Get(s.fault("ok")); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("guarded: %v, want %v", err, fetch.ErrRefused)
	}
}
