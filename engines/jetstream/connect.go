package natsqueue

import "github.com/nats-io/nats.go"

// A Login identifies a client to a broker, and the brokers that the client trusts. The zero Login
// has no credentials and trusts the certificate authorities of the system.
type Login struct {
	Creds string // the file with the token and the key of a user, as nsc writes it
	NKey  string // or the file with the seed of a user's key
	CA    string // the file with the certificate authorities to trust
}

// Connect connects to a broker, or to one of several whose URLs are separated by commas. It
// reconnects whenever the connection is lost.
func Connect(urls string, l Login) (*nats.Conn, error) {
	quiet := func(*nats.Conn, *nats.Subscription, error) {} // by default, errors go to os.Stderr too
	options := []nats.Option{
		nats.Name("sitemap"), nats.MaxReconnects(-1), nats.ErrorHandler(quiet),
	}
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
