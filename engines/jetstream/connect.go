package jetstream

import (
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// A Login says who a client is, and which brokers it trusts.
type Login struct {
	Creds string // a file with the token and the key of a user, as nsc writes it
	NKey  string // a file with the seed of a user's key
	CA    string // a file of certificates that sign those of brokers; "" means those of the system
}

// Connect connects to a broker, or to one of several whose URLs are separated by commas, and again
// whenever the connection is lost.
func Connect(urls string, l Login) (*nats.Conn, error) {
	options := []nats.Option{nats.Name("sitemap"), nats.MaxReconnects(-1)}
	if l.Creds != "" {
		options = append(options, nats.UserCredentials(l.Creds))
	}
	if l.CA != "" {
		options = append(options, nats.RootCAs(l.CA))
	}
	var err error
	if l.NKey != "" {
		var key nats.Option
		key, err = nats.NkeyOptionFromSeed(l.NKey)
		options = append(options, key)
	}
	if l.Creds != "" && l.NKey != "" {
		err = errors.New("a user has credentials or a key, not both")
	}
	var nc *nats.Conn
	if err == nil {
		nc, err = nats.Connect(urls, options...)
	}
	if err != nil {
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return nc, nil
}
