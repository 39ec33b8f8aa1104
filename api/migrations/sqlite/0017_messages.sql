-- What is sent to people: a row a recipient and channel, with what became of it. What waited before was sent by nobody, and goes.
DROP TABLE outbox;
CREATE TABLE outbox (
    -- ordered by time; by it the gateway knows a message again that is sent a second time
    id TEXT NOT NULL PRIMARY KEY,
    -- cause, channel and recipient: there is one message of them
    cause TEXT NOT NULL UNIQUE,
    -- none of what belongs to no farm, such as codes
    farm_id TEXT REFERENCES farms (id) ON DELETE CASCADE,
    user_id TEXT REFERENCES users (id) ON DELETE SET NULL,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    -- of an alert; of what carries a secret none
    title TEXT NOT NULL,
    -- the text and its secret, under a key that is not in the database; none once it is sent or given up
    sealed BLOB,
    -- the code's challenge, the invite's id, the alert's id
    about TEXT NOT NULL,
    is_critical BOOLEAN NOT NULL,
    -- how many messages this one stands for
    times BIGINT NOT NULL,
    state TEXT NOT NULL,
    -- why it waits or was given up: a word; and what the gateway answered, without texts of people
    reason TEXT,
    answer TEXT,
    attempts BIGINT NOT NULL,
    next_try_at BIGINT NOT NULL,
    -- not sent after this
    deadline BIGINT NOT NULL,
    -- the gateway's own name for it, which its receipts have
    gateway_id TEXT,
    created_at BIGINT NOT NULL,
    sent_at BIGINT,
    changed_at BIGINT NOT NULL,
    CHECK (channel IN ('EMAIL', 'SMS', 'WHATSAPP', 'WEBHOOK')),
    CHECK (kind IN ('CODE', 'INVITE', 'NOTICE', 'ALERT', 'TEST')),
    CHECK (state IN ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED'))
);

CREATE INDEX outbox_due ON outbox (next_try_at) WHERE state = 'QUEUED';
CREATE INDEX outbox_by_recipient ON outbox (recipient, channel, created_at);
CREATE INDEX outbox_by_person ON outbox (user_id, created_at);
CREATE INDEX outbox_by_farm ON outbox (farm_id, id);
CREATE INDEX outbox_by_about ON outbox (about);
CREATE INDEX outbox_by_gateway_id ON outbox (gateway_id) WHERE gateway_id IS NOT NULL;
