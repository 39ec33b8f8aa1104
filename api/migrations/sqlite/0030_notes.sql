-- What somebody saw or did at a moment; the day is that of the moment in UTC.
CREATE TABLE notes (
    id TEXT NOT NULL PRIMARY KEY,
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    day TEXT NOT NULL,
    zone_id TEXT,
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX notes_by_farm ON notes (farm_id, day);
