-- Codes, what is sent to people, invites; a membership can be switched off without touching the person's other farms.

ALTER TABLE memberships ADD COLUMN is_active BOOLEAN NOT NULL DEFAULT TRUE;

-- how the sign-in came about: a password may be set without the old one right after a code
ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'PASSWORD' CHECK (method IN ('PASSWORD', 'CODE', 'REGISTRATION', 'INVITE'));

-- One row a contact, whether or not it has an account: a new code takes the place of the old one, and the limits hold
-- over a restart.
CREATE TABLE codes (
    contact TEXT NOT NULL PRIMARY KEY,
    -- names the code in its hash, so that the hash of an older code of the same digits differs
    challenge TEXT NOT NULL,
    -- HMAC-SHA256 under a key that is not in the database, hex; empty once used
    code_hash TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    tries_left BIGINT NOT NULL,
    -- when the last five codes were sent, the latest first
    sent_1 BIGINT NOT NULL,
    sent_2 BIGINT NOT NULL,
    sent_3 BIGINT NOT NULL,
    sent_4 BIGINT NOT NULL,
    sent_5 BIGINT NOT NULL,
    -- wrong tries since the day began that is counted
    failures BIGINT NOT NULL,
    failures_since BIGINT NOT NULL
);

CREATE INDEX codes_by_sent ON codes (sent_1);

-- What is to be sent to people; without a gateway it stays here for the operator.
CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    body TEXT NOT NULL,
    -- the code or the link alone
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (channel IN ('EMAIL', 'SMS')),
    CHECK (kind IN ('CODE', 'INVITE'))
);

CREATE INDEX outbox_by_time ON outbox (created_at);

CREATE TABLE invites (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- an e-mail address or a phone number, in the one spelling that users have
    email TEXT,
    phone TEXT,
    role TEXT NOT NULL,
    language TEXT NOT NULL,
    -- SHA-256 of the link's token, hex
    token_hash TEXT NOT NULL UNIQUE,
    invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    accepted_at BIGINT,
    revoked_at BIGINT,
    CHECK ((email IS NULL) <> (phone IS NULL)),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER'))
);

CREATE INDEX invites_by_farm ON invites (farm_id, created_at);
