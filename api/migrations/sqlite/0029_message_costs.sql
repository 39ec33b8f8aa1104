-- What messages cost: of each how many it is on the air (an SMS has parts) and its price in millionths of a rupee, null where none
-- is set; and the sums of a farm by month (UTC) and way, which outlive the messages.
ALTER TABLE outbox ADD COLUMN units BIGINT NOT NULL DEFAULT 1;
ALTER TABLE outbox ADD COLUMN cost BIGINT;

CREATE TABLE message_months (
    farm_id TEXT NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    month TEXT NOT NULL,
    channel TEXT NOT NULL,
    messages BIGINT NOT NULL,
    units BIGINT NOT NULL,
    cost BIGINT,
    PRIMARY KEY (farm_id, month, channel)
);

-- A message was sent by the gateway's answer or by a receipt that came before it: by both it counts once.
CREATE TRIGGER message_is_sent AFTER UPDATE OF sent_at ON outbox
WHEN OLD.sent_at IS NULL AND NEW.sent_at IS NOT NULL AND NEW.farm_id IS NOT NULL
BEGIN
    INSERT INTO message_months (farm_id, month, channel, messages, units, cost)
    VALUES (NEW.farm_id, strftime('%Y-%m', NEW.sent_at / 1000, 'unixepoch'), NEW.channel, 1, NEW.units, NEW.cost)
    ON CONFLICT (farm_id, month, channel) DO UPDATE SET
        messages = messages + 1,
        units = units + excluded.units,
        cost = CASE WHEN excluded.cost IS NULL THEN cost ELSE COALESCE(cost, 0) + excluded.cost END;
END;
