-- Web Push: the browsers in which people asked to be told.
CREATE TABLE push_subscriptions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- the sign-in in which it was asked for: one each, and it ends with it
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    -- the address at the browser's push service
    endpoint TEXT NOT NULL UNIQUE,
    -- the browser's public key (65 bytes) and secret (16 bytes)
    p256dh BLOB NOT NULL,
    auth BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (length(endpoint) <= 1024),
    CHECK (length(p256dh) = 65),
    CHECK (length(auth) = 16)
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);

-- One more way. What is checked of a column cannot be altered, and making the table anew would leave out columns that other
-- migrations add: its definition is changed in place (https://www.sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''WEBHOOK'')', '''WEBHOOK'', ''PUSH'')') WHERE type = 'table' AND name = 'outbox';
PRAGMA writable_schema = RESET;
