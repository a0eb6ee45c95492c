package watch

import (
	"strings"
	"testing"
)

// An error of the webhook names its address without the user.
func TestWebhook_User(t *testing.T) {
	w, err := newWebhook("http://name:word@127.0.0.1:1/hook", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	err = w.post(t.Context(), "id", nil)
	if text := err.Error(); strings.Contains(text, "name") || !strings.HasPrefix(text, "http://127.0.0.1:1/hook: ") {
		t.Error(err)
	}
}
