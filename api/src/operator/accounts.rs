//! Tokens of programs, and accounts that read by MQTT.

use harit_engine::FarmId;
use serde_json::json;

use super::{Operator, OperatorError, entry, name_of, refused};
use crate::audit::Action;
use crate::records::{Integration, NewToken, Token, TokenError, TokenScope, UserRow, now_ms};
use crate::secret::{new_api_token, new_secret, sha256_hex, start_of};

const MAX_NAME_CHARS: usize = 80;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// A token, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Names it.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// Its owner's name.
    pub owner: String,
    /// READ or CONTROL.
    pub scope: &'static str,
    /// Its first characters.
    pub start: String,
    /// The farms that it is for.
    pub farms: Vec<String>,
    /// When it was last used, in epoch milliseconds, to 10 minutes.
    pub last_used_at: Option<i64>,
    /// When it ends, in epoch milliseconds.
    pub expires_at: Option<i64>,
}

/// A token to be made.
#[derive(Debug, Clone, Copy)]
pub struct TokenWish<'a> {
    /// Whose it is: id, e-mail address or phone number.
    pub owner: &'a str,
    /// What it is for.
    pub name: &'a str,
    /// Whether it commands, stops and locks devices too.
    pub control: bool,
    /// For which farms; for all of the owner's where none is named.
    pub farms: &'a [String],
    /// In how many days it ends.
    pub days: Option<u32>,
}

/// A token that was made.
#[derive(Debug, Clone)]
pub struct MadeToken {
    /// To be told once.
    pub secret: String,
    /// What is kept.
    pub token: TokenInfo,
}

/// An account that reads by MQTT, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegrationInfo {
    /// What it signs in with.
    pub username: String,
    /// What it is called.
    pub name: String,
    /// What it reads.
    pub farm: String,
    /// Whether it may connect.
    pub enabled: bool,
    /// When it last connected, in epoch milliseconds.
    pub last_connected_at: Option<i64>,
}

/// An account with its new password.
#[derive(Debug, Clone)]
pub struct MadeIntegration {
    /// What it signs in with.
    pub username: String,
    /// To be told once.
    pub password: String,
    /// What it may subscribe to.
    pub topic: String,
}

fn token_info(owner: &UserRow, token: Token) -> TokenInfo {
    TokenInfo {
        id: token.id,
        name: token.name,
        owner: owner.name.clone(),
        scope: token.scope.as_str(),
        start: token.start,
        farms: token.farms,
        last_used_at: token.last_used_at,
        expires_at: token.expires_at,
    }
}

impl Operator {
    /// All tokens, or one person's.
    ///
    /// # Errors
    /// When there is no such person, or the records fail.
    pub async fn tokens(&self, of: Option<&str>) -> Result<Vec<TokenInfo>, OperatorError> {
        let owners = match of {
            Some(who) => vec![self.person(who).await?],
            None => self.records.all_users().await?,
        };
        let mut all = Vec::new();
        for owner in owners {
            let own = self.records.tokens_of(&owner.id).await?;
            all.extend(own.into_iter().map(|token| token_info(&owner, token)));
        }
        Ok(all)
    }

    /// Makes a token in a person's name.
    ///
    /// # Errors
    /// When there is no such person or farm of theirs, they have too many, or the records fail.
    pub async fn add_token(&self, wish: TokenWish<'_>) -> Result<MadeToken, OperatorError> {
        let owner = self.person(wish.owner).await?;
        let name = name_of(wish.name, MAX_NAME_CHARS)?;
        let own = self.records.farms_of(&owner.id).await?;
        let mut farms = wish.farms.to_vec();
        if farms.is_empty() {
            farms = own.iter().map(|(farm, _)| farm.id.clone()).collect();
        }
        farms.sort();
        farms.dedup();
        let foreign = farms
            .iter()
            .find(|id| own.iter().all(|(f, _)| f.id != **id));
        if let Some(id) = foreign {
            return Err(refused(format!(
                "{} does not belong to farm {id:?}",
                owner.name
            )));
        }
        if farms.is_empty() {
            return Err(refused(format!("{} belongs to no farm", owner.name)));
        }
        let scope = if wish.control {
            TokenScope::Control
        } else {
            TokenScope::Read
        };
        let secret = new_api_token()?;
        let new = NewToken {
            name: &name,
            token_hash: &sha256_hex(secret.as_bytes()),
            start: start_of(&secret),
            scope,
            farms: &farms,
            expires_at: wish.days.map(|days| now_ms() + i64::from(days) * DAY_MS),
        };
        let mut write = self.records.write_own(&owner.id).await?;
        let made = write.add_token(&new).await.map_err(|e| match e {
            TokenError::Records(e) => e.into(),
            TokenError::TooMany | TokenError::NoMember => refused(e.to_string()),
        })?;
        let details = json!({
            "name": made.name, "scope": made.scope, "start": made.start, "expiresAt": made.expires_at,
            "owner": owner.name,
        });
        let entry = entry(Action::TokenMade, &made.id, details);
        write.commit_in(farms, &entry).await?;
        let token = token_info(&owner, made);
        Ok(MadeToken { secret, token })
    }

