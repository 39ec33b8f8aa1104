-- What people did: append-only, a chain a farm ('' is the server's own). Triggers, which the two databases spell
-- differently, are made in the code that opens the database.

CREATE TABLE audit (
    farm_id TEXT NOT NULL,
    -- from 1 on, without gaps
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor_id TEXT,
    actor TEXT,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- JSON
    details TEXT NOT NULL,
    address TEXT,
    -- HMAC-SHA256, hex, over the hash before it and this row
    hash TEXT NOT NULL,
    PRIMARY KEY (farm_id, seq)
);

-- The end of each chain; the anchor file says the same.
CREATE TABLE audit_heads (
    farm_id TEXT NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL
);
