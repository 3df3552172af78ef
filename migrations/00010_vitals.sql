-- +goose Up

-- Refunds that were done or failed lately, for those who watch: a look at them
-- must not read all that ever were.
CREATE INDEX refund_done ON refund (done_at) WHERE done_at IS NOT NULL;
