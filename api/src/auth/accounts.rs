//! Accounts: signing in by password, and opening sign-ins. What is answered, and how long that takes, does not tell whether an account exists.

use std::time::Instant;

use serde_json::json;

use super::failures::Failures;
use super::{Limit, Throttle};
use crate::audit::{Action, Entry};
use crate::config::ApiConfig;
use crate::contact::Contact;
use crate::error::ApiError;
use crate::language::{Language, contact_gone_message, contact_gone_subject};
use crate::records::{
    Asker, Content, MessageKind, Method, NewMessage, Origin, Records, UserRow, now_ms,
};
use crate::secret::{Passwords, new_secret, sha256_hex};

/// The longest user agent that is kept with a sign-in, in characters.
const MAX_AGENT_CHARS: usize = 256;

/// Wrong passwords of a contact from one address in an hour, as a multiple of those in a minute: below what strangers
/// together have, so that one of them cannot use it up.
const HOURLY: u32 = 2;
/// How often somebody may find out by adding or changing people whether a contact has an account, an hour.
const CONTACTS_ASKED: u32 = 60;

/// Signs people in.
#[derive(Debug)]
pub(crate) struct Accounts {
    pub(super) records: Records,
    passwords: Passwords,
    by_contact: Throttle,
    by_contact_hour: Throttle,
    pub(super) by_address: Throttle,
    pub(super) codes_by_address: Throttle,
    registrations: Throttle,
    contacts_asked: Throttle,
    pub(super) failures: Failures,
}

