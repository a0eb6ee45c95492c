// Package kubernetes checks the manifests beside it.
package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// object returns an empty object of a kind.
func object(kind string) any {
	switch kind {
	case "batch/v1 Job":
		return new(batchv1.Job)
	case "apps/v1 StatefulSet":
		return new(appsv1.StatefulSet)
	case "v1 Service":
		return new(corev1.Service)
	case "v1 PersistentVolumeClaim":
		return new(corev1.PersistentVolumeClaim)
	}
	return nil
}

// read returns the objects of a manifest by kind and name. A field that the API does not have is an
// error.
func read(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]any{}
	documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	defer documents.Close()
	for {
		b := make([]byte, len(text))
		n, err := documents.Read(b)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal(b[:n], &head); err != nil {
			t.Fatal(err)
		}
		kind := head.APIVersion + " " + head.Kind
		o := object(kind)
		if o == nil {
			t.Fatalf("%s: unknown kind %q", name, kind)
		}
		if err := yaml.UnmarshalStrict(b[:n], o); err != nil {
			t.Errorf("%s: %s: %v", name, kind, err)
		}
		objects[kind+" "+head.Metadata.Name] = o
	}
}

// checkPod checks that the selectors match and that each mount has its volume.
func checkPod(t *testing.T, pod *corev1.PodTemplateSpec, claims []corev1.PersistentVolumeClaim) {
	t.Helper()
	var volumes []string
	for _, v := range pod.Spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, c := range claims {
		volumes = append(volumes, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		for _, m := range c.VolumeMounts {
			if !slices.Contains(volumes, m.Name) {
				t.Errorf("%s: no volume %s", c.Name, m.Name)
			}
		}
	}
}

// checkSafety checks that the pod of a job cannot do more than it has to, and says how it is.
func checkSafety(t *testing.T, pod *corev1.PodSpec) {
	t.Helper()
	if s := pod.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot || s.FSGroup == nil ||
		s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("the pod has the security context %v", s)
	}
	for _, c := range pod.Containers {
		if s := c.SecurityContext; s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem ||
			len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s has the security context %v", c.Name, s)
		}
		limit := c.Resources.Limits.Memory().Value()
		if limit == 0 {
			t.Errorf("%s has no memory limit", c.Name)
		}
	}
}

// checkCommand checks the container of a command: that it has the flags, tells how it is, leaves
// memory to what the garbage collector does not know, and has a volume for temporary files.
func checkCommand(t *testing.T, c corev1.Container) {
	t.Helper()
	accepts(t, c)
	if live, ready := c.LivenessProbe, c.ReadinessProbe; live == nil || live.HTTPGet.Path != "/healthz" ||
		ready == nil || ready.HTTPGet.Path != "/readyz" || !slices.Contains(c.Args, "--metrics=:9090") {
		t.Errorf("%s: liveness %v, readiness %v", c.Name, live, ready)
	}
	limit := c.Resources.Limits.Memory().Value()
	if of := memoryLimit(t, c); of < limit/2 || of > limit*9/10 {
		t.Errorf("%s: GOMEMLIMIT is %d of %d", c.Name, of, limit)
	}
	temp := variable(c, "TMPDIR")
	if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == temp && !m.ReadOnly }) {
		t.Errorf("%s: no volume at %q", c.Name, temp)
	}
}

// variable returns the value of a variable of the environment.
func variable(c corev1.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}

// memoryLimit returns GOMEMLIMIT in bytes.
func memoryLimit(t *testing.T, c corev1.Container) int64 {
	t.Helper()
	// Go writes MiB where Kubernetes writes Mi.
	of, err := resource.ParseQuantity(strings.TrimSuffix(variable(c, "GOMEMLIMIT"), "B"))
	if err != nil {
		t.Errorf("%s: GOMEMLIMIT: %v", c.Name, err)
	}
	return of.Value()
}

// accepts checks that the command has the flags of a container.
func accepts(t *testing.T, c corev1.Container) {
	t.Helper()
	args := []string{"run", "-C", "../../cmd", "./sitemap"}
	var flags []string
	for _, arg := range c.Args {
		if name, _, isFlag := strings.Cut(arg, "="); isFlag {
			flags = append(flags, name)
		} else if !strings.Contains(arg, "/") {
			args = append(args, arg)
		}
	}
	help, err := exec.Command("go", append(args, "--help")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, help)
	}
	for _, name := range flags {
		if !bytes.Contains(help, []byte(name+" ")) {
			t.Errorf("%q has no flag %s", args[3:], name)
		}
	}
}

func TestShards(t *testing.T) {
	job := read(t, "shards.yaml")["batch/v1 Job sitemap-batch"].(*batchv1.Job)
	checkPod(t, &job.Spec.Template, nil)
	checkSafety(t, &job.Spec.Template.Spec)
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || *job.Spec.Completions != 4 {
		t.Errorf("%s, %d completions", *job.Spec.CompletionMode, *job.Spec.Completions)
	}
	container := job.Spec.Template.Spec.Containers[0]
	if !slices.Contains(container.Args, "--shard=$(JOB_COMPLETION_INDEX)/4") {
		t.Errorf("no shard in %q", container.Args)
	}
	checkCommand(t, container)
}

// Plan and workers name one run and one queue, and the workers are a job that ends with the run.
func TestWorkers(t *testing.T) {
	objects := read(t, "workers.yaml")
	plan := objects["batch/v1 Job sitemap-plan"].(*batchv1.Job)
	workers := objects["batch/v1 Job sitemap-workers"].(*batchv1.Job)
	broker := objects["apps/v1 StatefulSet nats"].(*appsv1.StatefulSet)
	service := objects["v1 Service nats"].(*corev1.Service)
	checkPod(t, &plan.Spec.Template, nil)
	checkPod(t, &workers.Spec.Template, nil)
	checkPod(t, &broker.Spec.Template, broker.Spec.VolumeClaimTemplates)
	for _, pod := range []corev1.PodSpec{plan.Spec.Template.Spec, workers.Spec.Template.Spec, broker.Spec.Template.Spec} {
		checkSafety(t, &pod)
	}
	for name, labels := range map[string][2]map[string]string{
		"broker":  {broker.Spec.Selector.MatchLabels, broker.Spec.Template.Labels},
		"service": {service.Spec.Selector, broker.Spec.Template.Labels},
	} {
		for key, value := range labels[0] {
			if labels[1][key] != value {
				t.Errorf("%s: %v does not select %v", name, labels[0], labels[1])
			}
		}
	}
	if workers.Spec.Completions != nil {
		t.Errorf("%d completions: one worker that ends would not end the others",
			*workers.Spec.Completions)
	}
	containers := []corev1.Container{plan.Spec.Template.Spec.Containers[0], workers.Spec.Template.Spec.Containers[0]}
	for _, flag := range []string{"--output=", "--run=", "--queue="} {
		var values []string
		for _, c := range containers {
			i := slices.IndexFunc(c.Args, func(arg string) bool { return strings.HasPrefix(arg, flag) })
			if i >= 0 {
				values = append(values, c.Args[i])
			}
		}
		if len(values) != 2 || values[0] != values[1] {
			t.Errorf("plan and workers have %q", values)
		}
	}
	for _, c := range containers {
		checkCommand(t, c)
	}
}
