//! People: the first ones of a server, and those whom no message reaches.

use harit_engine::{FarmDocument, FarmId};
use harit_ingest::Hub;
use serde_json::json;

use super::{Operator, OperatorError, entry, name_of, refused};
use crate::audit::Action;
use crate::auth::guessable;
use crate::contact::Contact;
use crate::language::Language;
use crate::records::{FirstFarm, PeopleError, UserRow, new_id, now_ms};
use crate::role::Role;
use crate::secret::{MAX_PASSWORD_BYTES, Passwords, new_secret};

const MAX_NAME_CHARS: usize = 120;
const MIN_PASSWORD_CHARS: usize = 8;
/// How long a password is that is made here: 96 bits.
const MADE_DIGITS: usize = 24;
/// The time zone of farms that have not said theirs.
const TIMEZONE: &str = "Asia/Kolkata";

/// A person, as they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonInfo {
    /// Names them.
    pub id: String,
    /// Full name.
    pub name: String,
    /// What they sign in with.
    pub contacts: Vec<String>,
    /// Whether they can sign in by a password.
    pub has_password: bool,
    /// Whether they may sign in at all.
    pub is_active: bool,
    /// Their farms, with the role in each.
    pub farms: Vec<(String, &'static str)>,
}

/// A password to be set.
#[derive(Debug)]
pub enum Password {
    /// One that somebody chose.
    Chosen(String),
    /// One that is made here and told once.
    Made,
}

/// A person to be added.
#[derive(Debug)]
pub struct PersonWish<'a> {
    /// Full name.
    pub name: &'a str,
    /// E-mail address or phone number; whoever runs the server vouches that it is theirs.
    pub contact: &'a str,
    /// How they sign in.
    pub password: Password,
    /// The language in which they are addressed.
    pub language: Language,
    /// What they are in the farm.
    pub role: Role,
    /// The farm that they join, the only one where none is named; of an owner of a farm, the one that the records have lost.
    pub farm: Option<&'a str>,
}

impl Operator {
    /// All people.
    ///
    /// # Errors
    /// When the records fail.
    pub async fn people(&self) -> Result<Vec<PersonInfo>, OperatorError> {
        let mut all = Vec::new();
        for user in self.records.all_users().await? {
            let farms = self.records.farms_of(&user.id).await?;
            let shown = user.shown_email().into_iter().chain(user.shown_phone());
            all.push(PersonInfo {
                contacts: shown.cloned().collect(),
                farms: farms
                    .into_iter()
                    .map(|(f, role)| (f.id, role.as_str()))
                    .collect(),
                id: user.id,
                name: user.name,
                has_password: user.password_hash.is_some(),
                is_active: user.is_active,
            });
        }
        Ok(all)
    }

    /// Adds a person to a farm; gives the password that was made.
    ///
    /// # Errors
    /// When somebody has that contact, the password is weak, there is no such farm, or the records fail.
    pub async fn add_person(&self, wish: PersonWish<'_>) -> Result<Option<String>, OperatorError> {
        let farm = self.farm(wish.farm).await?;
        let (user, told) = self.new_user(&wish).await?;
        let mut write = self.write(&farm).await?;
        write
            .add_vouched(&user, wish.role)
            .await
            .map_err(people_error)?;
        let details = json!({"name": user.name, "role": wish.role});
        write
            .commit(entry(Action::UserAdded, &user.id, details))
            .await?;
        Ok(told)
    }

    /// Adds a person with a farm of their own, which is new unless one is named that the journals have and the records do not; gives the
    /// farm's id and the password that was made.
    ///
    /// # Errors
    /// When somebody has that contact, the password is weak, the farm that is named is not there or has people, or the farm cannot be stored.
    pub async fn add_owner(
        &self,
        hub: &Hub,
        farm_name: &str,
        wish: PersonWish<'_>,
    ) -> Result<(String, Option<String>), OperatorError> {
        let (user, told) = self.new_user(&wish).await?;
        let farm = FirstFarm {
            id: wish.farm.map_or_else(new_id, ToOwned::to_owned),
            name: name_of(farm_name, MAX_NAME_CHARS)?,
            location: None,
            position: None,
            timezone: TIMEZONE,
        };
        if let Some(lost) = wish.farm {
            self.is_lost(hub, lost).await?;
        } else {
            // the engine first, as when somebody registers: a farm that nobody can see harms nobody
            let document =
                json!({"farm": {"id": farm.id, "name": farm.name, "timezone": farm.timezone}});
            let document = FarmDocument::from_json(&document);
            let document = document.map_err(|e| refused(format!("the farm: {e:?}")))?;
            hub.add_farm(document).await?;
        }
        let mut write = self.records.write_own(&user.id).await?;
        write.add_owner(&user, &farm).await.map_err(people_error)?;
        let details = json!({"name": user.name, "role": "OWNER"});
        write
            .commit(&entry(Action::UserAdded, &user.id, details))
            .await?;
        Ok((farm.id, told))
    }

