package localdb

import "context"

// RealBinDir is where this machine's own PostgreSQL is.
func RealBinDir() (string, error) {
	bin, err := findBinaries(context.Background(), "", 0, usualPlaces())
	return bin.dir, err
}
