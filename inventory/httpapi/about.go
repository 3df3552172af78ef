package httpapi

// about is what the API's own document says of a route. Bodies are given by
// the Go types that are decoded and written, so the document cannot promise
// another form than is sent.
type about struct {
	id       string
	summary  string
	text     string
	keyed    bool // takes an Idempotency-Key
	matched  bool // takes If-Match
	admits   bool // takes an Admission-Token
	cached   bool // answers 304 to If-None-Match
	body     any  // nil: none
	raw      bool // the body is the provider's affair
	optional bool // the body may be left out
	answers  map[int]any
	refusals []int
}

var (
	aboutPlaceHold = about{
		id: "placeHold", summary: "Take places, seats or a range for a limited time", keyed: true, admits: true, body: holdBody{},
		answers: map[int]any{201: bookingView{}}, refusals: []int{400, 401, 403, 404, 409, 413, 415, 422, 503, 504},
		text: "Exactly one of: pool, day and quantity; event and seats, or event and best; resource, from and to. " +
			"The same key with the same body is answered with the first answer. 409 carries SOLD_OUT, SEAT_TAKEN, RANGE_TAKEN, HOLD_EXISTS, " +
			"STOP_SELL, NOT_ON_SALE, CUTOFF_PASSED, LIMIT_PER_BUYER or IN_PROGRESS. 422 LOCAL_TIME_MISSING and LOCAL_TIME_DOUBLED say that " +
			"clocks skip from or to, or show it twice, and offer candidates to send instead. " +
			"429 ADMISSION_REQUIRED: buyers have to wait here, ask for admission first. " +
			"504 means that it may have been done: ask again with the same key.",
	}
	aboutGetBooking = about{
		id: "getBooking", summary: "Read a booking, always exact", text: "ETag is its version, for If-Match.",
		answers: map[int]any{200: bookingView{}}, refusals: []int{401, 403, 404, 503},
	}
	aboutMoveBooking = about{
		id: "moveBooking", summary: "Change what a booking claims", matched: true, body: moveBody{},
		answers: map[int]any{200: bookingView{}}, refusals: []int{401, 403, 404, 409, 412, 413, 415, 422, 428, 503, 504},
		text: "The new claim is taken and the old one given back at once, or nothing changes. 409 as for a hold, and PRICE_CHANGES where " +
			"it is paid or being paid and would cost something else. 412 carries the booking as it stands. " +
			"504 means that it may have been done: read the booking.",
	}
	aboutListEvents = about{
		id: "listEvents", summary: "Events of a venue by start",
		text:    "From today at the venue, unless from says otherwise; 500 at most.",
		answers: map[int]any{200: []eventView{}}, refusals: []int{401, 404, 422, 503},
	}
	aboutGetEvent = about{
		id: "getEvent", summary: "An event and how many of its seats are left",
		answers: map[int]any{200: eventView{}}, refusals: []int{401, 404, 503},
	}
	aboutListSeats = about{
		id: "listSeats", summary: "Seats of an event, up to 250 ms old", cached: true,
		text:    "For looking only: a hold decides, and a booking is read exactly. ETag is that of the seats without asOf; 304 while they stand as they did.",
		answers: map[int]any{200: seatMapView{}, 304: nil}, refusals: []int{401, 404, 503},
	}
	aboutHoldSeat = about{
		id: "holdSeat", summary: "Take one seat for a limited time", keyed: true, admits: true, body: seatHoldBody{},
		answers: map[int]any{200: seatHoldView{}}, refusals: []int{400, 401, 403, 404, 409, 413, 415, 422, 503, 504},
		text: "As placeHold with one seat.",
	}
	aboutJoinEvent = about{
		id: "joinEvent", summary: "Take a number in the waiting room of an event", body: admissionBody{},
		answers: map[int]any{200: admissionView{}}, refusals: []int{401, 403, 404, 413, 415, 422, 503},
		text: "Each call takes a new number. Where nobody has to wait, admitted is true and there is no token. " +
			"Ask getAdmission when Retry-After has passed.",
	}
	aboutJoinPool = about{
		id: "joinPool", summary: "Take a number in the waiting room of a pool", body: admissionBody{},
		answers: map[int]any{200: admissionView{}}, refusals: []int{401, 403, 404, 413, 415, 422, 503},
		text: "As joinEvent.",
	}
	aboutGetAdmission = about{
		id: "getAdmission", summary: "Where a buyer stands in a waiting room", admits: true,
		answers: map[int]any{200: admissionView{}}, refusals: []int{401, 403, 404, 410, 422, 503},
		text: "Up to 250 ms old. Keep the token of the answer: it is a new one once the buyer is let in. Retry-After says when to ask again. " +
			"410 ADMISSION_EXPIRED: the pass is over.",
	}
	aboutListSlots = about{
		id: "listSlots", summary: "Slots of a resource on a local day", text: "Of today at the venue, unless day says otherwise.",
		answers: map[int]any{200: []slotView{}}, refusals: []int{401, 404, 422, 503},
	}
	aboutReleaseHold = about{
		id: "releaseHold", summary: "Give a hold back", text: "Doing it again is 204 as well.",
		answers: map[int]any{204: nil}, refusals: []int{401, 403, 404, 409, 503, 504},
	}
	aboutPay = about{
		id: "pay", summary: "Start paying for a hold", keyed: true, body: payBody{}, optional: true,
		answers: map[int]any{200: payView{}, 202: payView{}}, refusals: []int{400, 401, 403, 404, 409, 413, 415, 422, 503, 504},
		text: "202: the payment is not decided, also when the provider did not answer. 200: it is, and state says how " +
			"(HELD again after a decline, while there is time).",
	}
	aboutListDays = about{
		id: "listDays", summary: "Days of a pool and what is left on them",
		text:    "From today at the venue and for 31 days, unless from and to say otherwise; 366 days at most.",
		answers: map[int]any{200: []dayView{}}, refusals: []int{401, 404, 422, 503},
	}
	aboutWebhook = about{
		id: "providerEvent", summary: "Callback of the default payment provider", raw: true,
		answers: map[int]any{204: nil}, refusals: []int{400, 401, 404, 413, 415, 503, 504},
		text: "Signed by the provider over the exact bytes. 204 once it is stored.",
	}
	aboutWebhookOf = about{
		id: "providerEventOf", summary: "Callback of a payment provider", raw: true,
		answers: map[int]any{204: nil}, refusals: []int{400, 401, 404, 413, 415, 503, 504},
	}
	aboutHealthz = about{
		id: "healthz", summary: "The process answers", answers: map[int]any{200: healthView{}},
	}
	aboutReadyz = about{
		id: "readyz", summary: "Requests should come here", answers: map[int]any{200: healthView{}}, refusals: []int{503},
	}
	aboutDocument = about{
		id: "openapi", summary: "This document", answers: map[int]any{200: map[string]any{}},
	}
)