    /// Checks that the journals have a farm of which the records know nothing.
    async fn is_lost(&self, hub: &Hub, farm: &str) -> Result<(), OperatorError> {
        if self.records.has_farm(farm).await? {
            return Err(refused(format!(
                "farm {farm} is there: without --new-farm a person joins it"
            )));
        }
        match hub.has(&FarmId::from(farm)) {
            true => Ok(()),
            false => Err(refused(format!("the journals have no farm {farm}"))),
        }
    }

    /// Sets a person's password, which ends all their sign-ins and tokens; gives the one that was made.
    ///
    /// # Errors
    /// When there is no such person, the password is weak, or the records fail.
    pub async fn set_password(
        &self,
        who: &str,
        password: Password,
    ) -> Result<Option<String>, OperatorError> {
        let user = self.person(who).await?;
        let (hash, told) = hashed(password, &user.own_words()).await?;
        let mut write = self.records.write_own(&user.id).await?;
        write.set_password(&hash, "").await?;
        write.revoke_tokens().await?;
        let entry = entry(Action::PasswordSet, &user.id, json!({"name": user.name}));
        write.commit(&entry).await?;
        Ok(told)
    }

    /// Gives a person a role in a farm, which they join by it if they do not belong to it.
    ///
    /// # Errors
    /// When there is no such person or farm, the farm would have no owner, or the records fail.
    pub async fn set_role_of(
        &self,
        who: &str,
        farm: Option<&str>,
        role: Role,
    ) -> Result<(), OperatorError> {
        let user = self.person(who).await?;
        let farm = self.farm(farm).await?;
        let mut write = self.write(&farm).await?;
        let details = json!({"name": user.name, "role": role});
        let action = match write.person(&user.id).await? {
            Some(_) => {
                let changed = write.change_member(&user.id, Some(role), None).await;
                changed.map_err(people_error)?;
                Action::RoleChanged
            }
            None => {
                write.join(&user.id, role).await?;
                Action::UserAdded
            }
        };
        Ok(write.commit(entry(action, &user.id, details)).await?)
    }

    async fn new_user(
        &self,
        wish: &PersonWish<'_>,
    ) -> Result<(UserRow, Option<String>), OperatorError> {
        let contact = Contact::parse(wish.contact);
        let contact = contact.ok_or_else(|| {
            refused(format!(
                "{:?} is neither an e-mail address nor a phone number",
                wish.contact
            ))
        })?;
        let name = name_of(wish.name, MAX_NAME_CHARS)?;
        if self.records.account_of(&contact).await?.is_some() {
            let key = contact.key();
            return Err(refused(format!(
                "{key} has an account: harit user role gives it a role, harit user password a password"
            )));
        }
        let (hash, told) = match &wish.password {
            Password::Chosen(text) => {
                hashed(Password::Chosen(text.clone()), &[&name, contact.key()]).await?
            }
            Password::Made => hashed(Password::Made, &[]).await?,
        };
        let (email, phone) = match contact {
            Contact::Email(email) => (Some(email), None),
            Contact::Phone(phone) => (None, Some(phone)),
        };
        let user = UserRow {
            id: new_id(),
            email,
            phone,
            claimed_email: None,
            claimed_phone: None,
            name,
            password_hash: Some(hash),
            language: wish.language.as_str().to_owned(),
            is_active: true,
            onboarding_completed: false,
            created_at: now_ms(),
        };
        Ok((user, told))
    }
}

/// The hash of a password, and the password where it was made here.
async fn hashed(
    password: Password,
    own: &[&str],
) -> Result<(String, Option<String>), OperatorError> {
    let (text, told) = match password {
        Password::Chosen(text) => {
            if text.chars().count() < MIN_PASSWORD_CHARS {
                return Err(refused(format!(
                    "a password has at least {MIN_PASSWORD_CHARS} characters"
                )));
            }
            if text.len() > MAX_PASSWORD_BYTES {
                return Err(refused(format!(
                    "a password has at most {MAX_PASSWORD_BYTES} bytes"
                )));
            }
            if guessable(&text, own) {
                return Err(refused("the password is easily guessed"));
            }
            (text, false)
        }
        Password::Made => {
            let mut text = new_secret()?;
            text.truncate(MADE_DIGITS);
            (text, true)
        }
    };
    let hash = Passwords::hash(&text)
        .await
        .map_err(|e| refused(e.to_string()))?;
    Ok((hash, told.then_some(text)))
}

fn people_error(e: PeopleError) -> OperatorError {
    match e {
        PeopleError::Records(e) => e.into(),
        other => refused(other.to_string()),
    }
}
