package batch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// Schemes of the URLs of queues.
const (
	schemeNATS        = "nats://"
	schemeTLS         = "tls://"
	schemeFrontier    = "urlfrontier://"
	schemeFrontierTLS = "urlfrontiers://"
)

var errQueue = errors.New("--queue: want nats://HOST:PORT, several separated by commas, or " +
	"urlfrontier://HOST:PORT/CRAWL")

func isNATS(location string) bool {
	return strings.HasPrefix(location, schemeNATS) || strings.HasPrefix(location, schemeTLS)
}

// parseFrontier returns the URL of a frontier, whose path is the name of a crawl.
func parseFrontier(location string) (*url.URL, error) {
	u, err := url.Parse(location)
	isFrontier := strings.HasPrefix(location, schemeFrontier) ||
		strings.HasPrefix(location, schemeFrontierTLS)
	if err != nil || !isFrontier || u.Port() == "" || u.User != nil {
		return nil, errQueue
	}
	u.Path = strings.Trim(u.Path, "/")
	return u, nil
}

// serverFlags name a queue, the credentials for its server, and the authorities to trust.
type serverFlags struct {
	queue   string
	login   natsqueue.Login
	refetch time.Duration // of a frontier
}

func (s *serverFlags) add(cmd *cobra.Command) {
	cli.FlagGroup(cmd, "Network", func(f *pflag.FlagSet) {
		f.StringVar(&s.login.Creds, "nats-creds", "",
			"log in to NATS with the credentials in `FILE`")
		f.StringVar(&s.login.NKey, "nats-nkey", "",
			"log in to NATS with the seed of an NKey in `FILE`")
		f.StringVar(&s.login.CA, "queue-ca", "",
			"trust the certificate authorities in `FILE` (PEM) for the server of the queue")
	})
}

// check returns an error if --queue is not the URL of a queue, or a flag does not apply to it.
func (s *serverFlags) check() error {
	isLogin := s.login.Creds != "" || s.login.NKey != ""
	switch {
	case s.login.Creds != "" && s.login.NKey != "":
		return errors.New("--nats-creds, --nats-nkey: want one of them")
	case isLogin && !isNATS(s.queue):
		return errors.New("--nats-creds, --nats-nkey: want --queue nats://HOST:PORT")
	case s.login.CA != "" && s.queue == "":
		return errors.New("--queue-ca needs --queue URL")
	case s.queue == "" || isNATS(s.queue):
		return nil
	}
	_, err := parseFrontier(s.queue)
	return err
}

// secure returns the TLS configuration for a frontier, or nil for no TLS.
func (s *serverFlags) secure(scheme string) (*tls.Config, error) {
	if s.login.CA == "" {
		if scheme+"://" == schemeFrontierTLS {
			return &tls.Config{}, nil
		}
		return nil, nil
	}
	text, err := os.ReadFile(s.login.CA)
	roots := x509.NewCertPool()
	if err == nil && !roots.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s: no certificate in PEM", s.login.CA)
	}
	if err != nil {
		return nil, fmt.Errorf("--queue-ca: %w", err)
	}
	return &tls.Config{RootCAs: roots}, nil
}
