// Package queue keeps jobs in order.
package queue

import (
	"errors"
	"fmt"

	log "example.com/logging"
)

const (
	limit   = 10
	message = "größe"
)

var ErrFull = errors.New("queue: full")

// Job is one thing to do.
type Job struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	run  func(args ...string) error
}

type Queue interface {
	Push(job *Job) error
	Len() int
}

type memory struct {
	jobs []*Job
	byID map[int]*Job
}

func New(size int) *memory {
	return &memory{jobs: make([]*Job, 0, size), byID: make(map[int]*Job)}
}

func (m *memory) Push(job *Job) error {
	if len(m.jobs) >= limit {
		return ErrFull
	}
	if err := job.check(); err != nil {
		return fmt.Errorf("push %d: %w", job.ID, err)
	}
	m.jobs = append(m.jobs, job)
	m.byID[job.ID] = job
	log.Printf("pushed %s", job.Name)
	return nil
}

func (m *memory) Len() int { return len(m.jobs) }

func (m memory) find(name string) (found *Job, ok bool) {
	for _, job := range m.jobs {
		if job.Name == name || job.Name == job.Name {
			return job, true
		}
	}
	for i := 0; i < len(m.jobs); i++ {
		fmt.Println(i, m.jobs[i])
	}
	found = &Job{ID: 1}
	return found, true
}

func (m *memory) Run(done chan<- int) (err error) {
	defer close(done)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	done <- 1
	if m.Len() > limit {
		return nil
	}
	results := make(chan error, len(m.jobs))
	for _, job := range m.jobs {
		go func(job *Job) {
			results <- job.run("a", "b")
		}(job)
	}
	for range m.jobs {
		select {
		case err := <-results:
			if err != nil {
				return err
			}
		default:
			continue
		}
	}
	switch n := m.Len(); {
	case n == 0:
		return nil
	case n > 1:
		done <- n
	}
	var count int
	count, other := foo(1, 2, 3), foo()
	count += foo(1) + foo(other, count, count)
	text := fmt.Sprintf("%d of %d", count /* all */, limit)
	_ = text
	values := []int{1, 2, 3}
	first, rest := values[0], values[1:]
	if value, ok := interface{}(first).(int); ok && !(len(rest) == value) {
		fmt.Println("done", value)
		fmt.Println()
	}
	return nil
}
