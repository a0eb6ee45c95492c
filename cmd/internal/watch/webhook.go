package watch

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A webhook receives events by the scheme of Standard Webhooks (https://www.standardwebhooks.com).
// The operator chooses its address, so it may be private.
type webhook struct {
	url    string
	key    []byte // nil: requests are not signed
	client *http.Client
}

// newWebhook returns the webhook at a URL. The secret is "whsec_" and base64.
func newWebhook(loc, secret string, transport http.RoundTripper) (*webhook, error) {
	u, err := url.Parse(loc)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("--webhook: want an http or https URL")
	}
	client := &http.Client{Timeout: 30 * time.Second, Transport: transport}
	client.CheckRedirect = func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // a redirect may turn into a GET that brings no event
	}
	w := &webhook{url: loc, client: client}
	if text, ok := strings.CutPrefix(secret, "whsec_"); ok && text != "" {
		w.key, err = base64.StdEncoding.DecodeString(text)
	} else if secret != "" {
		err = fmt.Errorf("want whsec_ and base64")
	}
	if err != nil {
		return nil, fmt.Errorf("SITEMAP_WEBHOOK_SECRET: %w", err)
	}
	return w, nil
}

// send sends events until they are accepted. It fails only if ctx ends.
func (w *webhook) send(ctx context.Context, events []event, log *cli.Log) error {
	body := jsonl.Marshal(map[string]any{"type": "sitemap.events", "events": events})
	sum := sha256.Sum256(body)
	id := hex.EncodeToString(sum[:16])
	for wait := time.Second; ; wait = min(2*wait, 5*time.Minute) {
		err := w.post(ctx, id, body)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		log.Printf("webhook: %v; again in %s", err, cli.About(wait))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// post sends one request.
func (w *webhook) post(ctx context.Context, id string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", at)
	if w.key != nil {
		mac := hmac.New(sha256.New, w.key)
		fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
		req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", sitemap.Redact(w.url), errors.Unwrap(err)) // without the user
	}
	io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", sitemap.Redact(w.url), resp.Status)
	}
	return nil
}
