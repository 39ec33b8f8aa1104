-- The records as SQLite has them after its migration of the same number. Every later step is written for both.
--
-- Texts are compared byte by byte, as SQLite does. Every number is a BIGINT. `harit_records` is the search path's first schema.

-- What statements call that SQLite has of its own.

CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (value TEXT)
    LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_array_elements_text(list::jsonb) $$;

CREATE FUNCTION json_group_array_end(list TEXT[]) RETURNS TEXT
    LANGUAGE sql IMMUTABLE AS $$ SELECT array_to_json(list)::text $$;

CREATE AGGREGATE json_group_array(TEXT) (SFUNC = array_append, STYPE = TEXT[], FINALFUNC = json_group_array_end, INITCOND = '{}');

CREATE TABLE farms (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    location TEXT COLLATE "C",
    lat DOUBLE PRECISION,
    lng DOUBLE PRECISION,
    -- an IANA name
    timezone TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE reservoirs (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    capacity_litres DOUBLE PRECISION,
    last_refill_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX reservoirs_by_farm ON reservoirs (farm_id);

CREATE TABLE integrations (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    secret_hash TEXT COLLATE "C" NOT NULL,
    enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    label TEXT COLLATE "C",
    password_at BIGINT,
    last_connected_at BIGINT
);
CREATE INDEX integrations_by_farm ON integrations (farm_id);

CREATE TABLE audit (
    farm_id TEXT COLLATE "C" NOT NULL,
    -- from 1 on, without gaps
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor_id TEXT COLLATE "C",
    actor TEXT COLLATE "C",
    action TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    -- JSON
    details TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C",
    -- HMAC-SHA256, hex, over the hash before it and this row
    hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (farm_id, seq)
);

CREATE TABLE audit_heads (
    farm_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    authored_at BIGINT NOT NULL DEFAULT 0,
    authored BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE notification_states (
    farm_id TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (farm_id, subject)
);

CREATE TABLE notification_begin (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    event_id BIGINT NOT NULL
);

CREATE TABLE password_tries (
    contact TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    failures BIGINT NOT NULL,
    -- since when they are counted
    since BIGINT NOT NULL
);
CREATE INDEX password_tries_by_time ON password_tries (since);

CREATE TABLE users (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- lower case
    email TEXT COLLATE "C" UNIQUE,
    -- plus sign and digits
    phone TEXT COLLATE "C" UNIQUE,
    claimed_email TEXT COLLATE "C",
    claimed_phone TEXT COLLATE "C",
    name TEXT COLLATE "C" NOT NULL,
    -- a PHC string; without one the account signs in by code only
    password_hash TEXT COLLATE "C",
    language TEXT COLLATE "C" NOT NULL,
    is_active BOOLEAN NOT NULL,
    onboarding_completed BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (COALESCE(email, phone, claimed_email, claimed_phone) IS NOT NULL),
    CHECK (language IN ('en', 'hi', 'mr'))
);
CREATE INDEX users_by_claimed_email ON users (claimed_email);
CREATE INDEX users_by_claimed_phone ON users (claimed_phone);

CREATE TABLE sessions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- SHA-256 of the token, hex; the token itself is stored nowhere
    token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    user_agent TEXT COLLATE "C",
    address TEXT COLLATE "C",
    method TEXT COLLATE "C" NOT NULL DEFAULT 'PASSWORD' CHECK (method IN ('PASSWORD', 'CODE', 'REGISTRATION', 'INVITE')),
    confirmed_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_user ON sessions (user_id, last_used_at);

CREATE TABLE tasks (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    assignee_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    category TEXT COLLATE "C",
    priority TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    -- a day of the farm's calendar, YYYY-MM-DD: overdue from the next day on
    due_date TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    rank BIGINT NOT NULL DEFAULT 0,
    about_kind TEXT COLLATE "C",
    about_id TEXT COLLATE "C",
    note TEXT COLLATE "C",
    CHECK (priority IN ('URGENT', 'HIGH', 'MEDIUM', 'LOW')),
    CHECK (status IN ('OPEN', 'IN_PROGRESS', 'IN_REVIEW', 'CLOSED'))
);
CREATE INDEX tasks_by_farm ON tasks (farm_id, status, rank);

CREATE TABLE notifications (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- ordered by time; the same for all who are told
    id TEXT COLLATE "C" NOT NULL,
    -- JSON: the kind and what it says
    body TEXT COLLATE "C" NOT NULL,
    -- what happens again and again stays one unread row
    topic TEXT COLLATE "C" NOT NULL,
    times BIGINT NOT NULL,
    at BIGINT NOT NULL,
    is_read BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, farm_id, id)
);
CREATE INDEX notifications_by_time ON notifications (farm_id, user_id, at);

CREATE TABLE codes (
    -- names the code in its hash, so that the hash of another code of the same digits differs
    challenge TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    contact TEXT COLLATE "C" NOT NULL,
    -- the device, else the address, that asked for it: nobody else can use it or use up its tries
    asker TEXT COLLATE "C" NOT NULL,
    -- whose limits it counts in: the device that has signed in with this contact before, else the address
    budget TEXT COLLATE "C" NOT NULL,
    -- whether that is such a device
    known BOOLEAN NOT NULL,
    -- HMAC-SHA256 under a key that is not in the database, hex; empty once used or void
    code_hash TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    tries_left BIGINT NOT NULL,
    failures BIGINT NOT NULL
);
CREATE INDEX codes_by_contact ON codes (contact, created_at);
CREATE INDEX codes_by_time ON codes (created_at);

CREATE TABLE devices (
    -- SHA-256 of the device's own secret, hex
    device_hash TEXT COLLATE "C" NOT NULL,
    contact TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (device_hash, contact)
);
CREATE INDEX devices_by_user ON devices (user_id, last_used_at);

CREATE TABLE idempotency (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT COLLATE "C" NOT NULL,
    -- SHA-256, hex, of method, path and body: the same key with another request is a mistake
    fingerprint TEXT COLLATE "C" NOT NULL,
    begun_at BIGINT NOT NULL,
    -- the answer, sealed: some carry a password or a link; null until there is one
    sealed BYTEA,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (begun_at);
CREATE INDEX idempotency_by_user ON idempotency (user_id, begun_at);

CREATE TABLE templates (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    crop TEXT COLLATE "C" NOT NULL,
    variety TEXT COLLATE "C",
    -- [{"name", "days", "setpoints": [{"sensorType", "min", "max"}]}]
    stages TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX templates_by_farm ON templates (farm_id);

CREATE TABLE crop_cycles (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    crop TEXT COLLATE "C" NOT NULL,
    variety TEXT COLLATE "C",
    -- the engine's; it may be gone from there
    zone_id TEXT COLLATE "C" NOT NULL,
    plants BIGINT,
    sown_on TEXT COLLATE "C",
    transplanted_on TEXT COLLATE "C",
    expected_harvest_on TEXT COLLATE "C",
    -- kilograms, and paise for one
    expected_yield BIGINT,
    expected_price BIGINT,
    ended_on TEXT COLLATE "C",
    stages TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX crop_cycles_by_farm ON crop_cycles (farm_id);

CREATE TABLE nurseries (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    crop TEXT COLLATE "C" NOT NULL,
    variety TEXT COLLATE "C",
    place TEXT COLLATE "C",
    trays BIGINT NOT NULL,
    cells_per_tray BIGINT NOT NULL,
    sown_on TEXT COLLATE "C" NOT NULL,
    -- seedlings
    germinated BIGINT,
    ready_on TEXT COLLATE "C",
    transplanted BIGINT,
    transplanted_on TEXT COLLATE "C",
    cycle_id TEXT COLLATE "C" REFERENCES crop_cycles (id),
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX nurseries_by_farm ON nurseries (farm_id);
CREATE INDEX nurseries_by_cycle ON nurseries (cycle_id);

CREATE TABLE inventory_items (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL,
    unit TEXT COLLATE "C" NOT NULL,
    lowest_stock BIGINT,
    note TEXT COLLATE "C",
    -- what the movements come to, written with each of them
    stock BIGINT NOT NULL DEFAULT 0,
    value BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, name)
);

CREATE TABLE stock_movements (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    item_id TEXT COLLATE "C" NOT NULL REFERENCES inventory_items (id),
    kind TEXT COLLATE "C" NOT NULL,
    moved_on TEXT COLLATE "C" NOT NULL,
    quantity BIGINT NOT NULL,
    -- of all that was bought
    cost BIGINT,
    cycle_id TEXT COLLATE "C" REFERENCES crop_cycles (id),
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX stock_movements_by_farm ON stock_movements (farm_id, moved_on);
CREATE INDEX stock_movements_by_item ON stock_movements (item_id);
CREATE INDEX stock_movements_by_cycle ON stock_movements (cycle_id);

CREATE TABLE harvests (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    cycle_id TEXT COLLATE "C" NOT NULL REFERENCES crop_cycles (id),
    harvested_on TEXT COLLATE "C" NOT NULL,
    -- kilograms
    weight BIGINT NOT NULL,
    grade TEXT COLLATE "C" NOT NULL,
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX harvests_by_farm ON harvests (farm_id, harvested_on);
CREATE INDEX harvests_by_cycle ON harvests (cycle_id);

CREATE TABLE sales (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    buyer TEXT COLLATE "C" NOT NULL,
    sold_on TEXT COLLATE "C" NOT NULL,
    -- [{"what", "grade", "cycleId", "quantity", "unit", "pricePaise"}]
    lines TEXT COLLATE "C" NOT NULL,
    -- what the lines come to
    total BIGINT NOT NULL,
    paid BIGINT NOT NULL,
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX sales_by_farm ON sales (farm_id, sold_on);

CREATE TABLE expenses (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    what TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL,
    spent_on TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    cycle_id TEXT COLLATE "C" REFERENCES crop_cycles (id),
    note TEXT COLLATE "C",
    created_at BIGINT NOT NULL
);
CREATE INDEX expenses_by_farm ON expenses (farm_id, spent_on);
CREATE INDEX expenses_by_cycle ON expenses (cycle_id);

CREATE TABLE memberships (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    is_active BOOLEAN NOT NULL DEFAULT TRUE,
    PRIMARY KEY (user_id, farm_id),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER', 'WORKER'))
);
CREATE INDEX memberships_by_farm ON memberships (farm_id);

CREATE TABLE invites (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- an e-mail address or a phone number, in the one spelling that users have
    email TEXT COLLATE "C",
    phone TEXT COLLATE "C",
    role TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of the tokens of its two links, hex: the one that is sent, and the one to pass on
    token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
    shared_hash TEXT COLLATE "C" UNIQUE,
    invited_by TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    accepted_at BIGINT,
    accepted_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    revoked_at BIGINT,
    CHECK ((email IS NULL) <> (phone IS NULL)),
    CHECK (role IN ('OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER', 'WORKER'))
);
CREATE INDEX invites_by_farm ON invites (farm_id, created_at);

CREATE TABLE grants (
    user_id TEXT COLLATE "C" NOT NULL,
    farm_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, farm_id, kind, id),
    -- goes with the membership, also to the account that keeps it when several become one
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE,
    CHECK (kind IN ('POLYHOUSE', 'DEVICE'))
);

CREATE TABLE task_photos (
    task_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- image/jpeg or image/webp
    media_type TEXT COLLATE "C" NOT NULL,
    bytes BYTEA NOT NULL,
    taken_by TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    taken_at BIGINT NOT NULL
);
CREATE INDEX task_photos_by_farm ON task_photos (farm_id, taken_at);

CREATE TABLE outbox (
    -- ordered by time; by it the gateway knows a message again that is sent a second time
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- cause, channel and recipient: there is one message of them
    cause TEXT COLLATE "C" NOT NULL UNIQUE,
    -- none of what belongs to no farm, such as codes
    farm_id TEXT COLLATE "C" REFERENCES farms (id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    recipient TEXT COLLATE "C" NOT NULL,
    channel TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    -- of an alert; of what carries a secret none
    title TEXT COLLATE "C" NOT NULL,
    -- the text and its secret, under a key that is not in the database; none once it is sent or given up
    sealed BYTEA,
    -- the code's challenge, the invite's id, the alert's id
    about TEXT COLLATE "C" NOT NULL,
    is_critical BOOLEAN NOT NULL,
    -- how many messages this one stands for
    times BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    -- why it waits or was given up: a word; and what the gateway answered, without texts of people
    reason TEXT COLLATE "C",
    answer TEXT COLLATE "C",
    attempts BIGINT NOT NULL,
    next_try_at BIGINT NOT NULL,
    -- not sent after this
    deadline BIGINT NOT NULL,
    -- the gateway's own name for it, which its receipts have
    gateway_id TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    sent_at BIGINT,
    changed_at BIGINT NOT NULL,
    raised_at BIGINT,
    step BIGINT,
    join_key TEXT COLLATE "C",
    joined_by TEXT COLLATE "C",
    units BIGINT NOT NULL DEFAULT 1,
    cost BIGINT,
    CHECK (channel IN ('EMAIL', 'SMS', 'WHATSAPP', 'WEBHOOK', 'PUSH')),
    CHECK (kind IN ('CODE', 'INVITE', 'NOTICE', 'ALERT', 'TEST')),
    CHECK (state IN ('QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED'))
);
CREATE INDEX outbox_due ON outbox (next_try_at) WHERE state = 'QUEUED';
CREATE INDEX outbox_by_recipient ON outbox (recipient, channel, created_at);
CREATE INDEX outbox_by_person ON outbox (user_id, created_at);
CREATE INDEX outbox_by_farm ON outbox (farm_id, id);
CREATE INDEX outbox_by_about ON outbox (about);
CREATE INDEX outbox_by_gateway_id ON outbox (gateway_id) WHERE gateway_id IS NOT NULL;

CREATE TABLE incidents (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    alert_id TEXT COLLATE "C" NOT NULL,
    raised_at BIGINT NOT NULL,
    -- JSON: what the alert was called and watched then
    watch TEXT COLLATE "C" NOT NULL,
    over_at BIGINT,
    -- how, where its condition did not end it
    ended TEXT COLLATE "C",
    PRIMARY KEY (farm_id, alert_id, raised_at)
);
CREATE INDEX incidents_by_time ON incidents (farm_id, raised_at);
CREATE INDEX incidents_open ON incidents (farm_id) WHERE over_at IS NULL;

CREATE TABLE incident_answers (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL,
    alert_id TEXT COLLATE "C" NOT NULL,
    raised_at BIGINT NOT NULL,
    -- who; the name stays when the account goes
    user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    user_name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    -- how much the alert mattered when it was answered
    severity TEXT COLLATE "C" NOT NULL,
    until BIGINT,
    note TEXT COLLATE "C",
    at BIGINT NOT NULL,
    way TEXT COLLATE "C",
    FOREIGN KEY (farm_id, alert_id, raised_at) REFERENCES incidents (farm_id, alert_id, raised_at) ON DELETE CASCADE,
    CHECK (kind IN ('on_it', 'acknowledge', 'snooze', 'false_alarm', 'reopen')),
    CHECK ((kind = 'snooze') = (until IS NOT NULL))
);
CREATE INDEX incident_answers_by_incident ON incident_answers (farm_id, alert_id, raised_at, id);

CREATE TABLE letter_choices (
    user_id TEXT COLLATE "C" NOT NULL,
    farm_id TEXT COLLATE "C" NOT NULL,
    is_told BOOLEAN NOT NULL,
    PRIMARY KEY (user_id, farm_id),
    -- goes with the membership, also to the account that keeps it when several become one
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE device_profiles (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    -- the id in the document
    profile_id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    -- as it was written: TOML
    document TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, profile_id)
);

CREATE TABLE derived_sensors (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    -- as it was written: JSON
    document TEXT COLLATE "C" NOT NULL,
    -- since when it is computed so, in milliseconds since 1970
    edited_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (farm_id, name)
);

CREATE TABLE lease_proofs (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    controller TEXT COLLATE "C" NOT NULL,
    -- the controller's own id of the device
    device TEXT COLLATE "C" NOT NULL,
    -- what its profile says of it: JSON
    control TEXT COLLATE "C" NOT NULL,
    -- in milliseconds since 1970
    proven_at BIGINT NOT NULL,
    proven_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (farm_id, controller, device)
);

CREATE TABLE controllers (
    -- 12 upper-case hex digits; unique over all farms
    mac TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of the secret, hex: the secret has 256 bits of its own, so no slow hash is needed
    secret_hash TEXT COLLATE "C" NOT NULL,
    -- the polyhouse (an id in the engine's document) or the reservoir that it serves
    polyhouse_id TEXT COLLATE "C",
    reservoir_id TEXT COLLATE "C" REFERENCES reservoirs (id) ON DELETE SET NULL,
    enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    password_at BIGINT,
    CHECK (kind IN ('POLYHOUSE', 'FERTIGATION', 'GATEWAY'))
);
CREATE INDEX controllers_by_farm ON controllers (farm_id);

CREATE TABLE tokens (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of the token, hex
    token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
    -- its first characters, by which people recognise it
    start TEXT COLLATE "C" NOT NULL,
    scope TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    -- as it was written down, which is not at every use
    last_used_at BIGINT,
    -- none of one that does not end by itself
    expires_at BIGINT,
    CHECK (scope IN ('READ', 'CONTROL'))
);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);

CREATE TABLE token_farms (
    token_id TEXT COLLATE "C" NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    user_id TEXT COLLATE "C" NOT NULL,
    farm_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (token_id, farm_id),
    FOREIGN KEY (user_id, farm_id) REFERENCES memberships (user_id, farm_id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX token_farms_by_member ON token_farms (user_id, farm_id);

CREATE TABLE chains (
    farm_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES farms (id) ON DELETE CASCADE,
    -- JSON: its steps
    steps TEXT COLLATE "C" NOT NULL
);

CREATE TABLE duties (
    farm_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
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
    user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- EMAIL, SMS, WHATSAPP with commas between; none leaves it to the alert
    ways TEXT COLLATE "C",
    -- minutes of the day of the farm that tells
    quiet_from BIGINT,
    quiet_to BIGINT,
    CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
    CHECK (quiet_from IS NULL OR quiet_from BETWEEN 0 AND 1439 AND quiet_to BETWEEN 0 AND 1439)
);

CREATE TABLE replies (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE INDEX replies_by_time ON replies (at);

CREATE TABLE outbox_parts (
    -- what is told, by which way and to whom: it is told once
    cause TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    message_id TEXT COLLATE "C" NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    farm_id TEXT COLLATE "C" NOT NULL,
    -- the alert's id, or `controller/` and the MAC of one that is offline
    subject TEXT COLLATE "C" NOT NULL,
    -- since when; with an alert it is an incident
    raised_at BIGINT,
    -- what the alert or the controller is called
    name TEXT COLLATE "C" NOT NULL,
    -- raised, repeated or over
    step TEXT COLLATE "C" NOT NULL,
    -- taken back before it was sent: another message tells it, or it has become needless
    is_out BOOLEAN NOT NULL DEFAULT FALSE,
    -- since when what it tells is over
    over_at BIGINT,
    CHECK (step IN ('raised', 'repeated', 'over'))
);
CREATE INDEX outbox_parts_by_message ON outbox_parts (message_id);
CREATE INDEX outbox_parts_by_subject ON outbox_parts (farm_id, subject, raised_at);

CREATE TABLE push_subscriptions (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- the sign-in in which it was asked for: one each, and it ends with it
    session_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    -- the address at the browser's push service
    endpoint TEXT COLLATE "C" NOT NULL UNIQUE,
    -- the browser's public key (65 bytes) and secret (16 bytes)
    p256dh BYTEA NOT NULL,
    auth BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    CHECK (length(endpoint) <= 1024),
    CHECK (length(p256dh) = 65),
    CHECK (length(auth) = 16)
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id);

CREATE TABLE effect_settings (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT COLLATE "C" NOT NULL,
    is_off BOOLEAN NOT NULL,
    -- what it is there for, the sensor in which it shows, and within how many minutes; null by its type
    kind TEXT COLLATE "C",
    sensor_id TEXT COLLATE "C",
    window_min BIGINT,
    PRIMARY KEY (farm_id, device_id)
);

CREATE TABLE effect_marks (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- worked, no_effect or cannot_tell
    mark TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    -- whether the signal did what it does, also where another device may have done it
    seen BOOLEAN NOT NULL,
    looks BIGINT NOT NULL,
    looked_at BIGINT NOT NULL,
    -- whether another look may change it
    is_open BOOLEAN NOT NULL,
    -- the ids of devices that were switched at the same time, as JSON
    company TEXT COLLATE "C" NOT NULL,
    -- the numbers, as JSON; null where there are none
    numbers TEXT COLLATE "C",
    PRIMARY KEY (farm_id, device_id, started_at)
);

CREATE TABLE effect_standings (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    device_id TEXT COLLATE "C" NOT NULL,
    -- of the latest runs that can be told, so many, so many worked
    told BIGINT NOT NULL,
    worked BIGINT NOT NULL,
    -- whether the latest run did what it does
    seen BOOLEAN NOT NULL,
    -- what is told of it where it does nothing, as JSON
    failing TEXT COLLATE "C",
    PRIMARY KEY (farm_id, device_id)
);

CREATE TABLE sensor_drifts (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    sensor_id TEXT COLLATE "C" NOT NULL,
    -- the other one, where nobody can say which of two it is
    or_other TEXT COLLATE "C",
    since BIGINT NOT NULL,
    -- in micro-units: how far it lies from its neighbours now and did before, and how far it may
    now_apart BIGINT NOT NULL,
    usual_apart BIGINT NOT NULL,
    at_most BIGINT NOT NULL,
    PRIMARY KEY (farm_id, sensor_id)
);

CREATE TABLE message_months (
    farm_id TEXT COLLATE "C" NOT NULL REFERENCES farms (id) ON DELETE CASCADE,
    month TEXT COLLATE "C" NOT NULL,
    channel TEXT COLLATE "C" NOT NULL,
    messages BIGINT NOT NULL,
    units BIGINT NOT NULL,
    cost BIGINT,
    PRIMARY KEY (farm_id, month, channel)
);

-- What is sent is counted by month, once.

CREATE FUNCTION count_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO message_months AS m (farm_id, month, channel, messages, units, cost)
    VALUES (NEW.farm_id, to_char(to_timestamp(NEW.sent_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM'), NEW.channel, 1, NEW.units, NEW.cost)
    ON CONFLICT (farm_id, month, channel) DO UPDATE SET
        messages = m.messages + 1,
        units = m.units + excluded.units,
        cost = CASE WHEN excluded.cost IS NULL THEN m.cost ELSE COALESCE(m.cost, 0) + excluded.cost END;
    RETURN NULL;
END $$;

CREATE TRIGGER message_is_sent AFTER UPDATE OF sent_at ON outbox FOR EACH ROW
WHEN (OLD.sent_at IS NULL AND NEW.sent_at IS NOT NULL AND NEW.farm_id IS NOT NULL)
EXECUTE FUNCTION count_message();

-- The audit log is appended to and nothing else: against mistakes, and against who reaches the SQL but not the schema.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END $$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_change();
