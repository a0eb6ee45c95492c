package jetstreamtest_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/natstest"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// broker starts a broker without JetStream and returns its URL.
func broker(t *testing.T, o *server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", -1, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(hang) {
		t.Fatal("the broker has not started")
	}
	return s.ClientURL()
}

func write(t *testing.T, text []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantLogin checks that a login is let in, and that nobody else is.
func wantLogin(t *testing.T, url string, l natsqueue.Login) {
	t.Helper()
	nc, err := natsqueue.Connect(url, l)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	if nc, err := natsqueue.Connect(url, natsqueue.Login{}); err == nil {
		nc.Close()
		t.Error("anybody was let in")
	}
}

// must returns a value and fails for an error.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestConnect_Quiet: nothing is written to os.Stderr when a connection is lost.
func TestConnect_Quiet(t *testing.T) {
	file := must[*os.File](t)(os.Create(filepath.Join(t.TempDir(), "stderr")))
	defer func(stderr *os.File) { os.Stderr = stderr }(os.Stderr)
	os.Stderr = file
	nc := must[*nats.Conn](t)(natsqueue.Connect(broker(t, &server.Options{}), natsqueue.Login{}))
	defer nc.Close()
	nc.Opts.AsyncErrorCB(nc, nil, io.ErrClosedPipe)
	if text := must[[]byte](t)(os.ReadFile(file.Name())); len(text) > 0 {
		t.Errorf("wrote %s", text)
	}
}

func TestConnect_NKey(t *testing.T) {
	key := must[nkeys.KeyPair](t)(nkeys.CreateUser())
	url := broker(t,
		&server.Options{Nkeys: []*server.NkeyUser{{Nkey: must[string](t)(key.PublicKey())}}})
	l := natsqueue.Login{NKey: write(t, must[[]byte](t)(key.Seed()))}
	wantLogin(t, url, l)
	l.Creds = l.NKey
	if _, err := natsqueue.Connect(url, l); err == nil {
		t.Error("credentials and a key were taken")
	}
}

func TestConnect_Creds(t *testing.T) {
	operator, account := must[nkeys.KeyPair](t)(nkeys.CreateOperator()),
		must[nkeys.KeyPair](t)(nkeys.CreateAccount())
	user := must[nkeys.KeyPair](t)(nkeys.CreateUser())
	accountName := must[string](t)(account.PublicKey())
	resolver := &server.MemAccResolver{}
	token := must[string](t)(jwt.NewAccountClaims(accountName).Encode(operator))
	if err := resolver.Store(accountName, token); err != nil {
		t.Fatal(err)
	}
	url := broker(t, &server.Options{
		TrustedKeys: []string{must[string](t)(operator.PublicKey())}, AccountResolver: resolver,
	})
	token = must[string](t)(jwt.NewUserClaims(must[string](t)(user.PublicKey())).Encode(account))
	creds := must[[]byte](t)(jwt.FormatUserConfig(token, must[[]byte](t)(user.Seed())))
	wantLogin(t, url, natsqueue.Login{Creds: write(t, creds)})
}

func TestConnect_CA(t *testing.T) {
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, about, about, key.Public(), key))
	url := broker(t, &server.Options{TLSConfig: &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}})
	ca := write(t, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	wantLogin(t, url, natsqueue.Login{CA: ca})
}

// A lease shorter than three renewals is refused.
func TestOpenQueue_Lease(t *testing.T) {
	defer func(min time.Duration) { natsqueue.MinLease = min }(natsqueue.MinLease)
	natsqueue.MinLease = 30 * time.Second
	nc := connect(t)
	if _, err := natsqueue.OpenQueue(t.Context(), nc, "1", &natsqueue.Options{Lease: 29 * time.Second}); err == nil {
		t.Error("a lease of 29 s was taken")
	}
	if _, err := natsqueue.OpenQueue(t.Context(), nc, "1", &natsqueue.Options{Lease: 30 * time.Second}); err != nil {
		t.Error(err)
	}
}

