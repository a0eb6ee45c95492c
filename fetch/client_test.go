package fetch

import (
	"math"
	"testing"
)

func TestMaxRetries(t *testing.T) {
	for _, tt := range []struct{ retries, want int }{
		{0, DefaultRetries},
		{1, 1},
		{100, 100},
		{-1, 0},
		{math.MinInt, 0},
		{math.MaxInt, 1 << 30}, // and not what overflows with one more
	} {
		if got := (&Client{Retries: tt.retries}).MaxRetries(); got != tt.want {
			t.Errorf("Retries %d: MaxRetries() = %d, want %d", tt.retries, got, tt.want)
		}
	}
}
