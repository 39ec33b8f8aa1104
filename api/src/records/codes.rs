//! One-time codes: one row a contact. The limits are in the statements themselves, so they hold over a restart and for
//! requests that come at the same time.

use sqlx::FromRow;
use subtle::ConstantTimeEq;

use super::Records;
use super::db::on;
use crate::auth::{Contact, hex};

/// How long a code is good.
pub(crate) const CODE_LIFE_MS: i64 = 5 * 60 * 1_000;
/// Wrong tries after which a code is void.
pub(crate) const TRIES: i64 = 5;
/// A further code can be asked for after this time.
pub(crate) const RESEND_MS: i64 = 60 * 1_000;
/// Within this time a contact gets at most five codes: as many as there are `sent_` columns.
const WINDOW_MS: i64 = 3_600 * 1_000;
/// Wrong tries of a contact in a day, over all its codes: a guesser has 3 in 100,000 a day.
const FAILURES_PER_DAY: i64 = 30;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// What became of the wish for a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeIssue {
    Issued,
    /// Too many were asked for; the next one is possible after so many seconds.
    Wait(u64),
}

#[derive(FromRow)]
struct Limits {
    sent_1: i64,
    sent_5: i64,
    failures: i64,
    failures_since: i64,
}

impl Records {
    fn code_hash(&self, contact: &Contact, challenge: &str, code: &str) -> String {
        let parts = [
            challenge.as_bytes(),
            b"|",
            contact.key().as_bytes(),
            b"|",
            code.as_bytes(),
        ];
        hex(&self.pepper.hmac(&parts))
    }

    /// Puts a code in place of the contact's last one, if the limits allow.
    pub(crate) async fn issue_code(
        &self,
        contact: &Contact,
        code: &str,
        now: i64,
    ) -> Result<CodeIssue, sqlx::Error> {
        const FORGET: &str = "DELETE FROM codes WHERE sent_1 < $1 AND failures_since < $1";
        const ISSUE: &str = "INSERT INTO codes (contact, challenge, code_hash, expires_at, tries_left, \
                             sent_1, sent_2, sent_3, sent_4, sent_5, failures, failures_since) \
                             VALUES ($1, $2, $3, $4, $5, $6, 0, 0, 0, 0, 0, $6) \
                             ON CONFLICT (contact) DO UPDATE SET challenge = excluded.challenge, code_hash = excluded.code_hash, \
                             expires_at = excluded.expires_at, tries_left = excluded.tries_left, sent_1 = excluded.sent_1, \
                             sent_2 = codes.sent_1, sent_3 = codes.sent_2, sent_4 = codes.sent_3, sent_5 = codes.sent_4, \
                             failures = CASE WHEN codes.failures_since <= $9 THEN 0 ELSE codes.failures END, \
                             failures_since = CASE WHEN codes.failures_since <= $9 THEN excluded.sent_1 ELSE codes.failures_since END \
                             WHERE codes.sent_1 <= $7 AND codes.sent_5 <= $8 AND (codes.failures < $10 OR codes.failures_since <= $9)";
        const LIMITS: &str =
            "SELECT sent_1, sent_5, failures, failures_since FROM codes WHERE contact = $1";
        let challenge = super::new_id();
        let hash = self.code_hash(contact, &challenge, code);
        let limits: Option<Limits> = on!(&self.db, write p => {
            let mut tx = p.begin().await?;
            sqlx::query(FORGET).bind(now - DAY_MS).execute(&mut *tx).await?;
            let issued = sqlx::query(ISSUE).bind(contact.key()).bind(&challenge).bind(&hash).bind(now + CODE_LIFE_MS)
                .bind(TRIES).bind(now).bind(now - RESEND_MS).bind(now - WINDOW_MS).bind(now - DAY_MS).bind(FAILURES_PER_DAY)
                .execute(&mut *tx).await?.rows_affected();
            let limits = if issued > 0 {
                None
            } else {
                sqlx::query_as(LIMITS).bind(contact.key()).fetch_optional(&mut *tx).await?
            };
            tx.commit().await?;
            limits
        });
        Ok(limits.map_or(CodeIssue::Issued, |l| {
            let mut until = (l.sent_1 + RESEND_MS).max(l.sent_5 + WINDOW_MS);
            if l.failures >= FAILURES_PER_DAY {
                until = until.max(l.failures_since + DAY_MS);
            }
            CodeIssue::Wait(
                u64::try_from((until - now + 999) / 1_000)
                    .unwrap_or(1)
                    .max(1),
            )
        }))
    }

    /// Whether it is the contact's code: true once. A try is taken before the code is looked at, in one statement, so that
    /// tries that come at the same time are counted one by one.
    pub(crate) async fn use_code(
        &self,
        contact: &Contact,
        code: &str,
        now: i64,
    ) -> Result<bool, sqlx::Error> {
        const TAKE: &str = "UPDATE codes SET tries_left = tries_left - 1, failures = failures + 1 \
                            WHERE contact = $1 AND tries_left > 0 AND expires_at > $2 AND code_hash <> '' AND failures < $3 \
                            RETURNING challenge, code_hash";
        const USED: &str = "UPDATE codes SET code_hash = '', tries_left = 0, failures = failures - 1 \
                            WHERE contact = $1 AND challenge = $2 AND code_hash <> ''";
        Ok(on!(&self.db, write p => {
            let mut tx = p.begin().await?;
            let taken: Option<(String, String)> = sqlx::query_as(TAKE).bind(contact.key()).bind(now).bind(FAILURES_PER_DAY)
                .fetch_optional(&mut *tx).await?;
            let right = match taken {
                Some((challenge, hash)) => {
                    let given = self.code_hash(contact, &challenge, code);
                    bool::from(given.as_bytes().ct_eq(hash.as_bytes()))
                        && sqlx::query(USED).bind(contact.key()).bind(&challenge).execute(&mut *tx).await?.rows_affected() == 1
                }
                None => false,
            };
            tx.commit().await?;
            right
        }))
    }
}
