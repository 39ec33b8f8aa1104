//! Signing in by a one-time code. What is answered, and how long that takes, does not tell whether an account exists: a code
//! is made for every contact and kept in the same way, but only an active account's is sent, and that after the answer. A code
//! that was used shows whose the contact is: docs/accounts.md.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Accounts;
use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::error::ApiError;
use crate::language::{Language, code_message, code_subject};
use crate::records::{
    CodeIssue, Content, MessageKind, Method, NewMessage, Origin, Records, UserRow, now_ms,
};

/// A code has six digits.
pub(crate) const CODE_DIGITS: usize = 6;
/// One more than the greatest code.
const CODES: u32 = 1_000_000;

/// Six random digits, each code as likely as any other: numbers beyond the last full million are thrown away.
fn new_code() -> Result<String, ApiError> {
    const FAIR: u32 = u32::MAX / CODES * CODES;
    loop {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).map_err(|_| ApiError::unavailable())?;
        let n = u32::from_le_bytes(bytes);
        if n < FAIR {
            return Ok(format!("{:06}", n % CODES));
        }
    }
}

/// How long a code waits before it is sent.
const SEND_AFTER: Duration = Duration::from_millis(50);

impl Accounts {
    /// Makes a code for a contact, and sends it if the contact is an active account's.
    pub(crate) async fn send_code(
        &self,
        contact: &Contact,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        self.codes_by_address
            .take(&from.limited(), Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let (code, challenge) = self.make_code(contact, from).await?;
        let (records, contact) = (self.records.clone(), contact.clone());
        // not even looked up before the answer is out: the time would tell that there is an account
        tokio::spawn(async move {
            tokio::time::sleep(SEND_AFTER).await;
            if let Err(error) = send(&records, &contact, &code, &challenge).await {
                metrics::counter!("harit_records_errors_total").increment(1);
                tracing::error!(%error, "a code was not sent");
            }
        });
        Ok(())
    }

    /// Makes a code for whoever asks: the code and its challenge.
    async fn make_code(
        &self,
        contact: &Contact,
        from: Origin<'_>,
    ) -> Result<(String, String), ApiError> {
        let code = new_code()?;
        let asker = self.asker(contact, from).await?;
        let issued = self
            .records
            .issue_code(contact, &code, &asker, now_ms())
            .await?;
        match issued {
            CodeIssue::Issued(challenge) => {
                metrics::counter!("harit_codes_total", "result" => "made").increment(1);
                Ok((code, challenge))
            }
            CodeIssue::Wait(seconds) => {
                metrics::counter!("harit_codes_total", "result" => "limited").increment(1);
                Err(ApiError::too_many_attempts(seconds))
            }
        }
    }

    /// Sends somebody who is signed in a code to a contact of theirs, claimed or verified.
    pub(crate) async fn send_code_to(
        &self,
        user: &UserRow,
        contact: &Contact,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        let (code, challenge) = self.make_code(contact, from).await?;
        let language = Language::parse(&user.language).unwrap_or_default();
        let message = message(contact, language, &code, &challenge, &user.id);
        Ok(self.records.put_in_outbox(message, now_ms()).await?)
    }

    /// Uses a code that somebody who is signed in got; a wrong one counts as a failed sign-in.
    pub(crate) async fn check_code(
        &self,
        contact: &Contact,
        code: &str,
        from: Origin<'_>,
    ) -> Result<bool, ApiError> {
        let address = from.limited();
        self.by_address
            .take(&address, Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let asker = self.asker(contact, from).await?;
        let right = self
            .records
            .use_code(contact, code, &asker.id, now_ms())
            .await?;
        if right {
            self.by_address.give_back(&address);
        } else {
            self.failures.count(contact, Method::Code, from);
        }
        Ok(right)
    }

    /// Uses a code, and opens a sign-in. `None` where it is not the contact's code, or no longer.
    pub(crate) async fn sign_in_by_code(
        &self,
        contact: &Contact,
        code: &str,
        from: Origin<'_>,
    ) -> Result<Option<(String, UserRow)>, ApiError> {
        if !self.check_code(contact, code, from).await? {
            return Ok(None);
        }
        let Some(proof) = self.records.prove(contact).await? else {
            return Ok(None);
        };
        let user = proof.user;
        if proof.first {
            self.tell_proof(&user, contact, from).await;
        }
        if !user.is_active {
            return Ok(None);
        }
        let token = self.open(&user, Method::Code, from).await?;
        Ok(Some((token, user)))
    }

    /// Writes down that a contact became an account's.
    pub(super) async fn tell_proof(&self, user: &UserRow, contact: &Contact, from: Origin<'_>) {
        let entry = Entry {
            actor: Some((user.id.clone(), user.name.clone())),
            action: Action::ContactVerified,
            subject: user.id.clone(),
            details: json!({"contact": contact.key(), "first": true}),
            address: from.address.map(str::to_owned),
        };
        self.records.audit_person(Some(&user.id), &entry).await;
    }
}

/// Sends a code, if the contact opens an active account.
async fn send(
    records: &Records,
    contact: &Contact,
    code: &str,
    challenge: &str,
) -> Result<(), sqlx::Error> {
    let user = records.account_of(contact).await?;
    let Some(user) = user.filter(|u| u.is_active) else {
        return Ok(());
    };
    let language = Language::parse(&user.language).unwrap_or_default();
    let message = message(contact, language, code, challenge, &user.id);
    records.put_in_outbox(message, now_ms()).await
}

fn message<'a>(
    to: &'a Contact,
    language: Language,
    code: &str,
    challenge: &'a str,
    user: &'a str,
) -> NewMessage<'a> {
    NewMessage {
        to,
        kind: MessageKind::Code,
        language,
        content: Content {
            title: code_subject(language).to_owned(),
            body: code_message(language, code),
            secret: code.to_owned(),
            params: vec![code.to_owned()],
            ..Content::default()
        },
        about: challenge,
        farm: None,
        user: Some(user),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_six_digits_and_differ() {
        let codes: std::collections::HashSet<String> =
            (0..100).map(|_| new_code().expect("random")).collect();
        assert!(codes.len() > 95, "{}", codes.len());
        for code in codes {
            assert!(
                code.len() == CODE_DIGITS && code.bytes().all(|b| b.is_ascii_digit()),
                "{code}"
            );
        }
    }
}
