-- Who is told of alerts: a farm's chain, who is on duty when, and by which ways and when each person wants to be told.

-- Without a row the chain that every farm begins with.
CREATE TABLE chains (
    farm_id TEXT NOT NULL PRIMARY KEY REFERENCES farms (id) ON DELETE CASCADE,
    -- JSON: its steps
    steps TEXT NOT NULL
);

-- Who is on duty, every week anew.
CREATE TABLE duties (
    farm_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    -- the order in which people wrote them
    position BIGINT NOT NULL,
    -- a bit a weekday on which it begins, Monday first
    days BIGINT NOT NULL,
    -- minutes of the farm's day; one that ends no later than it begins passes midnight
    from_min BIGINT NOT NULL,
    to_min BIGINT NOT NULL,
    PRIMARY KEY (farm_id, position),
    -- goes with the membership, also to the account that keeps it when several become one
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CHECK (days BETWEEN 1 AND 127),
    CHECK (from_min BETWEEN 0 AND 1439 AND to_min BETWEEN 0 AND 1439)
);

CREATE TABLE told_choices (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- EMAIL, SMS, WHATSAPP with commas between; none leaves it to the alert
    ways TEXT,
    -- minutes of the day of the farm that tells
    quiet_from BIGINT,
    quiet_to BIGINT,
    CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
    CHECK (quiet_from IS NULL OR quiet_from BETWEEN 0 AND 1439 AND quiet_to BETWEEN 0 AND 1439)
);

-- Of which incident a message tells, and for which step of the chain; none of what tells an alert's own subscribers.
ALTER TABLE outbox ADD COLUMN raised_at BIGINT;
ALTER TABLE outbox ADD COLUMN step BIGINT;
CREATE INDEX outbox_by_incident ON outbox (farm_id, about, raised_at) WHERE raised_at IS NOT NULL;

-- By what somebody answered; none in the console.
ALTER TABLE incident_answers ADD COLUMN way TEXT;

-- Answers by SMS and WhatsApp that were carried out, by the gateway's own name for each: one that comes again does nothing.
CREATE TABLE replies (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE INDEX replies_by_time ON replies (at);
