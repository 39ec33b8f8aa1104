//! The link of a message by which its recipient answers without signing in: it names the message, so one incident, one person and
//! the contact that was told, and the minute after which it counts no more, under a code that only this server can make.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use sqlx::FromRow;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::super::Records;
use crate::delivery::Channel;
use crate::incidents::IncidentId;
use crate::records::sql;
use crate::secret::Key;

/// A link counts for this long after its message was written.
const LIFE_MIN: i64 = 24 * 60;
const MINUTE_MS: i64 = 60_000;
/// Keeps these codes apart from all others under the same key.
const PURPOSE: &[u8] = b"answer an incident\0";
const ID_BYTES: usize = 16;
const MINUTE_BYTES: usize = 4;
const CODE_BYTES: usize = 16;

/// Why a link does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadLink {
    /// Nobody here made it.
    Forged,
    /// Its time is over.
    Expired,
    /// Its message is gone, or its contact is the person's no longer.
    Gone,
}

impl BadLink {
    /// As it is counted.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Forged => "forged",
            Self::Expired => "expired",
            Self::Gone => "gone",
        }
    }
}

/// Who was told of which incidents by a message, and by which way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToldBy {
    pub message: String,
    pub farm: String,
    pub user: String,
    /// At least one; the first is the one that the message began with.
    pub incidents: Vec<IncidentId>,
    pub channel: Channel,
}

/// A message and one of the incidents that it tells.
#[derive(FromRow)]
struct Row {
    id: String,
    farm_id: String,
    user_id: String,
    subject: String,
    raised_at: i64,
    channel: String,
}

/// The message of rows that are all of one.
fn read(rows: Vec<Row>) -> Option<ToldBy> {
    let incident = |r: &Row| IncidentId::new(&r.subject, r.raised_at);
    let incidents = rows.iter().map(incident).collect();
    let first = rows.into_iter().next()?;
    Some(ToldBy {
        channel: Channel::parse(&first.channel)?,
        incidents,
        message: first.id,
        farm: first.farm_id,
        user: first.user_id,
    })
}

fn code(key: &Key, id: &[u8], minute: &[u8]) -> [u8; 32] {
    key.hmac(&[PURPOSE, id, minute])
}

/// The token of a message's link; none where its id is no UUID or the instant is before 1970.
fn token(key: &Key, message: &str, now: i64) -> Option<String> {
    let id = Uuid::try_parse(message).ok()?;
    let minute = u32::try_from(now / MINUTE_MS + LIFE_MIN).ok()?;
    let minute = minute.to_be_bytes();
    let code = code(key, id.as_bytes(), &minute);
    let bytes = [id.as_bytes().as_slice(), &minute, &code[..CODE_BYTES]].concat();
    Some(BASE64.encode(bytes))
}

/// The message that a token names.
fn message(key: &Key, token: &str, now: i64) -> Result<String, BadLink> {
    let bytes = BASE64.decode(token).map_err(|_| BadLink::Forged)?;
    if bytes.len() != ID_BYTES + MINUTE_BYTES + CODE_BYTES {
        return Err(BadLink::Forged);
    }
    let (id, rest) = bytes.split_at(ID_BYTES);
    let (minute, given) = rest.split_at(MINUTE_BYTES);
    let right = code(key, id, minute);
    if !bool::from(right[..CODE_BYTES].ct_eq(given)) {
        return Err(BadLink::Forged);
    }
    let minute = minute.iter().fold(0, |m, b| m * 256 + i64::from(*b));
    if now / MINUTE_MS >= minute {
        return Err(BadLink::Expired);
    }
    let id = Uuid::from_slice(id).map_err(|_| BadLink::Forged)?;
    Ok(id.to_string())
}

/// A message of an alert that still counts as told: its contact is the person's, who is let in.
macro_rules! told {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.farm_id, o.user_id, p.subject, p.raised_at, o.channel FROM outbox o JOIN users u ON u.id = o.user_id \
             JOIN memberships m ON m.user_id = u.id AND m.farm_id = o.farm_id JOIN outbox_parts p ON p.message_id = o.id \
             WHERE o.kind = 'ALERT' AND p.raised_at IS NOT NULL AND NOT p.is_out AND p.step <> 'over' \
             AND p.subject NOT LIKE 'controller/%' AND u.is_active AND m.is_active \
             AND CASE o.channel WHEN 'EMAIL' THEN o.recipient = u.email \
             WHEN 'PUSH' THEN EXISTS (SELECT 1 FROM push_subscriptions b WHERE b.id = o.recipient AND b.user_id = u.id) \
             ELSE o.recipient = u.phone END ",
            $rest,
            " ORDER BY p.subject <> o.about, p.raised_at, p.subject"
        )
    };
}

