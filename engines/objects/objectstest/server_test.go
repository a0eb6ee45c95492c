package objectstest_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// These are set in the process of the server.
const (
	serverAddr = "SITEMAP_TEST_SERVER_ADDR"
	serverDir  = "SITEMAP_TEST_SERVER_DIR"
)

const (
	accessKey = "access"
	secretKey = "secret-of-the-test"
	region    = "us-east-1"
	bucket    = "bucket"
)

// TestMain is the server where startServer asks for it.
func TestMain(m *testing.M) {
	if addr := os.Getenv(serverAddr); addr != "" {
		fmt.Fprintln(os.Stderr, serve(addr, os.Getenv(serverDir)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// serve keeps ETags in extended attributes, so that an object and its ETag are replaced as one.
func serve(addr, dir string) error {
	if err := (meta.XattrMeta{}).Test(dir); err != nil {
		return fmt.Errorf("the temporary folder needs extended attributes: %w", err)
	}
	backend, err := posix.New(dir, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 64})
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(context.Background(), backend, &embedgw.Config{
		RootUserAccess: accessKey, RootUserSecret: secretKey, Region: region, Ports: []string{addr},
		MaxConnections: 1_000, MaxRequests: 1_000, MultipartMaxParts: 10_000, KeepAlive: true, Quiet: true,
	})
}

// A server is an S3 server in a process of its own, on a folder and an address that stay.
type server struct {
	t         testing.TB
	addr, dir string
	process   *exec.Cmd
}

// startServer starts a server with an empty bucket, and has the environment describe it.
func startServer(t testing.TB) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, addr: l.Addr().String(), dir: t.TempDir()}
	l.Close()
	s.start()
	t.Cleanup(s.kill)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL": "http://" + s.addr, "AWS_REGION": region,
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_SESSION_TOKEN": "",
	} {
		if t, ok := t.(*testing.T); ok {
			t.Setenv(name, value)
		}
	}
	if err := s.client(nil).MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// hang is how long tests wait for the server before they take it to hang.
const hang = 5 * time.Minute

// start starts the process and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	s.process = exec.Command(os.Args[0])
	s.process.Env = append(os.Environ(), serverAddr+"="+s.addr, serverDir+"="+s.dir)
	s.process.Stderr = os.Stderr
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
			return
		}
		if time.Since(begun) > hang {
			s.t.Fatalf("no server after %v: %v", hang, err)
		}
	}
}

// kill kills the process.
func (s *server) kill() {
	s.process.Process.Kill()
	s.process.Wait()
}

// client returns a client of the server. Options are for its transport.
func (s *server) client(o *minio.Options) *minio.Client {
	s.t.Helper()
	if o == nil {
		o = &minio.Options{}
	}
	o.Creds, o.Region = credentials.NewStaticV4(accessKey, secretKey, ""), region
	c, err := minio.New(s.addr, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}
