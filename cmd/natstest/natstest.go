// Package natstest starts a NATS broker with JetStream for tests.
package natstest

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A Server is a broker within the process.
type Server struct{ server *server.Server }

// Start starts a broker that keeps its data in a folder and listens at a port of the loopback
// address; port -1 means any. It syncs each write to the disk.
func Start(dir string, port int) (*Server, error) {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir, SyncAlways: true,
	})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(time.Minute) {
		s.Shutdown()
		return nil, errors.New("natstest: the broker did not start: is the port in use?")
	}
	return &Server{s}, nil
}

// URL returns the address of the broker, for [nats.Connect].
func (s *Server) URL() string { return s.server.ClientURL() }

// Connect connects to the broker without the network.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect(s.URL(), nats.InProcessServer(s.server), nats.MaxReconnects(-1))
}

// Close stops the broker.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
