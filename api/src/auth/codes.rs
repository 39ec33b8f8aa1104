//! Signing in by a one-time code. What is answered, and how long that takes, does not tell whether an account exists: a code
//! is made for every contact and kept in the same way, but only an active account's is sent, and that after the answer.

use std::time::{Duration, Instant};

use super::{Accounts, Contact, Origin};
use crate::error::ApiError;
use crate::language::{Language, code_message};
use crate::records::{CodeIssue, Method, NewMessage, Records, UserRow, now_ms};

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
            .take(from.address.unwrap_or(""), Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let code = new_code()?;
        if let CodeIssue::Wait(seconds) = self.records.issue_code(contact, &code, now_ms()).await? {
            metrics::counter!("harit_codes_total", "result" => "limited").increment(1);
            return Err(ApiError::too_many_attempts(seconds));
        }
        metrics::counter!("harit_codes_total", "result" => "made").increment(1);
        let (records, contact) = (self.records.clone(), contact.clone());
        // not even looked up before the answer is out: the time would tell that there is an account
        tokio::spawn(async move {
            tokio::time::sleep(SEND_AFTER).await;
            if let Err(error) = send(&records, &contact, &code).await {
                metrics::counter!("harit_records_errors_total").increment(1);
                tracing::error!(%error, "a code was not sent");
            }
        });
        Ok(())
    }

    /// Uses a code, and opens a sign-in. `None` where it is not the contact's code, or no longer.
    pub(crate) async fn sign_in_by_code(
        &self,
        contact: &Contact,
        code: &str,
        from: Origin<'_>,
    ) -> Result<Option<(String, UserRow)>, ApiError> {
        let address = from.address.unwrap_or("");
        self.by_address
            .take(address, Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        if !self.records.use_code(contact, code, now_ms()).await? {
            self.failed(contact, Method::Code, from);
            return Ok(None);
        }
        let user = self.records.user_by_contact(contact).await?;
        let Some(user) = user.filter(|u| u.is_active) else {
            return Ok(None);
        };
        self.by_address.give_back(address);
        let token = self.open(&user, Method::Code, from).await?;
        Ok(Some((token, user)))
    }
}

/// Sends a code, if the contact is an active account's.
async fn send(records: &Records, contact: &Contact, code: &str) -> Result<(), sqlx::Error> {
    let user = records.user_by_contact(contact).await?;
    let Some(user) = user.filter(|u| u.is_active) else {
        return Ok(());
    };
    let language = Language::parse(&user.language).unwrap_or_default();
    let message = NewMessage {
        to: contact,
        kind: "CODE",
        language,
        body: code_message(language, code),
        secret: code,
    };
    records.put_in_outbox(message, now_ms()).await
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
