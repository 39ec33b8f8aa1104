-- What a message stands for: a row for each thing that it tells. Alerts of one cause are told by one message.
CREATE TABLE outbox_parts (
    -- what is told, by which way and to whom: it is told once
    cause TEXT NOT NULL PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    farm_id TEXT NOT NULL,
    -- the alert's id, or `controller/` and the MAC of one that is offline
    subject TEXT NOT NULL,
    -- since when; with an alert it is an incident
    raised_at BIGINT,
    -- what the alert or the controller is called
    name TEXT NOT NULL,
    -- raised, repeated or over
    step TEXT NOT NULL,
    -- taken back before it was sent: another message tells it, or it has become needless
    is_out BOOLEAN NOT NULL DEFAULT FALSE,
    -- since when what it tells is over
    over_at BIGINT,
    CHECK (step IN ('raised', 'repeated', 'over'))
);
CREATE INDEX outbox_parts_by_message ON outbox_parts (message_id);
CREATE INDEX outbox_parts_by_subject ON outbox_parts (farm_id, subject, raised_at);

INSERT INTO outbox_parts (cause, message_id, farm_id, subject, raised_at, name, step, is_out, over_at)
SELECT o.cause, o.id, o.farm_id, o.about, o.raised_at, o.title,
    CASE WHEN o.cause LIKE '%/over/%' THEN 'over' WHEN o.cause LIKE '%/raised/%' THEN 'raised' ELSE 'repeated' END,
    o.state = 'FAILED' AND o.attempts = 0,
    (SELECT i.over_at FROM incidents i WHERE i.farm_id = o.farm_id AND i.alert_id = o.about AND i.raised_at = o.raised_at)
FROM outbox o WHERE o.kind = 'ALERT' AND o.about NOT IN ('rest', 'dire') AND o.farm_id IS NOT NULL;

-- What further alerts have to share to be told by it, and that cause as JSON.
ALTER TABLE outbox ADD COLUMN join_key TEXT;
ALTER TABLE outbox ADD COLUMN joined_by TEXT;
DROP INDEX outbox_by_incident;
