-- Several servers that share the records: which farms are whose, and where each takes what another one passes on. Without cells all is
-- of the cell ''.
ALTER TABLE farms ADD COLUMN cell TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX farms_by_cell ON farms (cell);

CREATE TABLE cells (
    cell TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    -- what its journals are called: no two have the same
    journal TEXT COLLATE "C" NOT NULL UNIQUE,
    -- where its server takes what is passed on; none of one that never did
    address TEXT COLLATE "C"
);

-- What the keys beside the records are known by: all servers have the same.
CREATE TABLE key_prints (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    print TEXT COLLATE "C" NOT NULL
);

CREATE TABLE notification_begins (
    cell TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    event_id BIGINT NOT NULL
);
INSERT INTO notification_begins (cell, event_id) SELECT '', event_id FROM notification_begin;
DROP TABLE notification_begin;

-- What servers have in memory is told to all of them: whose row changed, once a transaction.
CREATE FUNCTION tell_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed RECORD := COALESCE(NEW, OLD);
BEGIN
    PERFORM pg_notify('harit_records', TG_ARGV[0] || ' ' || (to_jsonb(changed) ->> TG_ARGV[1]));
    RETURN NULL;
END $$;

CREATE FUNCTION tell_of_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('harit_records', 'access');
    RETURN NULL;
END $$;

CREATE TRIGGER controllers_are_told AFTER INSERT OR UPDATE OR DELETE ON controllers FOR EACH ROW
EXECUTE FUNCTION tell_of_account('controller', 'mac');
CREATE TRIGGER integrations_are_told AFTER INSERT OR UPDATE OF secret_hash, enabled, label OR DELETE ON integrations FOR EACH ROW
EXECUTE FUNCTION tell_of_account('integration', 'name');
CREATE TRIGGER ended_sessions_are_told AFTER DELETE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION tell_of_access();
CREATE TRIGGER memberships_are_told AFTER UPDATE OR DELETE ON memberships FOR EACH STATEMENT EXECUTE FUNCTION tell_of_access();
CREATE TRIGGER users_are_told AFTER UPDATE OF is_active, password_hash ON users FOR EACH STATEMENT EXECUTE FUNCTION tell_of_access();
