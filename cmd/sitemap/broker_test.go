package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/natstest"
)

// brokerVariable holds the folder and the port of a broker, which the test binary is then.
const brokerVariable = "SITEMAP_TEST_BROKER"

// serveBroker is the broker that the environment asks for, if any.
func serveBroker() {
	dir, port := "", 0
	if n, _ := fmt.Sscan(os.Getenv(brokerVariable), &port, &dir); n != 2 {
		return
	}
	s, err := natstest.Start(dir, port)
	for err != nil { // something else may have the port for a moment
		s, err = natstest.Start(dir, port)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	<-ctx.Done()
	s.Close()
	os.Exit(0)
}

// A process is a process with what it prints.
type process struct {
	*exec.Cmd
	out bytes.Buffer
}

func startProcess(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd}
	p.Stdout, p.Stderr = &p.out, &p.out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	return p
}

// end waits for a process to end, and fails the test unless it has this exit status.
func (p *process) end(t *testing.T, status int) string {
	t.Helper()
	if got := wait(t, p.Cmd); got != status {
		t.Fatalf("%q: exit status %d, want %d\n%s", p.Args[1:], got, status, &p.out)
	}
	return p.out.String()
}

// A broker is NATS in a process of its own.
type broker struct {
	dir  string
	port int
	p    *process
}

func newBroker(t *testing.T) *broker {
	t.Helper()
	b := &broker{filepath.Join(t.TempDir(), "broker"), freePort(t), nil}
	b.start(t)
	return b
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (b *broker) start(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", brokerVariable, b.port, b.dir))
	b.p = startProcess(t, cmd)
	waitFor(t, "the broker", func() bool {
		nc, err := nats.Connect(b.url())
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
}

func (b *broker) kill() {
	b.p.Process.Kill()
	b.p.Wait()
}

func (b *broker) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", b.port) }

// run runs a command of batch to its end.
func (b *broker) run(t *testing.T, args ...string) string {
	t.Helper()
	return b.command(t, args...).end(t, cli.ExitOK)
}

func (b *broker) command(t *testing.T, args ...string) *process {
	t.Helper()
	args = append([]string{"batch"}, args...)
	return startProcess(t, command(t, append(args, "--queue", b.url())...))
}

// waitFor waits until ok returns true.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(hang); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for %s", hang, what)
		}
	}
}
