package kubernetes

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
)

// sites is how many sites are walked: all that a pod walks at once, and more.
const sites = 80

// serve serves a site with a full sitemap at each address of 127.0.0.0/8, and returns the port. It
// listens at one of them.
func serve(t *testing.T) (port string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := "http://" + r.Host
		if r.URL.Path == "/robots.txt" {
			fmt.Fprintf(w, "Sitemap: %s/sitemap.xml\n", site)
		} else {
			writeSitemap(w, site)
		}
	}))
	t.Cleanup(s.Close)
	_, port, _ = net.SplitHostPort(s.Listener.Addr().String())
	return port
}

// writeSitemap writes 50,000 URLs, about 10 MB.
func writeSitemap(w io.Writer, prefix string) {
	b := bufio.NewWriter(w)
	defer b.Flush()
	begin := "<url><loc>" + prefix + "/" + strings.Repeat("catalogue/", 10)
	io.WriteString(b, "<urlset>")
	for i := range 50_000 {
		b.WriteString(begin)
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(i), 10))
		b.WriteString("</loc><lastmod>2024-05-06T07:08:09Z</lastmod></url>\n")
	}
	io.WriteString(b, "</urlset>")
}

// A pod of shards.yaml that walks as many large sites at once as it may stays within its memory.
func TestShards_Memory(t *testing.T) {
	pod := read(t, "shards.yaml")["batch/v1 Job sitemap-batch"].(*batchv1.Job).Spec.Template.Spec.Containers[0]
	dir, port := t.TempDir(), serve(t)
	binary, list := filepath.Join(dir, "sitemap"), filepath.Join(dir, "sites.txt")
	if out, err := exec.Command("go", "build", "-C", "../../cmd", "-o", binary, "./sitemap").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var targets strings.Builder
	for i := range sites {
		fmt.Fprintf(&targets, "http://127.0.0.%d:%s\n", 1+i, port)
	}
	if err := os.WriteFile(list, []byte(targets.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(pod.Args, func(arg string) bool { return strings.HasPrefix(arg, "--parallel=") })
	cmd := exec.Command(binary, "batch", list, "-o", filepath.Join(dir, "out"),
		"--allow-private", "--connect-to", "::127.0.0.1:"+port, pod.Args[i])
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+variable(pod, "GOMEMLIMIT"), "TMPDIR="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || !strings.Contains(stderr.String(), "sitemap: 80 sites, 4,000,000 URLs, 0 failed") {
		t.Errorf("%v: %s", err, &stderr)
	}
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("at most %d MiB were used", most>>20)
	if limit := pod.Resources.Limits.Memory().Value(); most > limit {
		t.Errorf("at most %d bytes were used, and the limit is %d", most, limit)
	}
}
