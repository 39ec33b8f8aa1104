//! One-time codes: a row a code, kept for a day, over which everything is counted. Whoever asks for a code is the only one who
//! can use it or use up its tries, so a stranger who asks, or guesses, spoils nobody else's.

use sqlx::FromRow;
use subtle::ConstantTimeEq;

use super::{Records, outbox};
use crate::contact::Contact;
use crate::records::sql;
use crate::secret::hex;

/// How long a code is good.
pub(crate) const CODE_LIFE_MS: i64 = 5 * 60 * 1_000;
/// Wrong tries after which a code is void.
pub(crate) const TRIES: i64 = 5;
/// A further code can be asked for after this time.
pub(crate) const RESEND_MS: i64 = 60 * 1_000;
const WINDOW_MS: i64 = 3_600 * 1_000;
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// Codes of a contact that one address, or one known device, gets within [`WINDOW_MS`].
const CODES: usize = 5;
/// Codes of a contact that all strangers together get within [`WINDOW_MS`].
const STRANGERS_CODES: usize = 20;
/// Wrong tries for a contact in a day, from one address or one known device.
const FAILURES: i64 = 30;
/// Wrong tries for a contact in a day, from all strangers together: they find one code in 10,000 in a day.
const STRANGERS_FAILURES: i64 = 100;

/// Who asks for a code, or uses one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asker {
    /// The device's hash, else the address: the code is for nobody else.
    pub id: String,
    /// In whose limits it counts: a known device's own, else the address's.
    pub budget: String,
    /// Whether the device has signed in with the contact before.
    pub known: bool,
}

/// What became of the wish for a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeIssue {
    /// The code's challenge.
    Issued(String),
    /// Too many were asked for; the next one is possible after so many seconds.
    Wait(u64),
}

/// A code of the last day.
#[derive(Debug, FromRow)]
struct Issued {
    created_at: i64,
    budget: String,
    known: bool,
    failures: i64,
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

    /// Puts a code in place of the one that the same asker got before, if the limits allow.
    pub(crate) async fn issue_code(
        &self,
        contact: &Contact,
        code: &str,
        asker: &Asker,
        now: i64,
    ) -> Result<CodeIssue, sqlx::Error> {
        const FORGET: &str = "DELETE FROM codes WHERE created_at < $1";
        const DAY: &str = "SELECT created_at, budget, known, failures FROM codes WHERE contact = $1 ORDER BY created_at DESC";
        const VOID: &str =
            "UPDATE codes SET code_hash = '' WHERE contact = $1 AND asker = $2 AND code_hash <> ''";
        const ISSUE: &str = "INSERT INTO codes (challenge, contact, asker, budget, known, code_hash, created_at, expires_at, tries_left, failures) \
                             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)";
        let challenge = super::new_id();
        let hash = self.code_hash(contact, &challenge, code);
        let until = {
            let mut tx = self.db.write().await?;
            sql::query(FORGET)
                .bind(now - DAY_MS)
                .execute(&mut *tx)
                .await?;
            let day: Vec<Issued> = sql::query_as(DAY)
                .bind(contact.key())
                .fetch_all(&mut *tx)
                .await?;
            let until = next_one(&day, asker);
            if until <= now {
                sql::query(VOID)
                    .bind(contact.key())
                    .bind(&asker.id)
                    .execute(&mut *tx)
                    .await?;
                sql::query(ISSUE)
                    .bind(&challenge)
                    .bind(contact.key())
                    .bind(&asker.id)
                    .bind(&asker.budget)
                    .bind(asker.known)
                    .bind(&hash)
                    .bind(now)
                    .bind(now + CODE_LIFE_MS)
                    .bind(TRIES)
                    .execute(&mut *tx)
                    .await?;
            }
            tx.commit().await?;
            until
        };
        if until <= now {
            return Ok(CodeIssue::Issued(challenge));
        }
        let seconds = u64::try_from((until - now + 999) / 1_000).unwrap_or(1);
        Ok(CodeIssue::Wait(seconds.max(1)))
    }

