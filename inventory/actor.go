package inventory

// Actor is who does something, for the journal and the audit.
type Actor struct {
	Name string // a staff login, an API client's name, or a part of the program
	Kind ActorKind
}

// ActorKind tells people from programs.
type ActorKind string

// Kinds of actor.
const (
	ActorStaff    ActorKind = "staff"    // a person at the console or command line
	ActorClient   ActorKind = "client"   // a shop that calls the API
	ActorProvider ActorKind = "provider" // a payment provider's callback or answer
	ActorJob      ActorKind = "job"      // a scheduled job
)

// String is the form stored in the journal: "staff:mira", "job:sweep".
func (a Actor) String() string { return string(a.Kind) + ":" + a.Name }

// Staff returns the actor for a person.
func Staff(name string) Actor { return Actor{Name: name, Kind: ActorStaff} }

// Job returns the actor for a scheduled job.
func Job(name string) Actor { return Actor{Name: name, Kind: ActorJob} }
