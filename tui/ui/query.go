package ui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Query is one question that a screen asks the database again and again. It
// keeps the old answer while a new one is on its way, drops answers that came
// too late, and knows whether the screen is loading, empty, failed or old. The
// zero value is ready.
type Query[T any] struct {
	value   T
	readAt  time.Time
	asked   time.Time
	err     error
	running bool
	gen     int
}

// answered carries an answer back to the query that asked.
type answered[T any] struct {
	query  *Query[T]
	gen    int
	value  T
	err    error
	readAt time.Time
}

// Ask returns the command that asks fn. An answer to an earlier Ask that is
// still under way will be dropped.
func (q *Query[T]) Ask(env *Env, name string, limit time.Duration, fn func(context.Context) (T, error)) tea.Cmd {
	q.gen++
	q.running, q.asked = true, env.Now()
	gen, now := q.gen, env.Now()
	return Run(env, name, limit, fn, func(v T, err error) tea.Msg {
		return answered[T]{query: q, gen: gen, value: v, err: err, readAt: now}
	})
}

// Due reports that it is time to ask again: nothing is under way and the answer
// is at least as old as every.
func (q *Query[T]) Due(now time.Time, every time.Duration) bool {
	return !q.running && now.Sub(q.asked) >= every
}

// Take takes msg if it is an answer to this query and reports whether it
// changed anything. Messages of others, and answers that are too late, are not
// taken.
func (q *Query[T]) Take(msg tea.Msg) bool {
	a, ok := msg.(answered[T])
	if !ok || a.query != q || a.gen != q.gen {
		return false
	}
	q.running = false
	if errors.Is(a.err, ErrLeft) || errors.Is(a.err, context.Canceled) {
		return false // nobody failed: the screen was left, and asks again when shown
	}
	q.err = a.err
	if a.err == nil {
		q.value, q.readAt = a.value, a.readAt
	}
	return true
}

// Value is the last good answer; before the first it is the zero value.
func (q *Query[T]) Value() T { return q.value }

// Ready reports that there has been a good answer.
func (q *Query[T]) Ready() bool { return !q.readAt.IsZero() }

// ReadAt is when the last good answer was asked for, by the database's clock:
// its numbers are at least that fresh. Zero before the first.
func (q *Query[T]) ReadAt() time.Time { return q.readAt }

// Err is why the last answer was not a good one; nil after a good one.
func (q *Query[T]) Err() error { return q.err }

// Running reports that an answer is on its way, and since when.
func (q *Query[T]) Running() (since time.Time, running bool) { return q.asked, q.running }

// Forget drops the answer, for when the question has become another one
// (another venue, another month).
func (q *Query[T]) Forget() {
	*q = Query[T]{gen: q.gen + 1}
}
