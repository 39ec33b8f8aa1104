//! What callers change of themselves: profile, password, sign-ins.

use std::time::Instant;

use serde_json::json;

use super::caller::Caller;
use crate::audit::Action;
use crate::contact::Contact;
use crate::delivery::push::{BadEndpoint, PushTarget};
use crate::delivery::{Channel, test_message};
use crate::error::ApiError;
use crate::language::{Language, Text};
use crate::records::{
    Browser, ClaimError, Method, Origin, SessionRow, ToldChoice, UserChange, now_ms,
};

/// A password may be set without the old one within this time of a sign-in by code.
const FRESH_MS: i64 = 10 * 60 * 1_000;
/// A contact may be changed within this time of showing who one is.
const CONFIRMED_MS: i64 = 5 * 60 * 1_000;

/// How somebody who is signed in shows that it is them.
pub(crate) enum Confirmation {
    Password(String),
    /// Sent to the contact of [`Caller::confirming_contact`].
    Code(String),
}

impl Caller {
    /// The caller's sign-ins, the last used first.
    pub(crate) async fn sessions(&self) -> Result<Vec<SessionRow>, ApiError> {
        self.sign_in()?;
        let records = self.state.records();
        Ok(records.sessions_of(&self.user.id, now_ms()).await?)
    }

    /// Whether it is the sign-in that asks.
    pub(crate) fn is_this(&self, session: &SessionRow) -> bool {
        self.sign_in().is_ok_and(|own| own.id == session.id)
    }

    /// Ends one of the caller's sign-ins.
    pub(crate) async fn end_session(&self, id: &str) -> Result<(), ApiError> {
        let mut write = self.write().await?;
        if !write.end_session(id).await? {
            return Err(ApiError::not_found());
        }
        let details = json!({"session": id});
        self.commit(write, Action::SessionEnded, details).await
    }

    /// Ends all of the caller's sign-ins, this one included.
    pub(crate) async fn end_sessions(&self) -> Result<(), ApiError> {
        let mut write = self.write().await?;
        write.end_sessions().await?;
        self.commit(write, Action::SessionsEnded, json!({})).await
    }

    /// Changes what the caller says of themselves. A contact is changed only by who has just shown that it is them: a token
    /// that was stolen must not become the account.
    pub(crate) async fn change(&self, change: &UserChange) -> Result<(), ApiError> {
        if change.phone.is_some() {
            self.confirmed()?;
        }
        let only_phone = self.user.email.is_none() && self.user.phone.is_some();
        if change.phone == Some(None) && only_phone {
            // a claim is no way to sign in
            return Err(ApiError::field("phone", "required", Text::ContactRequired));
        }
        let mut write = self.write().await?;
        write.change_user(change, &self.sign_in()?.id).await?;
        let details = change.describe();
        self.commit(write, Action::ProfileChanged, details).await?;
        if change.phone == Some(None)
            && let Some(phone) = &self.user.phone
        {
            let gone = Contact::Phone(phone.clone());
            self.state.accounts().tell_gone(&self.user, &gone).await;
        }
        Ok(())
    }

    /// Whether the caller has just shown that it is them. Who has neither a password nor a verified contact has no other way
    /// than the token.
    pub(super) fn confirmed(&self) -> Result<(), ApiError> {
        let has_way = self.user.password_hash.is_some() || self.user.is_verified();
        if has_way && now_ms() - self.sign_in()?.confirmed_at > CONFIRMED_MS {
            return Err(ApiError::confirm_needed());
        }
        Ok(())
    }

    /// Where a code goes with which the caller shows that it is them.
    fn confirming_contact(&self) -> Result<Contact, ApiError> {
        self.user.verified_contact().ok_or_else(ApiError::not_found)
    }

    /// Sends a code with which the caller shows that it is them.
    pub(crate) async fn send_confirmation(&self, from: Origin<'_>) -> Result<Contact, ApiError> {
        let contact = self.confirming_contact()?;
        let accounts = self.state.accounts();
        accounts.send_code_to(&self.user, &contact, from).await?;
        Ok(contact)
    }

    /// The caller shows that it is them.
    pub(crate) async fn confirm(&self, by: Confirmation, from: Origin<'_>) -> Result<(), ApiError> {
        let accounts = self.state.accounts();
        match by {
            Confirmation::Password(password) => {
                if !accounts.check_password(&self.user, &password, from).await? {
                    return Err(ApiError::field("password", "wrong", Text::PasswordWrong));
                }
            }
            Confirmation::Code(code) => {
                let contact = self.confirming_contact()?;
                if !accounts.check_code(&contact, &code, from).await? {
                    return Err(ApiError::field("otp", "wrong", Text::InvalidOtp));
                }
            }
        }
        let records = self.state.records();
        Ok(records
            .confirm_session(&self.sign_in()?.id, now_ms())
            .await?)
    }

    /// Sends a code to a contact that the caller claims.
    pub(crate) async fn send_contact_code(
        &self,
        contact: &Contact,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        if !self.user.claims(contact) {
            return Err(ApiError::not_found());
        }
        let accounts = self.state.accounts();
        accounts.send_code_to(&self.user, contact, from).await
    }

