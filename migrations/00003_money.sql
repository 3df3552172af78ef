-- +goose Up

-- How long a payment in doubt may keep its place, whatever the provider does
-- not say; and pools that treat late money in their own way.
ALTER TABLE venue ADD COLUMN doubt_cap interval NOT NULL DEFAULT '24 hours'
    CHECK (doubt_cap BETWEEN '1 second' AND '720 hours');
ALTER TABLE pool ADD COLUMN late_policy text CHECK (late_policy IN ('ask', 'revive', 'refund')); -- null: the venue's
ALTER TABLE pool ADD COLUMN late_deadline interval CHECK (late_deadline BETWEEN '0' AND '720 hours');

-- Asking the provider about payments that are not decided.
ALTER TABLE payment ADD COLUMN ask_tries integer NOT NULL DEFAULT 0;
ALTER TABLE payment ADD COLUMN next_ask_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE payment ADD COLUMN last_error text NOT NULL DEFAULT '';
ALTER TABLE payment ADD COLUMN dispute text CHECK (dispute IN ('open', 'won', 'lost')); -- null: never disputed
CREATE INDEX payment_open ON payment (next_ask_at, id) WHERE state IN ('CREATED', 'PENDING');

-- A deadline of nothing would be none at all.
ALTER TABLE venue DROP CONSTRAINT venue_late_deadline_check;
ALTER TABLE venue ADD CONSTRAINT venue_late_deadline_check CHECK (late_deadline BETWEEN '1 second' AND '720 hours');

-- What an edit oversold shrinks as places come back, so that the bound behind
-- the admission rule is never wider than it has to be.
-- +goose StatementBegin
CREATE FUNCTION pool_day_shrink_oversold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.oversold_by_edit := least(OLD.oversold_by_edit, greatest(0, NEW.taken - NEW.capacity - NEW.overbook_limit));
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER pool_day_shrink_oversold BEFORE UPDATE OF taken ON pool_day FOR EACH ROW
    WHEN (OLD.oversold_by_edit > 0 AND NEW.taken < OLD.taken) EXECUTE FUNCTION pool_day_shrink_oversold();

-- Refunds made in the provider's own dashboard are recorded once.
ALTER TABLE refund ADD COLUMN external boolean NOT NULL DEFAULT false;
ALTER TABLE webhook_event ADD COLUMN reason text NOT NULL DEFAULT ''; -- of a failure, in the provider's words
ALTER TABLE webhook_event ADD COLUMN problem text NOT NULL DEFAULT ''; -- why an authentic event must not be applied
CREATE INDEX webhook_event_received ON webhook_event (received_at);
CREATE UNIQUE INDEX refund_at_provider ON refund (payment_id, provider_refund);
ALTER TABLE refund ADD COLUMN retry_of uuid REFERENCES refund CONSTRAINT refund_retried_once UNIQUE; -- the failed one that this one repeats
CREATE INDEX refund_provider ON refund (provider_refund) WHERE provider_refund IS NOT NULL;
ALTER TABLE refund ADD COLUMN sent_at timestamptz; -- first try; past the provider's key lifetime its refunds are listed before sending again

-- Delivery of the journal. A row with a topic is open until it is published or
-- parked; the head of a booking is its first open row.
ALTER TABLE booking ADD COLUMN last_data jsonb; -- what a note adds to its message
ALTER TABLE journal ADD COLUMN data jsonb;
ALTER TABLE journal ADD COLUMN published_at timestamptz;
ALTER TABLE journal ADD COLUMN parked_at timestamptz;
ALTER TABLE journal ADD COLUMN first_parked_at timestamptz; -- stays when a person brings it back: its place in the line is gone
ALTER TABLE journal ADD COLUMN tries integer NOT NULL DEFAULT 0;
ALTER TABLE journal ADD COLUMN next_try_at timestamptz;
ALTER TABLE journal ADD COLUMN last_error text NOT NULL DEFAULT '';
CREATE INDEX journal_open ON journal (booking_id, seq) WHERE topic IS NOT NULL AND published_at IS NULL AND parked_at IS NULL;
CREATE INDEX journal_due ON journal (coalesce(next_try_at, at), booking_id, seq) WHERE topic IS NOT NULL AND published_at IS NULL AND parked_at IS NULL;
CREATE INDEX journal_published ON journal (published_at) WHERE published_at IS NOT NULL;
CREATE INDEX journal_parked ON journal (parked_at) WHERE parked_at IS NOT NULL;

