//! Who is told of alerts, as it is stored: a farm's chain and roster, what each person chose, and who was told of an incident.

use sqlx::FromRow;

use super::{FarmRecords, OwnWrite, Records, Write};
use crate::delivery::Channel;
use crate::escalation::{Chain, Duty, Hours, Member, Times};
use crate::incidents::IncidentId;
use crate::language::Language;
use crate::records::sql;
use crate::role::Role;

/// Every day of the week.
const ALL_DAYS: i64 = 127;
/// What was answered by a gateway is known for this long.
const REPLIES_KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// What somebody chose of how they are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToldChoice {
    /// None leaves it to the alert.
    pub ways: Option<Vec<Channel>>,
    /// From and to, in minutes of the day.
    pub quiet: Option<(i64, i64)>,
}

/// A message that told somebody of an incident.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct ToldMessage {
    pub id: String,
    /// The step of the chain; none of an alert's own subscribers.
    pub step: Option<i64>,
    pub user_id: Option<String>,
    pub name: Option<String>,
    pub channel: String,
    pub state: String,
    pub reason: Option<String>,
    pub created_at: i64,
    pub next_try_at: i64,
    pub sent_at: Option<i64>,
}

#[derive(FromRow)]
struct MemberRow {
    id: String,
    name: String,
    role: String,
    language: String,
    email: Option<String>,
    phone: Option<String>,
    ways: Option<String>,
    quiet_from: Option<i64>,
    quiet_to: Option<i64>,
    /// Their ids, as JSON.
    browsers: String,
}

fn ways(text: &str) -> Vec<Channel> {
    text.split(',').filter_map(Channel::parse).collect()
}

impl MemberRow {
    fn read(self) -> Option<Member> {
        let quiet = self.quiet_from.zip(self.quiet_to);
        Some(Member {
            role: Role::parse(&self.role)?,
            language: Language::parse(&self.language).unwrap_or_default(),
            ways: self.ways.as_deref().map(ways),
            quiet: quiet.and_then(|(from, to)| Hours::new(ALL_DAYS, from, to)),
            browsers: serde_json::from_str(&self.browsers).ok()?,
            id: self.id,
            name: self.name,
            email: self.email,
            phone: self.phone,
        })
    }
}

/// The people of a farm who are let in, by name.
pub(super) async fn members(
    database: impl sql::Executor<'_>,
    farm: &str,
) -> Result<Vec<Member>, sqlx::Error> {
    const Q: &str = "SELECT u.id, u.name, m.role, u.language, u.email, u.phone, c.ways, c.quiet_from, c.quiet_to, \
        (SELECT json_group_array(p.id) FROM push_subscriptions p JOIN sessions s ON s.id = p.session_id \
         WHERE p.user_id = u.id AND s.expires_at > $2) AS browsers FROM memberships m JOIN users u ON u.id = m.user_id LEFT JOIN told_choices c ON c.user_id = u.id \
        WHERE m.farm_id = $1 AND m.is_active AND u.is_active ORDER BY u.name, u.id";
    let rows: Vec<MemberRow> = sql::query_as(Q)
        .bind(farm)
        .bind(super::now_ms())
        .fetch_all(database)
        .await?;
    Ok(rows.into_iter().filter_map(MemberRow::read).collect())
}

/// The clock of a farm.
pub(super) async fn times(
    database: impl sql::Executor<'_>,
    farm: &str,
) -> Result<Times, sqlx::Error> {
    const Q: &str = "SELECT timezone FROM farms WHERE id = $1";
    let zone: Option<(String,)> = sql::query_as(Q).bind(farm).fetch_optional(database).await?;
    Ok(Times::of(zone.as_ref().map_or("", |(z,)| z)))
}

impl FarmRecords {
    /// The people of the farm who are let in, by name.
    pub(crate) async fn members(&self) -> Result<Vec<Member>, sqlx::Error> {
        members(self.reader(), self.farm()).await
    }

    /// The farm's clock.
    pub(crate) async fn times(&self) -> Result<Times, sqlx::Error> {
        times(self.reader(), self.farm()).await
    }

    /// The farm's chain; none where nobody has written one.
    pub(crate) async fn chain(&self) -> Result<Option<Chain>, sqlx::Error> {
        const Q: &str = "SELECT steps FROM chains WHERE farm_id = $1";
        let row: Option<(String,)> = sql::query_as(Q)
            .bind(self.farm())
            .fetch_optional(self.reader())
            .await?;
        let read = |(steps,): (String,)| serde_json::from_str(&steps);
        row.map(read)
            .transpose()
            .map_err(|e| sqlx::Error::Decode(e.into()))
    }

    /// Who is on duty when, in the order in which it was written.
    pub(crate) async fn duties(&self) -> Result<Vec<Duty>, sqlx::Error> {
        const Q: &str = "SELECT user_id, days, from_min, to_min FROM duties WHERE farm_id = $1 ORDER BY position";
        let rows: Vec<(String, i64, i64, i64)> = sql::query_as(Q)
            .bind(self.farm())
            .fetch_all(self.reader())
            .await?;
        let duty = |(user_id, days, from, to)| {
            let hours = Hours::new(days, from, to)?;
            Some(Duty { user_id, hours })
        };
        Ok(rows.into_iter().filter_map(duty).collect())
    }

