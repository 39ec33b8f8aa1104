-- Requests that came with an `Idempotency-Key`, by person, with what was answered: sent again, such a request does nothing twice.

CREATE TABLE idempotency (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    -- SHA-256, hex, of method, path and body: the same key with another request is a mistake
    fingerprint TEXT NOT NULL,
    begun_at BIGINT NOT NULL,
    -- null until it is answered
    status INTEGER,
    -- the entity tag and the body of the answer, sealed: some answers carry a password or a link
    sealed BLOB,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX idempotency_by_age ON idempotency (begun_at);
CREATE INDEX idempotency_by_user ON idempotency (user_id, begun_at);
