//! Registering: a user who becomes the owner of a new farm.

use harit_engine::FarmDocument;
use serde_json::json;

use super::state::AppState;
use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::error::ApiError;
use crate::language::{Language, farm_of};
use crate::records::{FirstFarm, Method, Origin, PeopleError, UserRow, new_id, now_ms};

/// The time zone of farms that have not said theirs.
const TIMEZONE: &str = "Asia/Kolkata";

/// Somebody who registers; each field was checked.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) name: String,
    /// This or `phone` is there.
    pub(crate) email: Option<Contact>,
    pub(crate) phone: Option<Contact>,
    pub(crate) password: Option<String>,
    pub(crate) address: Option<String>,
    /// Latitude and longitude, in degrees.
    pub(crate) position: Option<(f64, f64)>,
    pub(crate) language: Language,
}

impl AppState {
    /// Makes the user with a farm, and opens a sign-in. The contacts are claims. One that is another account's is a failure
    /// that names no reason.
    pub(crate) async fn register(
        &self,
        new: Registration,
        from: Origin<'_>,
    ) -> Result<(String, UserRow), ApiError> {
        let accounts = self.accounts();
        accounts.count_registration(from)?;
        // hashed in any case, so that the time does not tell more than the answer
        let password_hash = match &new.password {
            Some(password) => Some(accounts.hash(password).await?),
            None => None,
        };
        for contact in new.email.iter().chain(&new.phone) {
            if self.records().user_by_contact(contact).await?.is_some() {
                return Err(ApiError::registration_failed());
            }
        }
        let farm = FirstFarm {
            id: new_id(),
            name: farm_of(new.language, &new.name),
            location: new.address,
            position: new.position,
            timezone: TIMEZONE,
        };
        let user = UserRow {
            id: new_id(),
            // nobody has shown yet that they are theirs
            email: None,
            phone: None,
            claimed_email: new.email.as_ref().map(|e| e.key().to_owned()),
            claimed_phone: new.phone.as_ref().map(|p| p.key().to_owned()),
            name: new.name,
            password_hash,
            language: new.language.as_str().to_owned(),
            is_active: true,
            onboarding_completed: false,
            created_at: now_ms(),
        };
        // The engine first: should the server stop in between, a farm is left that nobody can see. The other way round its
        // owner would find that it does not exist.
        let document =
            json!({"farm": {"id": farm.id, "name": farm.name, "timezone": farm.timezone}});
        self.hub()
            .add_farm(FarmDocument::from_json(&document)?)
            .await?;
        let mut write = self.records().write_own(&user.id).await?;
        write.add_owner(&user, &farm).await.map_err(|e| match e {
            PeopleError::Records(e) => e.into(),
            _ => ApiError::registration_failed(),
        })?;
        let entry = Entry {
            actor: Some((user.id.clone(), user.name.clone())),
            action: Action::Registered,
            subject: user.id.clone(),
            details: json!({"email": user.claimed_email, "phone": user.claimed_phone, "role": "OWNER"}),
            address: from.address.map(str::to_owned),
        };
        write.commit(&entry).await?;
        let token = accounts.open(&user, Method::Registration, from).await?;
        Ok((token, user))
    }
}
