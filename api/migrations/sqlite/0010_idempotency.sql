-- Requests that came with an `Idempotency-Key`, by person, with what was answered: sent again, such a request does nothing twice.

CREATE TABLE idempotency (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    -- SHA-256, hex, of method, path and body: the same key with another request is a mistake
    fingerprint TEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    -- the answer, sealed: some carry a password or a link; null until there is one
    sealed BLOB,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX idempotency_by_age ON idempotency (begun_at);
CREATE INDEX idempotency_by_user ON idempotency (user_id, begun_at);
