// River: RUNNER load URL JOBS SETTING | RUNNER drain URL JOBS SETTING SECONDS
package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const batch = 1000

type nothing struct {
	I      int    `json:"i"`
	Tenant string `json:"tenant"`
	Filler string `json:"filler"`
}

func (nothing) Kind() string { return "bench" }

// Which jobs have run, and how often all of them together.
type tally struct {
	river.WorkerDefaults[nothing]
	seen           []atomic.Bool
	runs, distinct atomic.Int64
	all            chan struct{}
}

func (t *tally) Work(_ context.Context, job *river.Job[nothing]) error {
	t.runs.Add(1)
	if !t.seen[job.Args.I].Swap(true) && t.distinct.Add(1) == int64(len(t.seen)) {
		close(t.all)
	}
	return nil
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func load(ctx context.Context, pool *pgxpool.Pool, jobs int) {
	driver := riverpgxv5.New(pool)
	must(must(rivermigrate.New[pgx.Tx](driver, nil)).Migrate(ctx, rivermigrate.DirectionUp, nil))
	client := must(river.NewClient[pgx.Tx](driver, &river.Config{}))
	random := make([]byte, 144)
	must(rand.Read(random))
	filler := base64.StdEncoding.EncodeToString(random) // So that a payload has about 256 bytes.
	for from := 0; from < jobs; from += batch {
		some := make([]river.InsertManyParams, 0, batch)
		for i := from; i < min(from+batch, jobs); i++ {
			some = append(some, river.InsertManyParams{Args: nothing{i, "t0", filler}})
		}
		must(client.InsertManyFast(ctx, some))
	}
}

// As in its own benchmark; or as in its first example, everything else left to River.
func settings(setting string) *river.Config {
	if setting == "best" {
		return &river.Config{
			Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2000}},
			FetchCooldown:     2 * time.Millisecond,
			FetchPollInterval: 20 * time.Millisecond,
		}
	}
	return &river.Config{Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 100}}}
}

// From the start of the workers until all jobs have run or the time is over, and the workers have recorded it.
func drain(ctx context.Context, pool *pgxpool.Pool, jobs int, setting string, limit time.Duration) {
	books := &tally{seen: make([]atomic.Bool, jobs), all: make(chan struct{})}
	config := settings(setting)
	config.Workers = river.NewWorkers()
	river.AddWorker(config.Workers, books)
	config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	client := must(river.NewClient(riverpgxv5.New(pool), config))
	began := time.Now()
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	select {
	case <-books.all:
	case <-time.After(limit):
	}
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"seconds\":%f,\"runs\":%d,\"distinct\":%d}\n", time.Since(began).Seconds(), books.runs.Load(),
		books.distinct.Load())
}

func main() {
	ctx := context.Background()
	pool := must(pgxpool.New(ctx, os.Args[2]))
	defer pool.Close()
	jobs := must(strconv.Atoi(os.Args[3]))
	if os.Args[1] == "load" {
		load(ctx, pool, jobs)
		return
	}
	seconds := must(strconv.ParseFloat(os.Args[5], 64))
	drain(ctx, pool, jobs, os.Args[4], time.Duration(seconds*float64(time.Second)))
}
