// Package simulated is a payment provider for demonstrations, tests and
// rehearsals, from both sides: Server is the provider with its own ledger,
// which can be told to behave as badly as real ones do, and Provider is what
// the daemon calls it with.
package simulated

// Name is how the daemon knows this provider.
const Name = "simulated"
