package pgtest

import (
	"errors"

	"holdfast/inventory"
)

// Again runs do, and again while it answers ErrBusy, though not for ever. On a
// machine that is busy with other tests a lock may be waited for longer than
// its limit: that is told, nothing was done, and callers come again.
func Again(do func() error) error {
	err := do()
	for try := 1; try < 20 && errors.Is(err, inventory.ErrBusy); try++ {
		err = do()
	}
	return err
}