-- What happened cannot be rewritten; only its delivery moves on.
-- +goose StatementBegin
CREATE FUNCTION journal_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.booking_id, OLD.seq, OLD.from_state, OLD.to_state, OLD.cause, OLD.actor, OLD.reason, OLD.at, OLD.topic, OLD.data)
       IS DISTINCT FROM
       (NEW.booking_id, NEW.seq, NEW.from_state, NEW.to_state, NEW.cause, NEW.actor, NEW.reason, NEW.at, NEW.topic, NEW.data) THEN
        RAISE EXCEPTION 'journal is append-only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER journal_keep BEFORE UPDATE ON journal FOR EACH ROW EXECUTE FUNCTION journal_keep();

-- The topic of a transition or note, in one place.
-- +goose StatementBegin
CREATE FUNCTION journal_topic(from_state text, to_state text, cause text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN from_state <> to_state THEN
            CASE to_state WHEN 'CONFIRMED' THEN 'booking.confirmed'
                          WHEN 'EXPIRED'   THEN 'booking.expired'
                          WHEN 'CANCELLED' THEN 'booking.cancelled' END
        ELSE
            CASE cause WHEN 'moved'            THEN 'booking.moved'
                       WHEN 'payment_late'     THEN 'payment.late'
                       WHEN 'refund_succeeded' THEN 'refund.succeeded'
                       WHEN 'refund_failed'    THEN 'refund.failed' END
    END
$$;

CREATE OR REPLACE FUNCTION booking_write_journal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT format('%s: NONE -> %s at version %s', n.id, n.state, n.version) INTO bad
          FROM new_row n
         WHERE n.version <> 1
            OR NOT EXISTS (SELECT FROM allowed_transition WHERE from_state = 'NONE' AND to_state = n.state)
         LIMIT 1;
    ELSE
        SELECT format('%s: %s v%s -> %s v%s', n.id, o.state, o.version, n.state, n.version) INTO bad
          FROM new_row n JOIN old_row o USING (id)
         WHERE n.version <> o.version + 1
            OR NOT EXISTS (SELECT FROM allowed_transition WHERE from_state = o.state AND to_state = n.state)
         LIMIT 1;
    END IF;
    IF bad IS NOT NULL THEN
        RAISE EXCEPTION 'not an allowed transition: %', bad
            USING ERRCODE = 'check_violation', CONSTRAINT = 'booking_transition';
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, 1, 'NONE', n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NOT NULL THEN booking_data(n.venue_id, n.pool_id, n.day, n.quantity, n.buyer, n.amount_minor, n.currency) END
          FROM new_row n, LATERAL (SELECT journal_topic('NONE', n.state, n.last_cause) AS topic) t;
    ELSE
        INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, reason, at, topic, data)
        SELECT n.id, n.version, o.state, n.state, n.last_cause, n.last_actor, n.last_reason, n.updated_at, t.topic,
               CASE WHEN t.topic IS NOT NULL
                    THEN booking_data(n.venue_id, n.pool_id, n.day, n.quantity, n.buyer, n.amount_minor, n.currency)
                         || coalesce(CASE WHEN n.state = o.state THEN n.last_data END, '{}') END
          FROM new_row n JOIN old_row o USING (id), LATERAL (SELECT journal_topic(o.state, n.state, n.last_cause) AS topic) t;
    END IF;
    RETURN NULL;
END $$;

-- What a message says of its booking: as it was then, not as it is when the
-- message is sent.
CREATE FUNCTION booking_data(venue_id bigint, pool_id bigint, day date, quantity integer, buyer text, amount_minor bigint, currency text)
RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'pool', v.slug || '/' || p.slug, 'day', booking_data.day, 'quantity', booking_data.quantity, 'buyer', booking_data.buyer,
        'amount', jsonb_build_object('minor', booking_data.amount_minor, 'currency', booking_data.currency))
      FROM venue v, pool p
     WHERE v.id = booking_data.venue_id AND p.id = booking_data.pool_id
