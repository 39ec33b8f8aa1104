//! Accounts: signing in by password, and opening sign-ins. What is answered, and how long that takes, does not tell whether an account exists.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Contact, Limit, Passwords, Throttle, new_secret, sha256_hex};
use crate::audit::Entry;
use crate::config::ApiConfig;
use crate::error::ApiError;
use crate::records::{Method, Records, UserRow, now_ms};

/// The longest user agent that is kept with a sign-in, in characters.
const MAX_AGENT_CHARS: usize = 256;

/// How long a failure waits before it is written down: until its answer is out.
const WRITE_AFTER: Duration = Duration::from_millis(50);

/// From where somebody signs in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin<'a> {
    pub(crate) address: Option<&'a str>,
    pub(crate) user_agent: Option<&'a str>,
}

/// Signs people in.
#[derive(Debug)]
pub(crate) struct Accounts {
    pub(super) records: Records,
    passwords: Passwords,
    by_contact: Throttle,
    pub(super) by_address: Throttle,
    pub(super) codes_by_address: Throttle,
    registrations: Throttle,
}

impl Accounts {
    pub(crate) fn new(records: Records, config: &ApiConfig) -> Self {
        Self {
            records,
            passwords: Passwords::new(),
            by_contact: Throttle::new(Limit::per_minute(config.sign_ins_per_contact)),
            by_address: Throttle::new(Limit::per_minute(config.sign_ins_per_address)),
            codes_by_address: Throttle::new(Limit::per_hour(config.codes_per_address)),
            registrations: Throttle::new(Limit::per_hour(config.registrations_per_address)),
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
            Ok(contact) => {
                let taken = self.records.take_password_try(contact.key(), now_ms());
                taken.await?.map_err(ApiError::too_many_attempts)?;
                self.records.user_by_contact(contact).await?
            }
            Err(_) => None,
        };
        let user = user.filter(|u| u.is_active);
        let hash = user.as_ref().and_then(|u| u.password_hash.as_deref());
        let right = self
            .passwords
            .verify(hash, password)
            .await
            .map_err(|_| ApiError::busy())?;
        if !right && let Ok(contact) = &contact {
            self.failed(contact, Method::Password, from);
        }
        let user = user.filter(|_| right).ok_or_else(ApiError::login_failed)?;
        self.by_contact.give_back(&key);
        self.by_address.give_back(address);
        if let Ok(contact) = &contact {
            self.records.give_back_password_try(contact.key()).await?;
        }

        let token = self.open(&user, Method::Password, from).await?;
        Ok((token, user))
    }

    /// Opens a sign-in; returns its token.
    pub(crate) async fn open(
        &self,
        user: &UserRow,
        method: Method,
        from: Origin<'_>,
    ) -> Result<String, ApiError> {
        let token = new_secret().map_err(|_| ApiError::unavailable())?;
        let agent: Option<String> = from
            .user_agent
            .map(|a| a.chars().take(MAX_AGENT_CHARS).collect());
        let from = Origin {
            user_agent: agent.as_deref(),
            ..from
        };
        let hash = sha256_hex(token.as_bytes());
        self.records
            .open_session(&user.id, &hash, method, from, now_ms())
            .await?;
        metrics::counter!("harit_sign_ins_total", "result" => "succeeded").increment(1);
        let entry = entry("sign_in", user, method, from);
        self.records.audit_person(Some(&user.id), &entry).await;
        Ok(token)
    }

    /// Counts and writes down a sign-in that failed. It is not waited for: the time would tell whose account it was. What was
    /// typed is not written down, because people type passwords into the wrong field.
    pub(super) fn failed(&self, contact: &Contact, method: Method, from: Origin<'_>) {
        metrics::counter!("harit_sign_ins_total", "result" => "failed").increment(1);
        let (records, contact) = (self.records.clone(), contact.clone());
        let address = from.address.map(str::to_owned);
        tokio::spawn(async move {
            tokio::time::sleep(WRITE_AFTER).await;
            let user = records.user_by_contact(&contact).await.ok().flatten();
            let id = user.map(|u| u.id);
            let entry = Entry {
                actor: None,
                action: "sign_in_failed",
                subject: id.clone().unwrap_or_default(),
                details: json!({"method": method.as_str()}),
                address,
            };
            records.audit_person(id.as_deref(), &entry).await;
        });
    }

    /// Whether it is the password of somebody who is known already; wrong ones are limited.
    pub(crate) async fn check_password(
        &self,
        user: &UserRow,
        password: &str,
        from: Origin<'_>,
    ) -> Result<bool, ApiError> {
        let key = format!("{} {}", from.address.unwrap_or(""), user.id);
        self.by_contact
            .take(&key, Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        // a token that was stolen must not become a way to the password
        let taken = self.records.take_password_try(&user.id, now_ms());
        taken.await?.map_err(ApiError::too_many_attempts)?;
        let right = self
            .passwords
            .verify(user.password_hash.as_deref(), password)
            .await
            .map_err(|_| ApiError::busy())?;
        if right {
            self.by_contact.give_back(&key);
            self.records.give_back_password_try(&user.id).await?;
        }
        Ok(right)
    }

    /// Hashes a new password.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, ApiError> {
        self.passwords
            .hash_in_turn(password)
            .await
            .map_err(|_| ApiError::busy())
    }

    /// Counts a registration from an address.
    pub(crate) fn count_registration(&self, from: Origin<'_>) -> Result<(), ApiError> {
        self.registrations
            .take(from.address.unwrap_or(""), Instant::now())
            .map_err(ApiError::too_many_attempts)
    }
}

fn entry(action: &'static str, user: &UserRow, method: Method, from: Origin<'_>) -> Entry {
    Entry {
        actor: Some((user.id.clone(), user.name.clone())),
        action,
        subject: user.id.clone(),
        details: json!({"method": method.as_str()}),
        address: from.address.map(str::to_owned),
    }
}
