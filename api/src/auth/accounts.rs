//! Signing in by password. What is answered, and how long that takes, does not tell whether an account exists.

use std::time::Instant;

use super::{Contact, Limit, Passwords, Throttle, new_secret, sha256_hex};
use crate::config::ApiConfig;
use crate::error::ApiError;
use crate::records::{Records, UserRow, now_ms};

/// The longest user agent that is kept with a sign-in, in characters.
const MAX_AGENT_CHARS: usize = 256;

/// From where somebody signs in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin<'a> {
    pub(crate) address: Option<&'a str>,
    pub(crate) user_agent: Option<&'a str>,
}

/// Signs people in.
#[derive(Debug)]
pub(crate) struct Accounts {
    records: Records,
    passwords: Passwords,
    by_contact: Throttle,
    by_address: Throttle,
}

impl Accounts {
    pub(crate) fn new(records: Records, config: &ApiConfig) -> Self {
        Self {
            records,
            passwords: Passwords::new(),
            by_contact: Throttle::new(Limit::per_minute(config.sign_ins_per_contact)),
            by_address: Throttle::new(Limit::per_minute(config.sign_ins_per_address)),
        }
    }

    /// Checks a password and opens a sign-in: its token, and who it is.
    pub(crate) async fn sign_in(
        &self,
        contact: &str,
        password: &str,
        from: Origin<'_>,
    ) -> Result<(String, UserRow), ApiError> {
        let contact = Contact::parse(contact).ok_or_else(ApiError::login_failed);
        let address = from.address.unwrap_or("");
        let key = format!("{address} {}", contact.as_ref().map_or("", Contact::key));
        let now = Instant::now();
        // both are taken, so that guessing many contacts from one address ends too
        let (a, b) = (
            self.by_contact.take(&key, now),
            self.by_address.take(address, now),
        );
        a.and(b).map_err(ApiError::too_many_attempts)?;

        let user = match &contact {
            Ok(contact) => self.records.user_by_contact(contact).await?,
            Err(_) => None,
        };
        let user = user.filter(|u| u.is_active);
        let hash = user.as_ref().and_then(|u| u.password_hash.as_deref());
        let right = self
            .passwords
            .verify(hash, password)
            .await
            .map_err(|_| ApiError::busy())?;
        let Some(user) = user.filter(|_| right) else {
            metrics::counter!("harit_sign_ins_total", "result" => "failed").increment(1);
            return Err(ApiError::login_failed());
        };
        self.by_contact.give_back(&key);
        self.by_address.give_back(address);

        let token = new_secret().map_err(|_| ApiError::unavailable())?;
        let agent: Option<String> = from
            .user_agent
            .map(|a| a.chars().take(MAX_AGENT_CHARS).collect());
        self.records
            .open_session(
                &user.id,
                &sha256_hex(token.as_bytes()),
                agent.as_deref(),
                from.address,
                now_ms(),
            )
            .await?;
        metrics::counter!("harit_sign_ins_total", "result" => "succeeded").increment(1);
        Ok((token, user))
    }
}
