package inventory

import "holdfast/timezone"

// Check is a stand-in so that the tree builds: DELETE THIS FILE once the real one is there.
func (r Resource) Check(Range, timezone.Zone) error { return nil }
