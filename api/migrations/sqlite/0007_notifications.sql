-- What the farm's people are told: a row a person. The text is made when it is read, in the reader's language.

CREATE TABLE notifications (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- ordered by time; the same for all who are told
    id TEXT NOT NULL,
    -- JSON: the kind and what it says
    body TEXT NOT NULL,
    -- what happens again and again stays one unread row
    topic TEXT NOT NULL,
    times BIGINT NOT NULL,
    at BIGINT NOT NULL,
    is_read BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, farm_id, id)
);

CREATE INDEX notifications_by_time ON notifications (farm_id, user_id, at);

-- What was told last of each thing, written together with the notifications: a restart tells nothing twice. `events` has
-- the number and the instant of the last event of the engine that was looked at.
CREATE TABLE notification_states (
    farm_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (farm_id, subject)
);

-- The number of the event after which notifications began: what was before is not told.
CREATE TABLE notification_begin (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    event_id BIGINT NOT NULL
);
