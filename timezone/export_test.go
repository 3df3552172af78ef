package timezone

// AcceptedNames returns every name that ParseZone accepts.
func AcceptedNames() []string { return zoneNames().accepted() }
