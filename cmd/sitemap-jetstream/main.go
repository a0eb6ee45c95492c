// Command sitemap-jetstream walks the sites of a long list with workers on many machines, which get
// their tasks from NATS JetStream.
//
//	main.go     the root command, and the connection to the broker
//	plan.go     plan and status
//	work.go     work
//	metrics.go  metrics and the health answer
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/sitemap-jetstream/embedded"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sitemap-jetstream:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "sitemap-jetstream",
		Short: "Walk a long list of sites with workers that share a NATS broker.",
		Long: `Walk a long list of sites with workers that share a NATS broker.

plan puts the domains of a list on the broker, work walks them and writes a part
for each, as 'sitemap batch' does, and status says how far the run is. Start
work on as many machines as you like: all write to one folder, which they share.
'sitemap batch cat' prints the parts.

The broker holds no results. If it is lost, or a worker dies, run plan again: it
puts the domains that have no part in the folder of -o.`,
		Example: `  sitemap-jetstream plan sites.txt -o /shared/parts --servers nats://broker:4222
  sitemap-jetstream work -o /shared/parts --servers nats://broker:4222`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	const flags = ".LocalFlags.FlagUsages"
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), flags, flags+"Wrapped 80"))
	root.AddCommand(planCommand(), workCommand(), statusCommand())
	return root
}

// brokerFlags say where tasks and parts are.
type brokerFlags struct {
	servers  string
	embedded bool
	port     int
	run      string
	name     string
	replicas int
	lease    time.Duration
	out      string
}

func (b *brokerFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&b.out, "output", "o", "", "`FOLDER` of the parts")
	f.StringVar(&b.servers, "servers", nats.DefaultURL, "`URLS` of the broker, separated by commas")
	f.BoolVar(&b.embedded, "embedded", false,
		"start a broker in this process, with its data in the folder of the parts")
	f.IntVar(&b.port, "port", nats.DefaultPort, "`PORT` of the embedded broker, at 127.0.0.1")
	f.StringVar(&b.run, "run", "1", "`NAME` of the run: letters, digits, '-' and '_'")
	f.StringVar(&b.name, "name", "sitemap", "begin the names of streams and buckets with `NAME`")
	f.DurationVar(&b.lease, "lease", time.Minute,
		"`TIME` after which the domains of a worker that is silent go to others")
	f.IntVar(&b.replicas, "replicas", 1, "keep messages on `N` servers of a cluster")
}

// A connection is what the commands work with.
type connection struct {
	nc     *nats.Conn
	queue  *jetstream.Queue
	folder *batch.Folder
	server *embedded.Server // nil unless embedded
}

// open connects to the broker and opens the folder. Close must be called.
func (b *brokerFlags) open(ctx context.Context) (*connection, error) {
	if b.out == "" {
		return nil, errors.New("name the folder of the parts: -o parts/")
	}
	folder, err := batch.OpenFolder(b.out)
	if err != nil {
		return nil, err
	}
	c := &connection{folder: folder}
	if b.embedded {
		dir := filepath.Join(b.out, ".jetstream")
		if c.server, err = embedded.Start(dir, b.port); err == nil {
			c.nc, err = c.server.Connect()
		}
	} else {
		c.nc, err = nats.Connect(b.servers, nats.Name("sitemap-jetstream"), nats.MaxReconnects(-1))
	}
	if err == nil {
		c.queue, err = jetstream.OpenQueue(ctx, c.nc, b.run, b.options())
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (b *brokerFlags) options() *jetstream.Options {
	return &jetstream.Options{Name: b.name, Lease: b.lease, Replicas: b.replicas}
}

func (c *connection) close() {
	if c.nc != nil {
		c.nc.Close()
	}
	if c.server != nil {
		c.server.Close()
	}
}
