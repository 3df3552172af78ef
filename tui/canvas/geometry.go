package canvas

// Rect is a rectangle of cells. Its methods clamp: no size is ever negative,
// whatever is taken from it, so that layouts need no checks for tiny screens.
type Rect struct{ X, Y, W, H int }

// Box returns the rectangle of size w x h at the origin.
func Box(w, h int) Rect { return Rect{W: max(0, w), H: max(0, h)} }

// Empty reports that no cell lies in r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains is the hit test: whether the cell (x, y) lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Intersect returns what r and o have in common.
func (r Rect) Intersect(o Rect) Rect {
	x0, y0 := max(r.X, o.X), max(r.Y, o.Y)
	x1, y1 := min(r.X+r.W, o.X+o.W), min(r.Y+r.H, o.Y+o.H)
	return Rect{X: x0, Y: y0, W: max(0, x1-x0), H: max(0, y1-y0)}
}

// Top splits r into its first n rows and the rest.
func (r Rect) Top(n int) (top, rest Rect) {
	n = atMost(n, r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// Bottom splits r into its last n rows and the rest.
func (r Rect) Bottom(n int) (bottom, rest Rect) {
	n = atMost(n, r.H)
	return Rect{r.X, r.Y + r.H - n, r.W, n}, Rect{r.X, r.Y, r.W, r.H - n}
}

// Left splits r into its first n columns and the rest.
func (r Rect) Left(n int) (left, rest Rect) {
	n = atMost(n, r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// Right splits r into its last n columns and the rest.
func (r Rect) Right(n int) (right, rest Rect) {
	n = atMost(n, r.W)
	return Rect{r.X + r.W - n, r.Y, n, r.H}, Rect{r.X, r.Y, r.W - n, r.H}
}

// Inset takes dx columns from both sides and dy rows from top and bottom.
func (r Rect) Inset(dx, dy int) Rect {
	dx, dy = atMost(dx, r.W/2), atMost(dy, r.H/2)
	return Rect{r.X + dx, r.Y + dy, r.W - 2*dx, r.H - 2*dy}
}

// Centre returns a rectangle of at most w x h in the middle of r.
func (r Rect) Centre(w, h int) Rect {
	w, h = atMost(w, r.W), atMost(h, r.H)
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}

// atMost is v, but neither below zero nor above most.
func atMost(v, most int) int { return max(0, min(v, most)) }