    /// Whether it is the code that the asker got for the contact: true once. A try is taken before the code is looked at, in
    /// one statement, so that tries that come at the same time are counted one by one.
    pub(crate) async fn use_code(
        &self,
        contact: &Contact,
        code: &str,
        asker: &str,
        now: i64,
    ) -> Result<bool, sqlx::Error> {
        const TAKE: &str = "UPDATE codes SET tries_left = tries_left - 1, failures = failures + 1 \
                            WHERE contact = $1 AND asker = $2 AND tries_left > 0 AND expires_at > $3 AND code_hash <> '' \
                            RETURNING challenge, code_hash";
        const USED: &str = "UPDATE codes SET code_hash = '', tries_left = 0, failures = failures - 1 WHERE challenge = $1 AND code_hash <> ''";
        Ok({
            let mut tx = self.db.write().await?;
            let taken: Option<(String, String)> = sql::query_as(TAKE)
                .bind(contact.key())
                .bind(asker)
                .bind(now)
                .fetch_optional(&mut *tx)
                .await?;
            let right = match taken {
                Some((challenge, hash)) => {
                    let given = self.code_hash(contact, &challenge, code);
                    let right = bool::from(given.as_bytes().ct_eq(hash.as_bytes()))
                        && sql::query(USED)
                            .bind(&challenge)
                            .execute(&mut *tx)
                            .await?
                            .rows_affected()
                            == 1;
                    if right {
                        outbox::erase(&mut tx, &challenge, now).await?;
                    }
                    right
                }
                None => false,
            };
            tx.commit().await?;
            right
        })
    }
}

/// From when on the asker may have another code; `day` has the contact's codes of the last day, the latest first.
fn next_one(day: &[Issued], asker: &Asker) -> i64 {
    let mine = || day.iter().filter(|c| c.budget == asker.budget);
    let strangers = || day.iter().filter(|c| !c.known && !asker.known);
    let last = mine().next().map_or(0, |c| c.created_at + RESEND_MS);
    let full = |codes: &mut dyn Iterator<Item = &Issued>, n: usize| {
        codes.nth(n - 1).map_or(0, |c| c.created_at + WINDOW_MS)
    };
    let guessed = |codes: &mut dyn Iterator<Item = &Issued>, n: i64| {
        let wrong: Vec<_> = codes.filter(|c| c.failures > 0).collect();
        let first = wrong.last().map_or(0, |c| c.created_at + DAY_MS);
        let failures: i64 = wrong.iter().map(|c| c.failures).sum();
        if failures >= n { first } else { 0 }
    };
    [
        last,
        full(&mut mine(), CODES),
        full(&mut strangers(), STRANGERS_CODES),
        guessed(&mut mine(), FAILURES),
        guessed(&mut strangers(), STRANGERS_FAILURES),
    ]
    .into_iter()
    .max()
    .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: i64 = 1_000_000_000_000;

    fn asker(budget: &str, known: bool) -> Asker {
        Asker {
            id: budget.to_owned(),
            budget: budget.to_owned(),
            known,
        }
    }

    fn issued(budget: &str, known: bool, ago_ms: i64, failures: i64) -> Issued {
        Issued {
            created_at: T0 - ago_ms,
            budget: budget.to_owned(),
            known,
            failures,
        }
    }

    #[test]
    fn strangers_use_up_their_own_limits_and_those_of_strangers() {
        let (home, cafe) = (asker("device", true), asker("192.0.2.1", false));
        // four addresses ask as often as they may, and guess
        let mut day = Vec::new();
        for n in 0..STRANGERS_CODES {
            let address = format!("198.51.100.{}", n % 4);
            let ago = 70_000 * i64::try_from(n).expect("few");
            day.push(issued(&address, false, ago, TRIES));
        }
        assert!(next_one(&day, &cafe) > T0);
        assert_eq!(next_one(&day, &home), 0);
        // the device's own limits hold
        day.insert(0, issued("device", true, 1_000, 0));
        assert_eq!(next_one(&day, &home), T0 - 1_000 + RESEND_MS);
        let own: Vec<_> = (0..6)
            .map(|n| issued("device", true, n * 3_700_000, TRIES))
            .collect();
        assert!(next_one(&own, &home) > T0 + 60_000_000);
        // and one address alone does not use up what strangers have
        let one: Vec<_> = (0..5)
            .map(|n| issued("198.51.100.1", false, n * 70_000, 1))
            .collect();
        assert!(next_one(&one, &asker("198.51.100.1", false)) > T0);
        assert_eq!(next_one(&one, &cafe), 0);
    }
}
