-- The role of workers, what they were given, and what they say of their tasks.
CREATE TABLE memberships_now (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (user_id, farm_id),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER', 'WORKER'))
);
INSERT INTO memberships_now (user_id, farm_id, role, created_at, is_active)
SELECT user_id, farm_id, role, created_at, is_active FROM memberships;
DROP TABLE memberships;
ALTER TABLE memberships_now RENAME TO memberships;
CREATE INDEX memberships_by_farm ON memberships (farm_id);

CREATE TABLE invites_now (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- an e-mail address or a phone number, in the one spelling that users have
    email TEXT,
    phone TEXT,
    role TEXT NOT NULL,
    language TEXT NOT NULL,
    -- SHA-256 of the tokens of its two links, hex: the one that is sent, and the one to pass on
    token_hash TEXT NOT NULL UNIQUE,
    shared_hash TEXT UNIQUE,
    invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    accepted_at BIGINT,
    accepted_by TEXT REFERENCES users (id) ON DELETE SET NULL,
    revoked_at BIGINT,
    CHECK ((email IS NULL) <> (phone IS NULL)),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER', 'WORKER'))
);
INSERT INTO invites_now (id, farm_id, email, phone, role, language, token_hash, shared_hash, invited_by, created_at, expires_at,
    accepted_at, accepted_by, revoked_at)
SELECT id, farm_id, email, phone, role, language, token_hash, shared_hash, invited_by, created_at, expires_at,
    accepted_at, accepted_by, revoked_at FROM invites;
DROP TABLE invites;
ALTER TABLE invites_now RENAME TO invites;
CREATE INDEX invites_by_farm ON invites (farm_id, created_at);

-- The houses that a worker sees, the devices that he may switch.
CREATE TABLE grants (
    user_id TEXT NOT NULL,
    farm_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (user_id, farm_id, kind, id),
    -- goes with the membership, also to the account that keeps it when several become one
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CHECK (kind IN ('POLYHOUSE', 'DEVICE'))
);

-- What whoever does the task says of it.
ALTER TABLE tasks ADD COLUMN note TEXT;

CREATE TABLE task_photos (
    task_id TEXT NOT NULL PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- image/jpeg or image/webp
    media_type TEXT NOT NULL,
    bytes BLOB NOT NULL,
    taken_by TEXT REFERENCES users (id) ON DELETE SET NULL,
    taken_at BIGINT NOT NULL
);
CREATE INDEX task_photos_by_farm ON task_photos (farm_id, taken_at);
