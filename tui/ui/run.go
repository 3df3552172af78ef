package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Answer is how the result of Run and Save travels: the app looks at Err to
// know how the database stands, and gives Msg to the screen that asked.
type Answer struct {
	Name string
	Err  error
	Msg  tea.Msg
}

// Task is a save that is under way. The app shows it on the task line, and does
// not let the program end under it without asking.
type Task struct {
	Name  string // "day.apply", for errors and the log
	Doing string // "saving 4 days", shown while it runs
	Cmd   tea.Cmd
}

// Run returns the command that asks fn in the background and gives its answer
// to the screen as toMsg makes it. It is the only way to read anything:
//
//   - fn gets a context that ends after limit and when the screen is left;
//   - fn must not touch the screen: give it copies;
//   - a limit that passed is told by name: "holds.list: no answer within 3s".
//
// Reads only; what must not be cut off by leaving the screen is a Save.
func Run[T any](env *Env, name string, limit time.Duration, fn func(context.Context) (T, error), toMsg func(T, error) tea.Msg) tea.Cmd {
	ctx := env.ctx
	return func() tea.Msg {
		v, err := within(ctx, name, limit, fn)
		return Answer{Name: name, Err: err, Msg: toMsg(v, err)}
	}
}

// Save is Run for what changes data. It outlives the screen's visit, is shown
// on the task line as doing, and its answer reaches the screen even when
// another is in front. An error may mean that nobody knows whether it was done;
// the store tells that apart, and the screen must not simply repeat.
func Save[T any](env *Env, name, doing string, limit time.Duration, fn func(context.Context) (T, error), toMsg func(T, error) tea.Msg) tea.Cmd {
	ctx := env.session.ctx
	return Ask(Task{Name: name, Doing: doing, Cmd: func() tea.Msg {
		v, err := within(ctx, name, limit, fn)
		return Answer{Name: name, Err: err, Msg: toMsg(v, err)}
	}})
}

func within[T any](ctx context.Context, name string, limit time.Duration, fn func(context.Context) (T, error)) (T, error) {
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	v, err := fn(ctx)
	switch {
	case err == nil:
		return v, nil
	case parent.Err() != nil:
		return v, fmt.Errorf("%s: %w", name, errors.Join(context.Cause(parent), err))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return v, fmt.Errorf("%s: no answer within %s: %w", name, limit, err)
	}
	return v, fmt.Errorf("%s: %w", name, err)
}