    /// Makes a claimed contact the caller's by the code that was sent to it; all other sign-ins end, and the contact that was
    /// theirs before is told.
    pub(crate) async fn verify_contact(
        &self,
        contact: &Contact,
        code: &str,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        if !self.user.claims(contact) {
            return Err(ApiError::not_found());
        }
        let accounts = self.state.accounts();
        if !accounts.check_code(contact, code, from).await? {
            return Err(ApiError::field("otp", "wrong", Text::InvalidOtp));
        }
        let mut write = self.write().await?;
        let done = write.verify_claim(&self.user, contact, &self.sign_in()?.id);
        done.await.map_err(|e| match e {
            ClaimError::Taken => ApiError::contact_taken(),
            ClaimError::NotClaimed => ApiError::not_found(),
            ClaimError::Records(e) => e.into(),
        })?;
        let details = json!({"contact": contact.key(), "first": !self.user.is_verified()});
        self.commit(write, Action::ContactVerified, details).await?;
        let before = match contact {
            Contact::Email(_) => self.user.email.clone().map(Contact::Email),
            Contact::Phone(_) => self.user.phone.clone().map(Contact::Phone),
        };
        if let Some(before) = before {
            accounts.tell_gone(&self.user, &before).await;
        }
        Ok(())
    }

    /// What the caller chose of how they are told.
    pub(crate) async fn told_choice(&self) -> Result<ToldChoice, ApiError> {
        Ok(self.state.records().told_choice(&self.user.id).await?)
    }

    /// Keeps what the caller chose of how they are told.
    pub(crate) async fn choose_told(&self, choice: &ToldChoice) -> Result<(), ApiError> {
        let mut write = self.write().await?;
        write.choose_told(choice).await?;
        let ways = { choice.ways.as_ref() }.map(|all| all.iter().map(|w| w.as_str()).collect());
        let details = json!({"ways": ways.unwrap_or_else(Vec::new), "quiet": choice.quiet});
        self.commit(write, Action::ProfileChanged, details).await
    }

    /// The key for which browsers subscribe; none where Web Push is not set.
    pub(crate) fn push_key(&self) -> Option<String> {
        let records = self.state.records();
        let is_set = records.ways().has(Channel::Push);
        is_set.then(|| records.push_key().public())
    }

    /// Whether an address may be sent to; none where Web Push is not set.
    pub(crate) fn endpoint(&self, text: &str) -> Option<Result<(), BadEndpoint>> {
        let push = self.state.config().delivery.push.as_ref()?;
        Some(push.endpoint(text).map(drop))
    }

    /// The browsers in which the caller asked to be told.
    pub(crate) async fn browsers(&self) -> Result<Vec<Browser>, ApiError> {
        let records = self.state.records();
        Ok(records.browsers(&self.user.id, now_ms()).await?)
    }

    /// Tells the caller in the browser of this sign-in from now on.
    pub(crate) async fn add_browser(&self, target: &PushTarget) -> Result<Browser, ApiError> {
        let session = self.sign_in()?;
        let mut write = self.write().await?;
        let id = write.add_browser(&session.id, target, now_ms()).await?;
        let details = json!({"push": "on", "browser": session.user_agent});
        self.commit(write, Action::ProfileChanged, details).await?;
        let mut browsers = self.browsers().await?.into_iter();
        browsers.find(|b| b.id == id).ok_or_else(ApiError::internal)
    }

    /// Tells the caller in that browser no more.
    pub(crate) async fn remove_browser(&self, id: &str) -> Result<(), ApiError> {
        let mut write = self.write().await?;
        if !write.remove_browser(id).await? {
            return Err(ApiError::not_found());
        }
        let details = json!({"push": "off"});
        self.commit(write, Action::ProfileChanged, details).await
    }

    /// Sends the caller a message to that browser.
    pub(crate) async fn test_browser(&self, id: &str) -> Result<(), ApiError> {
        let records = self.state.records();
        if !records.ways().has(Channel::Push) {
            return Err(ApiError::no_gateway());
        }
        let language = Language::parse(&self.user.language).unwrap_or_default();
        let content = test_message(language, records.ways().link("/profile").as_deref());
        let mut write = self.write().await?;
        let is_own = write.send_browser_test(records, id, language, &content);
        if !is_own.await? {
            return Err(ApiError::not_found());
        }
        let taken = self.state.tests().take(self.payer(), Instant::now());
        taken.map_err(ApiError::too_many_attempts)?;
        let details = json!({"channel": Channel::Push.as_str()});
        self.commit(write, Action::DeliveryTested, details).await?;
        records.ways().wake();
        Ok(())
    }

    pub(crate) async fn complete_onboarding(&self) -> Result<(), ApiError> {
        Ok(self
            .state
            .records()
            .complete_onboarding(&self.user.id)
            .await?)
    }

    /// Sets a password right after a sign-in by code, and ends all other sign-ins.
    pub(crate) async fn set_password(&self, password: &str) -> Result<(), ApiError> {
        let session = self.sign_in()?;
        let by_code = session.method == Method::Code.as_str();
        if !by_code || now_ms() - session.created_at > FRESH_MS {
            return Err(ApiError::code_needed());
        }
        self.store_password(password, true).await
    }

    /// Sets a password in place of the old one, and ends all other sign-ins.
    pub(crate) async fn change_password(
        &self,
        current: &str,
        new: &str,
        from: Origin<'_>,
    ) -> Result<(), ApiError> {
        let accounts = self.state.accounts();
        if !accounts.check_password(&self.user, current, from).await? {
            // not 401, which says that the token is no good
            return Err(ApiError::field(
                "currentPassword",
                "wrong",
                Text::PasswordWrong,
            ));
        }
        self.store_password(new, false).await
    }

    async fn store_password(&self, password: &str, resets: bool) -> Result<(), ApiError> {
        let session = self.sign_in()?;
        let hash = self.state.accounts().hash(password).await?;
        let mut write = self.write().await?;
        write.set_password(&hash, &session.id).await?;
        if resets {
            // who did not know the old one may not have made them
            write.revoke_tokens().await?;
        }
        let details = json!({"by": session.method});
        self.commit(write, Action::PasswordSet, details).await
    }
}
