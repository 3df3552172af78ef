package pgstore

const paymentColumns = `id, booking_id, attempt, provider, provider_payment, provider_key,
       amount_minor, currency, captured_minor, captured_currency,
       state, standing, zombie_kind, client_secret, url,
       created_at, captured_at, zombie_since, decide_by, ask_tries, next_ask_at, last_error, dispute, version`

const sqlPaymentGet = `-- payment.get
SELECT ` + paymentColumns + `
  FROM payment
 WHERE id = @id`

const sqlPaymentLock = `-- payment.lock
SELECT ` + paymentColumns + `
  FROM payment
 WHERE id = @id
   FOR NO KEY UPDATE -- after its booking, always`

const sqlPaymentsOfBooking = `-- payment.ofBooking
SELECT ` + paymentColumns + `
  FROM payment
 WHERE booking_id = @booking
 ORDER BY attempt`

const sqlPaymentOpen = `-- payment.open
SELECT ` + paymentColumns + `
  FROM payment
 WHERE booking_id = @booking AND state IN ('CREATED', 'PENDING')
 ORDER BY attempt DESC
 LIMIT 1`

const sqlPaymentApplied = `-- payment.applied
SELECT ` + paymentColumns + `
  FROM payment
 WHERE booking_id = @booking AND standing = 'applied'
   FOR NO KEY UPDATE`

const sqlPaymentFind = `-- payment.find
SELECT id
  FROM payment
 WHERE id::text LIKE @ending
 LIMIT 2`

// The booking is locked, so two attempts cannot get the same number. Money
// that matches no booking is attempt 1 of nothing.
const sqlPaymentInsert = `-- payment.insert
INSERT INTO payment (id, booking_id, attempt, provider, provider_payment, provider_key, amount_minor, currency, state, created_at)
SELECT @id, @booking, coalesce((SELECT max(attempt) FROM payment WHERE booking_id = @booking), 0) + 1,
       @provider, @provider_payment, @provider_key, @amount, @currency, 'CREATED',
       coalesce(@now::timestamptz, statement_timestamp())
    ON CONFLICT (provider, provider_payment) DO NOTHING -- another callback about the same payment was faster
RETURNING ` + paymentColumns

const sqlPaymentNoteAnswer = `-- payment.noteAnswer
UPDATE payment
   SET provider_payment = coalesce(provider_payment, @provider_payment),
       client_secret = CASE WHEN @client_secret::text <> '' THEN @client_secret ELSE client_secret END,
       url = CASE WHEN @url::text <> '' THEN @url ELSE url END,
       version = version + 1
 WHERE id = @id
RETURNING ` + paymentColumns

// The row of money that nobody owned goes, since its owner is known; the answer
// that follows captures it there. One that staff have refunded stays.
const sqlPaymentAdopt = `-- payment.adopt
DELETE FROM payment
 WHERE provider = @provider AND provider_payment = @provider_payment
   AND booking_id IS NULL AND standing = 'zombie'
   AND NOT EXISTS (SELECT FROM refund r WHERE r.payment_id = payment.id)`

const sqlPaymentByProvider = `-- payment.byProvider
SELECT ` + paymentColumns + `
  FROM payment
 WHERE provider = @provider AND provider_payment = @provider_payment`

// A state only moves forward: nothing leaves SUCCEEDED, and a decision is not
// taken back by an older "pending".
const sqlPaymentDecide = `-- payment.decide
UPDATE payment
   SET state = @state, provider_payment = coalesce(provider_payment, @provider_payment), version = version + 1
 WHERE id = @id
   AND (state = 'CREATED' OR state = 'PENDING' AND @state <> 'PENDING')`

// Captured money gets its standing in the same statement: there is no moment
// at which it belongs nowhere.
const sqlPaymentCapture = `-- payment.capture
UPDATE payment
   SET state = 'SUCCEEDED', provider_payment = coalesce(provider_payment, @provider_payment),
       captured_minor = @minor, captured_currency = @currency,
       captured_at = coalesce(@now::timestamptz, statement_timestamp()),
       standing = @standing, zombie_kind = @zombie_kind,
       zombie_since = CASE WHEN @standing = 'zombie' THEN coalesce(@now::timestamptz, statement_timestamp()) END,
       decide_by = coalesce(@now::timestamptz, statement_timestamp()) + @decide_after::bigint * interval '1 microsecond',
       version = version + 1
 WHERE id = @id
   AND state <> 'SUCCEEDED' -- captured once
RETURNING ` + paymentColumns

const sqlPaymentStand = `-- payment.stand
UPDATE payment
   SET standing = @standing,
       zombie_kind = coalesce(@zombie_kind, zombie_kind),
       zombie_since = CASE WHEN @standing = 'zombie' THEN coalesce(zombie_since, @now::timestamptz, statement_timestamp()) ELSE zombie_since END,
       decide_by = CASE WHEN @standing = 'zombie'
                        THEN coalesce(coalesce(@now::timestamptz, statement_timestamp()) + @decide_after::bigint * interval '1 microsecond', decide_by) END,
       version = version + 1
 WHERE id = @id
   AND standing = @from -- the transition: nobody else may have decided it
RETURNING ` + paymentColumns

const sqlDoubtAfter = `-- venue.doubtAfter
SELECT doubt_after
  FROM venue
 WHERE id = @venue`

// A pool may have its own rule.
const sqlLatePolicy = `-- pool.latePolicy
SELECT coalesce(p.late_policy, v.late_policy), coalesce(p.late_deadline, v.late_deadline)
  FROM booking b
  JOIN venue v ON v.id = b.venue_id
  LEFT JOIN pool p ON p.id = b.pool_id
 WHERE b.id = @booking`
