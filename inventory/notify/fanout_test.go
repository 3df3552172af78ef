package notify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
)

// scripted answers one canned error after the other, then nil.
type scripted struct {
	mu      sync.Mutex
	answers []error
	panics  bool
	got     []int // seq of each message
}

func (s *scripted) Deliver(_ context.Context, m inventory.OutboxMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, m.Seq)
	if s.panics {
		panic("planted")
	}
	if len(s.answers) == 0 {
		return nil
	}
	err := s.answers[0]
	s.answers = s.answers[1:]
	return err
}

func TestFanOut_Deliver(t *testing.T) {
	t.Parallel()
	down := &DownError{problem: "away", after: time.Minute}
	longer := &DownError{problem: "busy", after: time.Hour}
	gone := &DownError{problem: "410", cause: ErrGone}
	refusal := errors.New("no such booking")
	again := errors.New("still no such booking")
	for name, c := range map[string]struct {
		a, b     *scripted
		tries    int
		wantDown bool
		after    time.Duration
		wantErrs []error // inside the last error
		calls    [2]int
	}{
		"bothTakeIt":                     {&scripted{}, &scripted{}, 1, false, 0, nil, [2]int{1, 1}},
		"whoHasItIsSpared":               {&scripted{}, &scripted{answers: []error{refusal}}, 2, false, 0, nil, [2]int{1, 2}},
		"oneRefuses":                     {&scripted{}, &scripted{answers: []error{refusal}}, 1, false, 0, []error{refusal}, [2]int{1, 1}},
		"bothRefuse":                     {&scripted{answers: []error{again}}, &scripted{answers: []error{refusal}}, 1, false, 0, []error{again, refusal}, [2]int{1, 1}},
		"oneIsDown":                      {&scripted{}, &scripted{answers: []error{down}}, 1, true, time.Minute, nil, [2]int{1, 1}},
		"downComesBeforeRefused":         {&scripted{answers: []error{refusal}}, &scripted{answers: []error{down}}, 1, true, time.Minute, nil, [2]int{1, 1}},
		"theLongerWait":                  {&scripted{answers: []error{down}}, &scripted{answers: []error{longer}}, 1, true, time.Hour, nil, [2]int{1, 1}},
		"goneIsPassedOver":               {&scripted{}, &scripted{answers: []error{gone}}, 1, false, 0, nil, [2]int{1, 1}},
		"goneDoesNotHideARefusal":        {&scripted{answers: []error{refusal}}, &scripted{answers: []error{gone}}, 1, false, 0, []error{refusal}, [2]int{1, 1}},
		"allGone":                        {&scripted{answers: []error{gone}}, &scripted{answers: []error{gone}}, 1, true, 0, []error{ErrGone}, [2]int{1, 1}},
		"whoHasItCountsBesideOneGone":    {&scripted{}, &scripted{answers: []error{down, gone}}, 2, false, 0, nil, [2]int{1, 2}},
		"aPanicIsARefusalByThatSinkOnly": {&scripted{panics: true}, &scripted{}, 2, false, 0, nil, [2]int{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := NewFanOut(slog.New(slog.DiscardHandler), NamedSink{"shop", c.a}, NamedSink{"broker", c.b})
			if err != nil {
				t.Fatal(err)
			}
			for range c.tries {
				err = f.Deliver(t.Context(), message(t, 1))
			}
			var d *DownError
			if errors.As(err, &d) != c.wantDown || d != nil && d.RetryAfter() != c.after {
				t.Errorf("Deliver = %v, want down = %t for %s", err, c.wantDown, c.after)
			}
			for _, want := range c.wantErrs {
				if !errors.Is(err, want) {
					t.Errorf("Deliver = %v, want %v inside", err, want)
				}
			}
			if err != nil && !c.wantDown && len(c.wantErrs) == 0 && !c.a.panics {
				t.Errorf("Deliver = %v, want nil", err)
			}
			if len(c.a.got) != c.calls[0] || len(c.b.got) != c.calls[1] {
				t.Errorf("%d and %d calls, want %v", len(c.a.got), len(c.b.got), c.calls)
			}
			if err == nil && len(f.partial) != 0 {
				t.Errorf("a delivered message is remembered: %v", f.partial)
			}
		})
	}
}

func TestFanOut_Deliver_remembersNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	never := NamedSink{"never", sinkFunc(func() error { return errors.New("no") })}
	f, err := NewFanOut(slog.New(slog.DiscardHandler), NamedSink{"always", &scripted{}}, never)
	if err != nil {
		t.Fatal(err)
	}
	for seq := range maxPartial + 10 {
		if err := f.Deliver(t.Context(), message(t, seq+1)); err == nil {
			t.Fatal("Deliver = nil")
		}
	}
	if len(f.partial) > maxPartial {
		t.Errorf("%d messages are remembered, want at most %d", len(f.partial), maxPartial)
	}
}

type sinkFunc func() error

func (f sinkFunc) Deliver(context.Context, inventory.OutboxMessage) error { return f() }

func TestNewFanOut_refuses(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	s := &scripted{}
	for name, sinks := range map[string][]NamedSink{
		"none": nil, "nameless": {{"", s}}, "nil": {{"shop", nil}}, "sameName": {{"shop", s}, {"shop", s}},
	} {
		if _, err := NewFanOut(log, sinks...); err == nil {
			t.Errorf("%s: a fan-out was made", name)
		}
	}
}

func TestLog_Deliver(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLog(slog.New(slog.NewJSONHandler(&out, nil)))
	m := message(t, 7)
	m.Data = []byte("{\"buyer\":\"\u202eevil\u2028line\u009b2J\",\"note\":\"" + strings.Repeat("x", 2*maxLogged) + "\"}")
	if err := l.Deliver(t.Context(), m); err != nil {
		t.Fatalf("Deliver = %v", err)
	}
	line := out.String()
	for _, want := range []string{`"msg":"a message of the journal"`, `"message_id":"` + m.ID() + `"`, `"topic":"booking.confirmed"`, `"seq":7`} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %.300s", want, line)
		}
	}
	if strings.ContainsAny(line, "\u202e\u2028\u009b") || strings.Contains(line, `\u2028`) || len(line) > 2*maxLogged {
		t.Errorf("the entry has %d bytes and may hold what moves text: %.300s", len(line), line)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Deliver(ended, m); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: Deliver = %v", err)
	}
	m.Data = []byte("[]")
	if err := l.Deliver(t.Context(), m); err == nil {
		t.Error("data that no other sink could send was taken")
	}
}
