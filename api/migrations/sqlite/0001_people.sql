-- People, farms, who may do what where, and sign-ins. Portable to SQLite and PostgreSQL: TEXT, BIGINT (epoch
-- milliseconds), BOOLEAN, DOUBLE PRECISION; JSON as TEXT.

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    -- lower case; a user has an e-mail address, a phone number, or both
    email TEXT UNIQUE,
    -- plus sign and digits
    phone TEXT UNIQUE,
    name TEXT NOT NULL,
    -- a PHC string; without one the account signs in by code only
    password_hash TEXT,
    language TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    onboarding_completed BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (email IS NOT NULL OR phone IS NOT NULL),
    CHECK (language IN ('en', 'hi', 'mr'))
);

CREATE TABLE farms (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    location TEXT,
    lat DOUBLE PRECISION,
    lng DOUBLE PRECISION,
    -- an IANA name
    timezone TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE memberships (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, farm_id),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER'))
);

CREATE INDEX memberships_by_farm ON memberships (farm_id);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- SHA-256 of the token, hex; the token itself is stored nowhere
    token_hash TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    user_agent TEXT,
    address TEXT
);

CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at);