// A broker that cannot keep as many replicas is not asked again and again.
func TestOpenQueue_Replicas(t *testing.T) {
	nc := connect(t)
	for _, n := range []int{3, 6} {
		q, err := natsqueue.OpenQueue(t.Context(), nc, "1", &natsqueue.Options{Replicas: n, Patience: time.Hour})
		if err == nil || !strings.Contains(err.Error(), "replicas") {
			t.Errorf("%d replicas: %v, %v", n, q, err)
		}
	}
}

// When a run is planned, the streams of runs that are over are deleted, and those of others stay.
// Workers of a run whose stream is gone end.
func TestBegin_DeletesStreams(t *testing.T) {
	nc := connect(t)
	open := func(run string) *natsqueue.Queue {
		return must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, run, nil))
	}
	put := func(q *natsqueue.Queue) {
		must[bool](t)(q.Put(t.Context(), taskOf(1)))
	}
	over, waits, begun := open("over.1"), open("waits"), open("begun")
	put(over)
	put(waits)
	for _, q := range []*natsqueue.Queue{over, waits} {
		if err := q.End(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := must[batch.Lease](t)(over.Take(t.Context())).Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := open("next")
	if err := next.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := over.Take(t.Context()); err != io.EOF {
		t.Errorf("Take of a run that is over: %v", err)
	}
	js := streams(t, nc)
	for run, want := range map[string]bool{"over=1": false, "waits": true, "begun": true, "next": true} {
		if js["sitemap-run-"+run] != want {
			t.Errorf("there are %v, want %s: %t", js, run, want)
		}
	}
	put(begun)
	again := open("over.1") // planned again
	if err := again.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(again)
	if l := must[batch.Lease](t)(again.Take(t.Context())); l.Task().Domain != "1.example" {
		t.Errorf("took %+v", l.Task())
	}
}

// What a plan asks the broker does not grow with the runs that were ever planned.
func TestBegin_ManyRuns(t *testing.T) {
	nc := connect(t)
	q := must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "next", nil))
	js := must[jetstream.JetStream](t)(jetstream.New(nc))
	values := must[jetstream.KeyValue](t)(js.KeyValue(t.Context(), "sitemap"))
	for i := range 100 {
		must[uint64](t)(values.PutString(t.Context(), fmt.Sprint("run.over-", i), "ended"))
	}
	before := nc.Stats().OutMsgs
	if err := q.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := nc.Stats().OutMsgs - before; n > 50 {
		t.Errorf("Begin sent %d messages", n)
	}
}

// While the broker is away, a worker and a Save of a large state wait for it.
func TestPatience(t *testing.T) {
	dir := t.TempDir()
	s, err := natstest.Start(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	port := portOf(t, s.URL())
	nc, err := natsqueue.Connect(s.URL(), natsqueue.Login{})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	long := &natsqueue.Options{Lease: 10 * time.Minute} // Save may take as long as an answer that is lost
	q := must[*natsqueue.Queue](t)(natsqueue.OpenQueue(t.Context(), nc, "1", long))
	states := must[batch.States](t)(natsqueue.OpenStates(t.Context(), nc, nil))
	must[bool](t)(q.Put(t.Context(), taskOf(1)))
	lease := must[batch.Lease](t)(q.Take(t.Context()))
	s.Close()
	saved := make(chan error, 1)
	state := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	go func() {
		saved <- states.Save(context.Background(), "1.example", batch.State{Part: "a"}, func(w io.Writer) error {
			_, err := w.Write(state)
			return err
		})
	}()
	select {
	case err := <-saved:
		t.Fatalf("Save without a broker: %v", err)
	case <-time.After(5 * time.Second): // more than one attempt
	}
	if s, err = natstest.Start(dir, port); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := <-saved; err != nil {
		t.Fatal(err)
	}
	if err := lease.Done(t.Context()); err != nil {
		t.Error(err)
	}
	in := must[io.ReadCloser](t)(must[batch.State](t)(states.Load(t.Context(), "1.example")).Open(t.Context()))
	defer in.Close()
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, state) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

func portOf(t *testing.T, url string) int {
	t.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "nats://"), ":")
	return must[int](t)(net.LookupPort("tcp", port))
}