    /// Ends a token, which is named by its id or by its first characters if no other has those.
    ///
    /// # Errors
    /// When there is no such token, or several, or the records fail.
    pub async fn revoke_token(&self, which: &str) -> Result<TokenInfo, OperatorError> {
        let mut found = Vec::new();
        for owner in self.records.all_users().await? {
            let own = self.records.tokens_of(&owner.id).await?.into_iter();
            let named = own.filter(|t| t.id == which || t.start == which);
            found.extend(named.map(|t| (owner.clone(), t)));
        }
        let (Some((owner, token)), true) = (found.pop(), found.is_empty()) else {
            return Err(refused(format!(
                "no token, or more than one, is {which:?}; harit token list shows all"
            )));
        };
        let mut write = self.records.write_own(&owner.id).await?;
        write.revoke_token(&token.id).await?;
        let details = json!({"name": token.name, "start": token.start, "owner": owner.name});
        let entry = entry(Action::TokenRevoked, &token.id, details);
        if token.farms.is_empty() {
            write.commit(&entry).await?;
        } else {
            write.commit_in(token.farms.clone(), &entry).await?;
        }
        Ok(token_info(&owner, token))
    }

    /// The accounts that read by MQTT, of one farm or of all.
    ///
    /// # Errors
    /// When there is no such farm, or the records fail.
    pub async fn integrations(
        &self,
        farm: Option<&str>,
    ) -> Result<Vec<IntegrationInfo>, OperatorError> {
        let mut all = Vec::new();
        for id in self.one_or_all(farm).await? {
            all.extend(self.records.of_farm(id).integrations());
        }
        let info = |i: Integration| IntegrationInfo {
            username: i.username,
            name: i.name,
            farm: i.farm.to_string(),
            enabled: i.enabled,
            last_connected_at: i.last_connected_at,
        };
        Ok(all.into_iter().map(info).collect())
    }

    /// Makes an account that reads a farm by MQTT.
    ///
    /// # Errors
    /// When there is no such farm, it has too many, or the records fail.
    pub async fn add_integration(
        &self,
        farm: Option<&str>,
        name: &str,
    ) -> Result<MadeIntegration, OperatorError> {
        let farm = self.farm(farm).await?;
        let name = name_of(name, MAX_NAME_CHARS)?;
        if self.records.of_farm(farm.clone()).is_full_of_integrations() {
            return Err(refused(
                "the farm has too many integrations: remove one that nobody needs",
            ));
        }
        let made = MadeIntegration::new(&farm, Integration::new_username()?)?;
        let mut write = self.write(&farm).await?;
        write
            .add_integration(&made.username, &name, &made.password)
            .await?;
        let details = json!({"name": name});
        write
            .commit(entry(Action::IntegrationMade, &made.username, details))
            .await?;
        Ok(made)
    }

    /// Gives such an account a new password.
    ///
    /// # Errors
    /// When there is no such account, or the records fail.
    pub async fn renew_integration(
        &self,
        username: &str,
    ) -> Result<MadeIntegration, OperatorError> {
        let found = self.integration(username).await?;
        let made = MadeIntegration::new(&found.farm, found.username)?;
        let mut write = self.write(&found.farm).await?;
        write.renew_integration(username, &made.password).await?;
        let details = json!({"name": found.name});
        write
            .commit(entry(Action::IntegrationSecretRenewed, username, details))
            .await?;
        Ok(made)
    }

    /// Says whether such an account may connect.
    ///
    /// # Errors
    /// When there is no such account, or the records fail.
    pub async fn enable_integration(
        &self,
        username: &str,
        enabled: bool,
    ) -> Result<(), OperatorError> {
        let found = self.integration(username).await?;
        let action = if enabled {
            Action::IntegrationEnabled
        } else {
            Action::IntegrationDisabled
        };
        let mut write = self.write(&found.farm).await?;
        write.enable_integration(username, enabled).await?;
        Ok(write
            .commit(entry(action, username, json!({"name": found.name})))
            .await?)
    }

    /// Removes such an account.
    ///
    /// # Errors
    /// When there is no such account, or the records fail.
    pub async fn remove_integration(&self, username: &str) -> Result<(), OperatorError> {
        let found = self.integration(username).await?;
        let mut write = self.write(&found.farm).await?;
        write.remove_integration(username).await?;
        let details = json!({"name": found.name});
        Ok(write
            .commit(entry(Action::IntegrationRemoved, username, details))
            .await?)
    }

    async fn integration(&self, username: &str) -> Result<Integration, OperatorError> {
        for farm in self.one_or_all(None).await? {
            if let Some(found) = self.records.of_farm(farm).integration(username) {
                return Ok(found);
            }
        }
        Err(refused(format!(
            "no integration {username:?}; harit integration list shows all"
        )))
    }

    /// The farm that is named, else all.
    pub(super) async fn one_or_all(
        &self,
        farm: Option<&str>,
    ) -> Result<Vec<FarmId>, OperatorError> {
        match farm {
            Some(_) => Ok(vec![self.farm(farm).await?]),
            None => Ok(self.records.farm_ids().await?),
        }
    }
}

impl MadeIntegration {
    fn new(farm: &FarmId, username: String) -> Result<Self, OperatorError> {
        Ok(Self {
            username,
            password: new_secret()?,
            topic: Integration::topic(farm),
        })
    }
}
