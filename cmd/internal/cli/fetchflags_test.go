package cli

import (
	"testing"
	"time"
)

func TestClient(t *testing.T) {
	n := FetchFlags{
		connectTo: []string{"a.example:443:b.example:8443", "::[::1]:80", "[::1]:1:c.example:"},
		mapped:    []string{"https://a.example=http://b.example"},
	}
	n.client.Delay = 2 * time.Second
	c, err := n.Client()
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"a.example:443": "b.example:8443", ":": "[::1]:80", "[::1]:1": "c.example:",
	} {
		if c.ConnectTo[from] != to {
			t.Errorf("ConnectTo[%q] = %q, want %q", from, c.ConnectTo[from], to)
		}
	}
	if c.Delay != 2*time.Second || c.Map["https://a.example"] != "http://b.example" {
		t.Errorf("Delay %v, Map %v", c.Delay, c.Map)
	}
}
