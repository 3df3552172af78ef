// Package stripe is the payment provider for accounts at Stripe: PaymentIntents,
// refunds, and Stripe's webhooks.
//
// # What it promises
//
// The three answers of package payment. An error for which payment.Unknown is
// true leaves open what Stripe did: a timeout, a cut connection, a redirect,
// 408, 409, 429, 5xx, anything that is not Stripe's JSON, and answers that
// contradict the call. payment.ErrRefused is a 4xx that Stripe itself explained.
// ErrKeyReused is neither: one key was used for two different requests, which is
// an error in this program and says nothing about the first of them.
//
// Create makes a PaymentIntent and never confirms it, so nothing is charged and
// nothing declined by it: the buyer's browser confirms with the client secret,
// and webhooks tell how that ended. Its parameters, like those of Refund, come
// from columns that never change, because Stripe refuses a repeated key whose
// parameters differ. A key is the same request for KeyLifetime.
//
// Our reference travels in the metadata, under MetadataReference: the id of the
// payment or of the refund; a shop that takes the money itself puts the booking
// id there. What has no such member is not dropped but unmatched.
//
// # States
//
//	PaymentIntent: succeeded -> SUCCEEDED   canceled -> CANCELLED   all others -> PENDING
//	Refund:        succeeded -> SUCCEEDED   failed, canceled -> FAILED   pending, requires_action -> PENDING
//
// A state that is not in this list is a wrong answer, never a guess. A declined
// card is the event payment_intent.payment_failed; the PaymentIntent itself
// goes on as requires_payment_method, can be paid with another card, and is
// therefore PENDING when asked for. What was captured is amount_received, not
// amount.
//
// # Traps, and what is done about them
//
//   - Stripe's minor units are not ISO 4217's: ISK and UGX have two decimals
//     there, MGA none, and of KWD and its like the third must be 0. See amount.go.
//   - The search for a reference may lag behind by an hour and returns states of
//     then. FindByReference therefore lists what is newer, which is exact, and
//     asks for each older find by its id. While the key lives, repeating Create
//     answers the same question with one call.
//   - stripe-go's iterators take null and {} for an empty list. "None" releases places
//     and sends refunds again here, so lists are paged through in list.go, must say
//     that they are lists, and must be read to their end.
//   - Refunding what is refunded already is refused. If our own refund did that,
//     under a key that Stripe has forgotten, Refund finds and returns it.
//   - A webhook secret is the key as it stands, "whsec_" included, and not base64
//     as in Standard Webhooks.
//   - stripe-go accepts a timestamp of the future and reads the machine's clock
//     by itself. The scheme is implemented here over the bytes received: exactly
//     one t, any of several v1 in lower-case hex by any secret that has not ended,
//     300 s both ways.
//   - An event is rendered in the API version of its webhook endpoint, which need
//     not be the library's: its own types would then refuse a capture for the
//     sake of a member that nobody here reads. Events are decoded into the few
//     members that are needed.
//   - Test and live mode share nothing but the shape of their ids. The key's mode
//     is compared with the configured one at the start, that of each answer and
//     each event with it later. An event of the other mode, or of a connected
//     account, which may well carry our reference, is kept with its Problem.
//   - charge.refunded says that money went back and not by which refund. Endpoints
//     should subscribe to refund.created, refund.updated and refund.failed instead,
//     which name it also when it was made in Stripe's dashboard (the endpoint's API
//     version must be 2024-10-28 or later). A charge.refunded that our own call
//     caused is ignored, one that lists its refunds is read, any other is kept with
//     its amount and a Problem.
//   - An inquiry (warning_...) counts as an open dispute, and so blocks refunds here.
//     A prevented dispute counts as lost: the payer has the money back.
//
// stripe-go itself gives the paths, parameters, objects and the API version. Its
// retries, telemetry and log are off: whoever calls has the key, the row and the
// patience. Its errors print whole bodies, with client secrets in them, so none
// is wrapped or printed; what Stripe says in words is cut, quoted in errors, and
// must be cleaned by whoever shows it.
//
// # Events to subscribe to
//
// payment_intent.succeeded, .payment_failed, .processing, .canceled;
// refund.created, .updated, .failed; charge.dispute.created, .updated, .closed.
package stripe