impl Accounts {
    pub(crate) fn new(records: Records, config: &ApiConfig) -> Self {
        let hourly = config.sign_ins_per_contact.saturating_mul(HOURLY);
        Self {
            failures: Failures::new(records.clone()),
            records,
            passwords: Passwords::new(),
            by_contact: Throttle::new(Limit::per_minute(config.sign_ins_per_contact)),
            by_contact_hour: Throttle::new(Limit::per_hour(hourly)),
            by_address: Throttle::new(Limit::per_minute(config.sign_ins_per_address)),
            codes_by_address: Throttle::new(Limit::per_hour(config.codes_per_address)),
            registrations: Throttle::new(Limit::per_hour(config.registrations_per_address)),
            contacts_asked: Throttle::new(Limit::per_hour(CONTACTS_ASKED)),
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
        let address = from.limited();
        let key = format!("{address} {}", contact.as_ref().map_or("", Contact::key));
        let now = Instant::now();
        // all are taken, so that guessing many contacts from one address ends too
        let (a, b, c) = (
            self.by_contact.take(&key, now),
            self.by_contact_hour.take(&key, now),
            self.by_address.take(&address, now),
        );
        a.and(b).and(c).map_err(ApiError::too_many_attempts)?;

        let mut tried = None;
        let mut users = Vec::new();
        if let Ok(contact) = &contact {
            // what strangers guessed wrong does not hold for a device that has signed in with the contact
            let asker = self.asker(contact, from).await?;
            let budget = if asker.known {
                format!("{} {}", asker.budget, contact.key())
            } else {
                contact.key().to_owned()
            };
            let taken = self.records.take_password_try(&budget, now_ms());
            taken.await?.map_err(ApiError::too_many_attempts)?;
            tried = Some(budget);
            users = self.accounts_of(contact).await?;
        }
        let user = self.whose_password(users, password).await?;
        if user.is_none()
            && let Ok(contact) = &contact
        {
            self.failures.count(contact, Method::Password, from);
        }
        let user = user.ok_or_else(ApiError::login_failed)?;
        self.by_contact.give_back(&key);
        self.by_contact_hour.give_back(&key);
        self.by_address.give_back(&address);
        if let Some(budget) = tried {
            self.records.give_back_password_try(&budget).await?;
        }

        let token = self.open(&user, Method::Password, from).await?;
        Ok((token, user))
    }

    /// The accounts that a password may open by that contact: the one that it is verified for, else those that claim it.
    async fn accounts_of(&self, contact: &Contact) -> Result<Vec<UserRow>, ApiError> {
        if let Some(user) = self.records.user_by_contact(contact).await? {
            return Ok(vec![user]);
        }
        Ok(self.records.claimants(contact).await?)
    }

    /// The active one whose password it is. Where there is none at all, as much is computed as for one.
    async fn whose_password(
        &self,
        users: Vec<UserRow>,
        password: &str,
    ) -> Result<Option<UserRow>, ApiError> {
        let mut hashes: Vec<Option<&str>> = users
            .iter()
            .map(|u| u.password_hash.as_deref().filter(|_| u.is_active))
            .collect();
        if hashes.is_empty() {
            hashes.push(None);
        }
        for (n, hash) in hashes.into_iter().enumerate() {
            let right = self.passwords.verify(hash, password).await;
            if right.map_err(|_| ApiError::busy())? {
                return Ok(users.into_iter().nth(n));
            }
        }
        Ok(None)
    }

    /// Who asks, as the limits of codes and passwords count them.
    pub(super) async fn asker(
        &self,
        contact: &Contact,
        from: Origin<'_>,
    ) -> Result<Asker, ApiError> {
        let address = from.limited();
        let Some(device) = from.device_hash() else {
            return Ok(Asker {
                id: address.clone(),
                budget: address,
                known: false,
            });
        };
        let known = self
            .records
            .knows_device(&device, contact, now_ms())
            .await?;
        Ok(Asker {
            budget: if known { device.clone() } else { address },
            id: device,
            known,
        })
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
        if let Some(device) = from.device_hash() {
            self.records
                .remember_device(user, &device, now_ms())
                .await?;
        }
        metrics::counter!("harit_sign_ins_total", "result" => "succeeded").increment(1);
        let entry = entry(Action::SignIn, user, method, from);
        self.records.audit_person(Some(&user.id), &entry).await;
        Ok(token)
    }

    /// Whether it is the password of somebody who is known already; wrong ones are limited.
    pub(crate) async fn check_password(
        &self,
        user: &UserRow,
        password: &str,
        from: Origin<'_>,
    ) -> Result<bool, ApiError> {
        let key = format!("{} {}", from.limited(), user.id);
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

    /// Tells a person at a contact that it is no longer their account's. What was changed is changed: a failure undoes nothing.
    pub(crate) async fn tell_gone(&self, user: &UserRow, contact: &Contact) {
        let language = Language::parse(&user.language).unwrap_or_default();
        let body = contact_gone_message(language, &contact.masked());
        let notice = NewMessage {
            to: contact,
            kind: MessageKind::Notice,
            language,
            content: Content {
                title: contact_gone_subject(language).to_owned(),
                params: vec![body.clone(), String::new()],
                body,
                ..Content::default()
            },
            about: "",
            farm: None,
            user: Some(&user.id),
        };
        if let Err(error) = self.records.put_in_outbox(notice, now_ms()).await {
            metrics::counter!("harit_records_errors_total").increment(1);
            tracing::error!(%error, "a person was not told of a changed contact");
        }
    }

    /// Hashes a new password.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, ApiError> {
        self.passwords
            .hash_in_turn(password)
            .await
            .map_err(|_| ApiError::busy())
    }

    /// Counts a question whether a contact has an account, which adding people and changing their contacts is too.
    pub(crate) fn count_contact(&self, user_id: &str) -> Result<(), ApiError> {
        self.contacts_asked
            .take(user_id, Instant::now())
            .map_err(ApiError::too_many_attempts)
    }

    /// Counts a registration from an address.
    pub(crate) fn count_registration(&self, from: Origin<'_>) -> Result<(), ApiError> {
        self.registrations
            .take(&from.limited(), Instant::now())
            .map_err(ApiError::too_many_attempts)
    }
}

fn entry(action: Action, user: &UserRow, method: Method, from: Origin<'_>) -> Entry {
    Entry {
        actor: Some((user.id.clone(), user.name.clone())),
        action,
        subject: user.id.clone(),
        details: json!({"method": method.as_str()}),
        address: from.address.map(str::to_owned),
    }
}
