package jetstream

import "github.com/nats-io/nats.go"

// A Login says who a client is, and which brokers it trusts.
type Login struct {
	Creds string // a file with the token and the key of a user, as nsc writes it
	NKey  string // or a file with the seed of a user's key
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
	if l.NKey != "" {
		key, err := nats.NkeyOptionFromSeed(l.NKey)
		if err != nil {
			return nil, err
		}
		options = append(options, key)
	}
	return nats.Connect(urls, options...)
}