impl Records {
    /// Where the recipient of a message answers; none where the server does not know its own address.
    pub(super) fn answer_link(&self, message: &str, now: i64) -> Option<String> {
        let token = token(&self.pepper, message, now)?;
        self.ways.link(&format!("/a/{token}"))
    }

    /// Whom a link's message told of what.
    pub(crate) async fn told_by_link(
        &self,
        token: &str,
        now: i64,
    ) -> Result<Result<ToldBy, BadLink>, sqlx::Error> {
        const Q: &str = told!("AND o.id = $1");
        let id = match message(&self.pepper, token, now) {
            Ok(id) => id,
            Err(bad) => return Ok(Err(bad)),
        };
        let rows: Vec<Row> = sql::query_as(Q)
            .bind(id)
            .fetch_all(&self.db.readers)
            .await?;
        Ok(read(rows).ok_or(BadLink::Gone))
    }

    /// Whom the message told that a gateway calls so.
    pub(crate) async fn told_by_gateway(
        &self,
        channel: Channel,
        gateway_id: &str,
        from: &str,
        since: i64,
    ) -> Result<Option<ToldBy>, sqlx::Error> {
        const Q: &str = told!(
            "AND o.id = (SELECT l.id FROM outbox l WHERE l.gateway_id = $1 AND l.channel = $2 AND l.recipient = $3 \
             AND l.created_at >= $4 ORDER BY l.id DESC LIMIT 1)"
        );
        let rows: Vec<Row> = sql::query_as(Q)
            .bind(gateway_id)
            .bind(channel.as_str())
            .bind(from)
            .bind(since)
            .fetch_all(&self.db.readers)
            .await?;
        Ok(read(rows))
    }

    /// What a contact was told last by a way, of incidents that are not over: a number answers in words without naming which.
    pub(crate) async fn told_last(
        &self,
        channel: Channel,
        from: &str,
        since: i64,
    ) -> Result<Option<ToldBy>, sqlx::Error> {
        const Q: &str = told!(
            "AND o.id = (SELECT l.id FROM outbox l JOIN outbox_parts q ON q.message_id = l.id \
             JOIN incidents i ON i.farm_id = l.farm_id AND i.alert_id = q.subject AND i.raised_at = q.raised_at \
             WHERE l.channel = $1 AND l.recipient = $2 AND l.created_at >= $3 AND l.state IN ('SENT', 'DELIVERED', 'READ') \
             AND NOT q.is_out AND q.step <> 'over' AND i.over_at IS NULL ORDER BY l.id DESC LIMIT 1)"
        );
        let rows: Vec<Row> = sql::query_as(Q)
            .bind(channel.as_str())
            .bind(from)
            .bind(since)
            .fetch_all(&self.db.readers)
            .await?;
        Ok(read(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        let dir = tempfile::TempDir::new().expect("a directory");
        Key::open(&dir.path().join("a.key"), true).expect("a key")
    }

    #[test]
    fn a_link_names_its_message_until_its_time_is_over_and_nobody_else_can_make_one() {
        let (key, other) = (key(), key());
        let id = crate::records::new_id();
        let now = 1_795_000_000_000;
        let made = token(&key, &id, now).expect("a token");
        assert!(made.len() <= 48, "it has to fit into an SMS: {made}");
        let end = (now / MINUTE_MS + LIFE_MIN) * MINUTE_MS;
        assert_eq!(message(&key, &made, now), Ok(id.clone()));
        assert_eq!(message(&key, &made, end - 1), Ok(id));
        assert_eq!(message(&key, &made, end), Err(BadLink::Expired));
        assert_eq!(message(&other, &made, now), Err(BadLink::Forged));
        let bytes = BASE64.decode(&made).expect("base64");
        for n in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[n] ^= 1;
            let changed = BASE64.encode(changed);
            assert_eq!(
                message(&key, &changed, now),
                Err(BadLink::Forged),
                "byte {n}"
            );
        }
        for junk in ["", "a", "%00", &made[..40]] {
            assert_eq!(message(&key, junk, now), Err(BadLink::Forged), "{junk}");
        }
    }
}
