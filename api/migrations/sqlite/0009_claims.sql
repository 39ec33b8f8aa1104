-- A contact is somebody's only when a code or a link that was sent to it was used. Until then it is claimed: `email` and
-- `phone` are shown to be theirs and unique, `claimed_email` and `claimed_phone` are what somebody wrote down.

-- SQLite cannot take a constraint off a table, so the table is made anew. Foreign keys are not enforced meanwhile.
CREATE TABLE users_new (
    id TEXT NOT NULL PRIMARY KEY,
    -- lower case
    email TEXT UNIQUE,
    -- plus sign and digits
    phone TEXT UNIQUE,
    claimed_email TEXT,
    claimed_phone TEXT,
    name TEXT NOT NULL,
    -- a PHC string; without one the account signs in by code only
    password_hash TEXT,
    language TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    onboarding_completed BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (COALESCE(email, phone, claimed_email, claimed_phone) IS NOT NULL),
    CHECK (language IN ('en', 'hi', 'mr'))
);

-- Nobody knows whether a contact that was there before is its account's: each is a claim until its next code. The demo's
-- people cannot receive one.
INSERT INTO users_new
SELECT id,
    CASE WHEN email LIKE '%@demo.harit' THEN email END,
    CASE WHEN email LIKE '%@demo.harit' THEN phone END,
    CASE WHEN email LIKE '%@demo.harit' THEN NULL ELSE email END,
    CASE WHEN email LIKE '%@demo.harit' THEN NULL ELSE phone END,
    name, password_hash, language, is_active, onboarding_completed, created_at
FROM users;

DROP TABLE users;
ALTER TABLE users_new RENAME TO users;
CREATE INDEX users_by_claimed_email ON users (claimed_email);
CREATE INDEX users_by_claimed_phone ON users (claimed_phone);

-- when the person last showed in this sign-in, by password or code, that it is them
ALTER TABLE sessions ADD COLUMN confirmed_at BIGINT NOT NULL DEFAULT 0;

-- A row a code, for a day: what was asked for and how often it was guessed wrong is counted over them.
DROP TABLE codes;
CREATE TABLE codes (
    -- names the code in its hash, so that the hash of another code of the same digits differs
    challenge TEXT NOT NULL PRIMARY KEY,
    contact TEXT NOT NULL,
    -- the device, else the address, that asked for it: nobody else can use it or use up its tries
    asker TEXT NOT NULL,
    -- whose limits it counts in: the device that has signed in with this contact before, else the address
    budget TEXT NOT NULL,
    -- whether that is such a device
    known BOOLEAN NOT NULL,
    -- HMAC-SHA256 under a key that is not in the database, hex; empty once used or void
    code_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    tries_left BIGINT NOT NULL,
    failures BIGINT NOT NULL
);

CREATE INDEX codes_by_contact ON codes (contact, created_at);
CREATE INDEX codes_by_time ON codes (created_at);

-- Devices that have signed in with a contact: limits that strangers can use up do not hold for them.
CREATE TABLE devices (
    -- SHA-256 of the device's own secret, hex
    device_hash TEXT NOT NULL,
    contact TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (device_hash, contact)
);

CREATE INDEX devices_by_user ON devices (user_id, last_used_at);

-- What is to be sent to people: the text and its secret are sealed under a key that is not in the database.
DROP TABLE outbox;
CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    sealed BLOB NOT NULL,
    -- the code's challenge or the invite's id: once that is used, the message goes
    about TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (channel IN ('EMAIL', 'SMS')),
    CHECK (kind IN ('CODE', 'INVITE', 'NOTICE'))
);

CREATE INDEX outbox_by_time ON outbox (created_at);
CREATE INDEX outbox_by_about ON outbox (about);
