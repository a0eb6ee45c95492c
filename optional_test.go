package sitemap

import (
	"encoding/json"
	"testing"
)

func TestOptional(t *testing.T) {
	var absent Optional[float64]
	if v, ok := absent.Get(); v != 0 || ok || !absent.IsZero() || absent.Or(0.5) != 0.5 {
		t.Errorf("absent: %v, %v, Or %v", v, ok, absent.Or(0.5))
	}
	present := Some(0.0)
	if v, ok := present.Get(); v != 0 || !ok || present.IsZero() || present.Or(0.5) != 0 {
		t.Errorf("present: %v, %v, Or %v", v, ok, present.Or(0.5))
	}
	if present == absent || present != Some(0.0) {
		t.Error("Optionals do not compare as their values do")
	}
}

func TestOptionalJSON(t *testing.T) {
	type record struct {
		Priority Optional[float64] `json:"priority,omitzero"`
		Live     Optional[bool]    `json:"live"`
	}
	for want, r := range map[string]record{
		`{"live":null}`:                {},
		`{"priority":0,"live":false}`:  {Some(0.0), Some(false)},
		`{"priority":0.8,"live":true}`: {Some(0.8), Some(true)},
	} {
		if got, err := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("%v is written as %s, %v; want %s", r, got, err, want)
		}
		back := record{Priority: Some(0.3), Live: Some(true)}
		if err := json.Unmarshal([]byte(want), &back); err != nil || back.Live != r.Live ||
			r.Priority != back.Priority && !r.Priority.IsZero() {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
}