$$;
-- +goose StatementEnd

-- The invariants that money in motion adds.
-- +goose StatementBegin
DO $$
DECLARE spine text := pg_get_viewdef('violation'::regclass);
BEGIN
    EXECUTE 'CREATE OR REPLACE VIEW violation (invariant, object, detail) AS ' || rtrim(spine, ' ;') || $view$
UNION ALL
SELECT 'I11_order', format('booking %s seq %s', j.booking_id, j.seq), 'published before an earlier one was published or parked'
  FROM journal j
 WHERE j.published_at IS NOT NULL
   AND EXISTS (SELECT FROM journal e
                WHERE e.booking_id = j.booking_id AND e.seq < j.seq AND e.topic IS NOT NULL
                  AND e.published_at IS NULL AND e.first_parked_at IS NULL)
UNION ALL
SELECT 'I7_all_given_back', format('payment %s', p.id), format('applied to booking %s, and all of it is on its way back', p.booking_id)
  FROM payment p
 WHERE p.standing = 'applied'
   AND p.captured_minor <= (SELECT sum(amount_minor) FROM refund r WHERE r.payment_id = p.id AND r.state <> 'FAILED')
UNION ALL
SELECT 'I7_zombie_given_back', format('payment %s', p.id), 'a zombie, and all of it is on its way back'
  FROM payment p
 WHERE p.standing = 'zombie'
   AND p.captured_minor <= (SELECT sum(amount_minor) FROM refund r WHERE r.payment_id = p.id AND r.state <> 'FAILED')
UNION ALL
SELECT 'I7_applied_mismatch', format('payment %s', p.id), format('captured %s %s for a booking of %s %s', p.captured_minor, p.captured_currency, b.amount_minor, b.currency)
  FROM payment p JOIN booking b ON b.id = p.booking_id
 WHERE p.standing = 'applied' AND (p.captured_minor, p.captured_currency) IS DISTINCT FROM (b.amount_minor, b.currency)
UNION ALL
SELECT 'I12_no_audit', format('booking %s seq %s', j.booking_id, j.seq), format('%s by %s', j.cause, j.actor)
  FROM journal j
 WHERE j.actor LIKE 'staff:%' AND j.at > now() - interval '30 days'
   AND NOT EXISTS (SELECT FROM audit a
                    WHERE a.subject = 'booking ' || j.booking_id AND (a.after ->> 'version')::int = j.seq)
UNION ALL
SELECT 'I17_booking_currency', format('booking %s', b.id), format('%s at a venue of %s', b.currency, v.currency)
  FROM booking b LEFT JOIN venue v ON v.id = b.venue_id
 WHERE b.currency IS DISTINCT FROM v.currency
UNION ALL
SELECT 'I18_unknown_client', format('booking %s', b.id), format('client %s', b.client_id)
  FROM booking b
 WHERE b.client_id IS NOT NULL AND NOT EXISTS (SELECT FROM api_client c WHERE c.id = b.client_id)
UNION ALL
SELECT 'I14_capture_not_applied', format('event %s %s', e.provider, e.event_id), format('%s since %s: %s', e.state, e.received_at, e.note)
  FROM webhook_event e
 WHERE e.kind = 'payment.succeeded' AND e.problem = '' AND e.state IN ('STORED', 'PARKED')
   AND e.received_at < now() - interval '10 minutes'
UNION ALL
SELECT 'I11_no_message', format('booking %s seq %s', j.booking_id, j.seq), format('%s -> %s has no topic', j.from_state, j.to_state)
  FROM journal j
 WHERE j.topic IS DISTINCT FROM journal_topic(j.from_state, j.to_state, j.cause)
UNION ALL
SELECT 'I7_in_doubt_without_payment', format('booking %s', b.id), 'PAYMENT_PENDING and no attempt is open'
  FROM booking b
 WHERE b.state = 'PAYMENT_PENDING'
   AND NOT EXISTS (SELECT FROM payment p WHERE p.booking_id = b.id AND p.state IN ('CREATED', 'PENDING'))
$view$;
END $$;
-- +goose StatementEnd
