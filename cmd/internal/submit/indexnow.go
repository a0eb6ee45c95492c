package submit

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// maxSubmitted is how many URLs IndexNow takes in one request.
const maxSubmitted = 10_000

// An indexNowRequest is the body of a request.
type indexNowRequest struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation,omitempty"`
	URLs        []string `json:"urlList"`
}

// A submission sends URLs to IndexNow, host by host.
type submission struct {
	*sender
	hosts map[string]*hostChanges
}

// A hostChanges holds the changed URLs of a host that are not sent yet.
type hostChanges struct {
	urls     []string
	isHTTPS  bool // a URL has this scheme
	hasKey   bool
	isFailed bool // the host has no key, or a request was refused
}

// submitChanges sends the URLs in a file of changes.
func submitChanges(ctx context.Context, s *sender, name string) error {
	f, err := s.app.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sub := &submission{s, map[string]*hostChanges{}}
	if err := readChanges(f, s.flags.removed, func(loc string) { sub.add(ctx, loc) }); err != nil {
		return err
	}
	for _, host := range slices.Sorted(maps.Keys(sub.hosts)) {
		sub.flush(ctx, host)
	}
	if len(sub.hosts) == 0 && !s.app.Failed.Load() {
		s.app.Log.Printf("nothing was added, changed or removed")
	}
	return s.app.Ended(ctx)
}

// add takes a URL, and sends those of its host when they fill a request.
func (s *submission) add(ctx context.Context, loc string) {
	u, err := sitemap.ParseLoc(loc)
	if err != nil {
		s.app.Fail("%v", err)
		return
	}
	h := s.hosts[u.Host]
	if h == nil {
		h = &hostChanges{}
		s.hosts[u.Host] = h
	}
	if h.isFailed {
		return
	}
	h.urls = append(h.urls, loc)
	h.isHTTPS = h.isHTTPS || u.Scheme == "https"
	if len(h.urls) == maxSubmitted {
		s.flush(ctx, u.Host)
	}
}

// flush sends the URLs of a host. After a failure no more of them are sent.
func (s *submission) flush(ctx context.Context, host string) {
	h := s.hosts[host]
	if len(h.urls) == 0 || ctx.Err() != nil {
		return
	}
	body := jsonl.Marshal(indexNowRequest{host, s.flags.key, s.flags.keyLocation, h.urls})
	h.urls = nil
	var err error
	if !h.hasKey {
		err = s.checkKey(ctx, s.keyLocation(host, h.isHTTPS))
	}
	if err == nil {
		h.hasKey = true
		err = s.send(ctx, s.flags.endpoint, body)
	}
	if err != nil && ctx.Err() == nil {
		h.isFailed = true
		s.app.Fail("%s: %s", host, jsonl.Message("", err))
	}
}

// keyLocation returns the URL of the file with the key of a host.
func (s *submission) keyLocation(host string, isHTTPS bool) string {
	scheme := "http"
	if isHTTPS {
		scheme = "https"
	}
	return cmp.Or(s.flags.keyLocation, scheme+"://"+host+"/"+s.flags.key+".txt")
}
