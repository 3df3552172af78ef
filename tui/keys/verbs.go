package keys

import "slices"

// Verbs that mean the same on every screen. Screens add their own with plain
// Binding values; these they take from the functions below.
const (
	Palette    Verb = "palette"
	Help       Verb = "help"
	Fresh      Verb = "fresh"
	Pause      Verb = "pause"
	Zone       Verb = "zone"
	Theme      Verb = "theme"
	Quit       Verb = "quit"
	Leave      Verb = "leave"
	Suspend    Verb = "suspend"
	Back       Verb = "back"
	NextScreen Verb = "next-screen"
	PrevScreen Verb = "prev-screen"
	LastError  Verb = "last-error"

	Up       Verb = "up"
	Down     Verb = "down"
	Left     Verb = "left"
	Right    Verb = "right"
	PageUp   Verb = "page-up"
	PageDown Verb = "page-down"
	First    Verb = "first"
	Last     Verb = "last"
	Open     Verb = "open"
	Mark     Verb = "mark"
	Range    Verb = "range"
	MarkAll  Verb = "mark-all"
	Filter   Verb = "filter"
	Sort     Verb = "sort"
	Copy     Verb = "copy"
	Export   Verb = "export"
	Edit     Verb = "edit"
	PutBack  Verb = "put-back"
	Find     Verb = "find"
	Release  Verb = "release"
	Revive   Verb = "revive"
	Refund   Verb = "refund"
	RunNow   Verb = "run-now"

	MonthBack Verb = "month-back"
	MonthOn   Verb = "month-on"
	Today     Verb = "today"
)

// Global is the keyboard that works on every screen while no text is typed.
// The screens' number keys are the app's (Screens).
func Global() Table {
	return Table{
		{Verb: Help, Keys: []string{"?", "f1"}, Help: "keys", More: "what the keys do here, and what the words mean", Priority: 100},
		{Verb: Palette, Keys: []string{":", "ctrl+p"}, Help: "go", More: "go to a place or do a thing by its name", Priority: 80},
		{Verb: Fresh, Keys: []string{"r"}, Help: "fresh", More: "ask the database again now", Priority: 20},
		{Verb: Pause, Keys: []string{"p"}, Help: "pause", More: "stop or go on asking by itself", Priority: 15},
		{Verb: Zone, Keys: []string{"Z"}, Help: "utc", More: "show times in UTC, or at the venue again", Priority: 14},
		{Verb: Theme, Keys: []string{"T"}, Help: "theme", More: "next theme", Priority: 10},
		{Verb: LastError, Keys: []string{"f3"}, Help: "last error", More: "the last error in full", Hidden: true},
		{Verb: Quit, Keys: []string{"q"}, Help: "back", More: "up; on the top screen leave, asking if a draft is open", Priority: 60},
		{Verb: Leave, Keys: []string{"ctrl+c"}, Help: "leave", More: "leave at once (twice while a save is running)", Hidden: true},
		{Verb: Suspend, Keys: []string{"ctrl+z"}, Help: "suspend", More: "back to the shell for a while", Hidden: true},
	}
}

// Fallback is asked last, so a screen may use these keys for itself.
func Fallback() Table {
	return Table{
		{Verb: Back, Keys: []string{"esc"}, Help: "up", More: "up one level, never out of the program", Hidden: true},
		{Verb: NextScreen, Keys: []string{"tab"}, Help: "next screen", Hidden: true},
		{Verb: PrevScreen, Keys: []string{"shift+tab"}, Help: "previous screen", Hidden: true},
	}
}

// Move is the keyboard of a list.
func Move() Table {
	return Table{
		{Verb: Up, Keys: []string{"up", "k"}, Help: "up", Hidden: true},
		{Verb: Down, Keys: []string{"down", "j"}, Help: "down", Hidden: true},
		{Verb: PageUp, Keys: []string{"pgup"}, Help: "page up", Hidden: true},
		{Verb: PageDown, Keys: []string{"pgdown"}, Help: "page down", Hidden: true},
		{Verb: First, Keys: []string{"home"}, Help: "first", Hidden: true},
		{Verb: Last, Keys: []string{"end"}, Help: "last", Hidden: true},
	}
}

// Sideways is added to Move where left and right mean something.
func Sideways() Table {
	return Table{
		{Verb: Left, Keys: []string{"left", "h"}, Help: "left", Hidden: true},
		{Verb: Right, Keys: []string{"right", "l"}, Help: "right", Hidden: true},
	}
}

// Months is added to Move and Sideways where days are shown.
func Months() Table {
	return Table{
		{Verb: MonthBack, Keys: []string{"["}, Help: "month back", Hidden: true},
		{Verb: MonthOn, Keys: []string{"]"}, Help: "month on", Hidden: true},
		{Verb: Today, Keys: []string{"t"}, Help: "today", Priority: 28},
	}
}

// Standard returns the binding that a verb has wherever it exists: the same
// key, the same words. It returns an empty binding, which matches no key, for a
// verb that has no standard one.
func Standard(v Verb) Binding {
	t := standard()
	i := slices.IndexFunc(t, func(b Binding) bool { return b.Verb == v })
	if i < 0 {
		return Binding{Verb: v}
	}
	return t[i]
}

func standard() Table {
	return Table{
		{Verb: Open, Keys: []string{"enter"}, Help: "open", Priority: 70},
		{Verb: Mark, Keys: []string{"space"}, Help: "mark", Priority: 40},
		{Verb: Range, Keys: []string{"v"}, Help: "range", Priority: 38},
		{Verb: MarkAll, Keys: []string{"*"}, Help: "mark all", Priority: 25},
		{Verb: Filter, Keys: []string{"/"}, Help: "filter", Priority: 45},
		{Verb: Sort, Keys: []string{"s"}, Help: "sort", Priority: 35},
		{Verb: Copy, Keys: []string{"y"}, Help: "copy", Priority: 30},
		{Verb: Export, Keys: []string{"x"}, Help: "export", Priority: 30},
		{Verb: Edit, Keys: []string{"e"}, Help: "edit", Priority: 50, Level: Undo, Writes: true},
		{Verb: PutBack, Keys: []string{"u"}, Help: "put back", Priority: 40, Level: Undo, Writes: true},
		{Verb: Find, Keys: []string{"F"}, Help: "find", Priority: 42},
		{Verb: Release, Keys: []string{"L"}, Help: "release...", Priority: 50, Level: Confirm, Writes: true},
		{Verb: Revive, Keys: []string{"R"}, Help: "revive...", Priority: 56, Level: Confirm, Writes: true},
		{Verb: Refund, Keys: []string{"M"}, Help: "refund...", Priority: 55, Level: Confirm, Writes: true},
		{Verb: RunNow, Keys: []string{"!"}, Help: "run now...", Priority: 50, Level: Confirm, Writes: true},
	}
}
