package fetch

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// The URLs logged are those of targets, which carry no credentials.

func (c *Client) log(ctx context.Context, level slog.Level, msg string, attrs ...slog.Attr) {
	if c.Logger != nil {
		c.Logger.LogAttrs(ctx, level, msg, attrs...)
	}
}

func (c *Client) logRequest(req *http.Request, attempt int) {
	c.log(req.Context(), slog.LevelDebug, "fetch: request",
		slog.String("url", req.URL.String()), slog.Int("attempt", attempt))
}

func (c *Client) logRedirect(ctx context.Context, from Hop, to *url.URL) {
	c.log(ctx, slog.LevelDebug, "fetch: redirect",
		slog.String("url", from.URL), slog.Int("status", from.Status), slog.String("to", to.String()))
}

func (c *Client) logRetry(ctx context.Context, u *url.URL, status int, wait time.Duration) {
	c.log(ctx, slog.LevelInfo, "fetch: retry",
		slog.String("url", u.String()), slog.Int("status", status), slog.Duration("wait", wait))
}
