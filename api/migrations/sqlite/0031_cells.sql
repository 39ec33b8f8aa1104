-- Several servers that share the records: which farms are whose, and where each takes what another one passes on. Without cells all is
-- of the cell ''.
ALTER TABLE farms ADD COLUMN cell TEXT NOT NULL DEFAULT '';
CREATE INDEX farms_by_cell ON farms (cell);

CREATE TABLE cells (
    cell TEXT NOT NULL PRIMARY KEY,
    -- what its journals are called: no two have the same
    journal TEXT NOT NULL UNIQUE,
    -- where its server takes what is passed on; none of one that never did
    address TEXT
);

-- What the keys beside the records are known by: all servers have the same.
CREATE TABLE key_prints (
    name TEXT NOT NULL PRIMARY KEY,
    print TEXT NOT NULL
);

CREATE TABLE notification_begins (
    cell TEXT NOT NULL PRIMARY KEY,
    event_id BIGINT NOT NULL
);
INSERT INTO notification_begins (cell, event_id) SELECT '', event_id FROM notification_begin;
DROP TABLE notification_begin;
