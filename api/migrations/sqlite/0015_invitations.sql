-- What becomes of an invitation, and a second link of it that who invites passes on himself.
ALTER TABLE invites ADD COLUMN accepted_by TEXT REFERENCES users (id) ON DELETE SET NULL;
-- SHA-256 of that link's token, hex. It shows nobody that the contact is theirs.
ALTER TABLE invites ADD COLUMN shared_hash TEXT;

CREATE UNIQUE INDEX invites_by_shared_hash ON invites (shared_hash);
