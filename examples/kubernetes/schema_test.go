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
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// object returns an empty object of a kind.
func object(kind string) any {
	switch kind {
	case "batch/v1 Job":
		return new(batchv1.Job)
	case "apps/v1 Deployment":
		return new(appsv1.Deployment)
	case "apps/v1 StatefulSet":
		return new(appsv1.StatefulSet)
	case "v1 Service":
		return new(corev1.Service)
	case "v1 PersistentVolumeClaim":
		return new(corev1.PersistentVolumeClaim)
	}
	return nil
}

// read returns the objects of a manifest by kind. A field that the API does not have is an error.
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
		var head struct{ APIVersion, Kind string }
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
		objects[kind] = o
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

// accepts checks that a command has the flags of a container.
func accepts(t *testing.T, dir, command string, args []string) {
	t.Helper()
	cmd := exec.Command("go", "run", "-C", dir, command, args[0], "--help")
	help, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, help)
	}
	for _, arg := range args[1:] {
		name, _, isFlag := strings.Cut(arg, "=")
		if isFlag && !bytes.Contains(help, []byte(name+" ")) {
			t.Errorf("%s has no flag %s", command, name)
		}
	}
}

func TestShards(t *testing.T) {
	job := read(t, "shards.yaml")["batch/v1 Job"].(*batchv1.Job)
	checkPod(t, &job.Spec.Template, nil)
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || *job.Spec.Completions != 4 {
		t.Errorf("%s, %d completions", *job.Spec.CompletionMode, *job.Spec.Completions)
	}
	args := job.Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(args, "--shard=$(JOB_COMPLETION_INDEX)/4") {
		t.Errorf("no shard in %q", args)
	}
	accepts(t, "../../cmd", "./sitemap", args)
}

func TestWorkers(t *testing.T) {
	objects := read(t, "workers.yaml")
	workers := objects["apps/v1 Deployment"].(*appsv1.Deployment)
	broker := objects["apps/v1 StatefulSet"].(*appsv1.StatefulSet)
	service := objects["v1 Service"].(*corev1.Service)
	checkPod(t, &workers.Spec.Template, nil)
	checkPod(t, &broker.Spec.Template, broker.Spec.VolumeClaimTemplates)
	for name, labels := range map[string][2]map[string]string{
		"workers": {workers.Spec.Selector.MatchLabels, workers.Spec.Template.Labels},
		"broker":  {broker.Spec.Selector.MatchLabels, broker.Spec.Template.Labels},
		"service": {service.Spec.Selector, broker.Spec.Template.Labels},
	} {
		for key, value := range labels[0] {
			if labels[1][key] != value {
				t.Errorf("%s: %v does not select %v", name, labels[0], labels[1])
			}
		}
	}
	accepts(t, "../../cmd", "./sitemap-jetstream", workers.Spec.Template.Spec.Containers[0].Args)
}
