-- Tokens of programs: what somebody lets a program do in some of their farms. Known by their hash alone.
CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- SHA-256 of the token, hex
    token_hash TEXT NOT NULL UNIQUE,
    -- its first characters, by which people recognise it
    start TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- as it was written down, which is not at every use
    last_used_at BIGINT,
    -- none of one that does not end by itself
    expires_at BIGINT,
    CHECK (scope IN ('READ', 'CONTROL'))
);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);

-- For which farms a token is; that goes with the membership, and does not come back with it.
CREATE TABLE token_farms (
    token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    farm_id TEXT NOT NULL,
    PRIMARY KEY (token_id, farm_id),
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX token_farms_by_member ON token_farms (user_id, farm_id);

-- What people call an account of MQTT that only reads; its `name` is what it signs in with.
ALTER TABLE integrations ADD COLUMN label TEXT;
ALTER TABLE integrations ADD COLUMN password_at BIGINT;
ALTER TABLE integrations ADD COLUMN last_connected_at BIGINT;
CREATE INDEX integrations_by_farm ON integrations (farm_id);