    /// The messages that told people of an incident, oldest first; the webhook's are the operator's matter.
    pub(crate) async fn told_of(&self, id: &IncidentId) -> Result<Vec<ToldMessage>, sqlx::Error> {
        const Q: &str = "SELECT o.id, o.step, o.user_id, u.name, o.channel, o.state, o.reason, o.created_at, o.next_try_at, o.sent_at \
            FROM outbox o LEFT JOIN users u ON u.id = o.user_id \
            WHERE o.id IN (SELECT p.message_id FROM outbox_parts p WHERE p.farm_id = $1 AND p.subject = $2 AND p.raised_at = $3 \
            AND (NOT p.is_out OR o.state = 'FAILED')) AND o.channel <> 'WEBHOOK' ORDER BY o.id LIMIT 500";
        sql::query_as(Q)
            .bind(self.farm())
            .bind(&id.alert)
            .bind(id.raised_at)
            .fetch_all(self.reader())
            .await
    }
}

impl Write {
    /// Puts a chain and a roster in place of what was there; the people of the roster belong to the farm.
    pub(crate) async fn set_chain(
        &mut self,
        chain: &Chain,
        duties: &[Duty],
    ) -> Result<(), sqlx::Error> {
        const CHAIN: &str = "INSERT INTO chains (farm_id, steps) VALUES ($1, $2) \
            ON CONFLICT (farm_id) DO UPDATE SET steps = excluded.steps";
        const CLEAR: &str = "DELETE FROM duties WHERE farm_id = $1";
        const DUTY: &str = "INSERT INTO duties (farm_id, user_id, position, days, from_min, to_min) VALUES ($1, $2, $3, $4, $5, $6)";
        let steps = serde_json::to_string(chain).map_err(|e| sqlx::Error::Encode(e.into()))?;
        let (farm, tx) = self.parts();
        sql::query(CHAIN)
            .bind(farm)
            .bind(steps)
            .execute(&mut *tx)
            .await?;
        sql::query(CLEAR).bind(farm).execute(&mut *tx).await?;
        for (position, Duty { user_id, hours }) in (0_i64..).zip(duties) {
            sql::query(DUTY)
                .bind(farm)
                .bind(user_id)
                .bind(position)
                .bind(hours.days)
                .bind(hours.from)
                .bind(hours.to)
                .execute(&mut *tx)
                .await?;
        }
        Ok(())
    }
}

impl Records {
    /// What somebody chose of how they are told.
    pub(crate) async fn told_choice(&self, user_id: &str) -> Result<ToldChoice, sqlx::Error> {
        const Q: &str = "SELECT ways, quiet_from, quiet_to FROM told_choices WHERE user_id = $1";
        let row: Option<(Option<String>, Option<i64>, Option<i64>)> = sql::query_as(Q)
            .bind(user_id)
            .fetch_optional(&self.db.readers)
            .await?;
        let read = |(chosen, from, to): (Option<String>, Option<i64>, Option<i64>)| ToldChoice {
            ways: chosen.as_deref().map(ways),
            quiet: from.zip(to),
        };
        Ok(row.map(read).unwrap_or_default())
    }
}

impl Records {
    /// Whether somebody's answer was carried out before: by the gateway's own name for it.
    pub(crate) async fn is_known_reply(
        &self,
        channel: Channel,
        id: &str,
    ) -> Result<bool, sqlx::Error> {
        const Q: &str = "SELECT 1 FROM replies WHERE id = $1";
        let known = sql::query(Q).bind(format!("{}/{id}", channel.as_str()));
        Ok(known.fetch_optional(&self.db.writer).await?.is_some())
    }

    /// Remembers that it was, for longer than gateways try again.
    pub(crate) async fn know_reply(
        &self,
        channel: Channel,
        id: &str,
        now: i64,
    ) -> Result<(), sqlx::Error> {
        const OLD: &str = "DELETE FROM replies WHERE at < $1";
        const Q: &str = "INSERT INTO replies (id, at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING";
        sql::query(OLD)
            .bind(now - REPLIES_KEPT_MS)
            .execute(&self.db.writer)
            .await?;
        sql::query(Q)
            .bind(format!("{}/{id}", channel.as_str()))
            .bind(now)
            .execute(&self.db.writer)
            .await
            .map(drop)
    }
}

impl OwnWrite {
    /// Keeps what somebody chose of how they are told.
    pub(crate) async fn choose_told(&mut self, choice: &ToldChoice) -> Result<(), sqlx::Error> {
        const Q: &str = "INSERT INTO told_choices (user_id, ways, quiet_from, quiet_to) VALUES ($1, $2, $3, $4) \
            ON CONFLICT (user_id) DO UPDATE SET ways = excluded.ways, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to";
        let ways = choice.ways.as_ref().map(|ways| {
            let words: Vec<&str> = ways.iter().map(|w| w.as_str()).collect();
            words.join(",")
        });
        let (user, tx) = self.parts();
        sql::query(Q)
            .bind(user)
            .bind(ways)
            .bind(choice.quiet.map(|q| q.0))
            .bind(choice.quiet.map(|q| q.1))
            .execute(tx)
            .await
            .map(drop)
    }
}
