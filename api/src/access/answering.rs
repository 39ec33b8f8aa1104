//! Who answers from a message: nobody signs in, the message that told them names them. It is asked anew each time whether they
//! still belong to the farm, and whether the contact that was told is still theirs.

use axum::http::Method;
use harit_engine::FarmId;

use super::action::{AnswerMessages, Needs};
use super::caller::Caller;
use super::farm::FarmAccess;
use super::state::AppState;
use crate::delivery::Channel;
use crate::error::ApiError;
use crate::records::{BadLink, ToldBy, now_ms};

/// An answer in words, or by a button, counts for this long after its message.
const REPLY_MS: i64 = 24 * 3_600 * 1_000;

/// Somebody who was told of an incident, and answers.
pub(crate) struct Answering {
    pub(crate) access: FarmAccess<AnswerMessages>,
    pub(crate) told: ToldBy,
}

/// Why a link leads nowhere.
pub(crate) enum NoAnswer {
    Link(BadLink),
    Failed(ApiError),
}

impl From<ApiError> for NoAnswer {
    fn from(error: ApiError) -> Self {
        Self::Failed(error)
    }
}

impl From<sqlx::Error> for NoAnswer {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl AppState {
    /// Who answers by a message's link.
    pub(crate) async fn answering_by_link(
        &self,
        token: &str,
        method: &Method,
        address: Option<String>,
    ) -> Result<Answering, NoAnswer> {
        let told = self.records().told_by_link(token, now_ms()).await?;
        let told = told.map_err(NoAnswer::Link)?;
        Ok(self.answering(told, method, address).await?)
    }

    /// Who answers from a contact, to the message that the gateway calls so, else to what the contact was told last.
    pub(crate) async fn answering_by_reply(
        &self,
        channel: Channel,
        from: &str,
        gateway_id: Option<&str>,
    ) -> Result<Option<Answering>, ApiError> {
        let since = now_ms() - REPLY_MS;
        let records = self.records();
        let told = match gateway_id {
            Some(id) => records.told_by_gateway(channel, id, from, since).await?,
            None => records.told_last(channel, from, since).await?,
        };
        match told {
            Some(told) => Ok(Some(self.answering(told, &Method::POST, None).await?)),
            None => Ok(None),
        }
    }

    /// Whether an answer was carried out before.
    pub(crate) async fn is_known_reply(
        &self,
        channel: Channel,
        id: &str,
    ) -> Result<bool, ApiError> {
        Ok(self.records().is_known_reply(channel, id).await?)
    }

    /// Remembers that an answer was carried out.
    pub(crate) async fn know_reply(
        &self,
        channel: Channel,
        id: &str,
        now: i64,
    ) -> Result<(), ApiError> {
        Ok(self.records().know_reply(channel, id, now).await?)
    }

    async fn answering(
        &self,
        told: ToldBy,
        method: &Method,
        address: Option<String>,
    ) -> Result<Answering, ApiError> {
        let caller = Caller::told(self, &told.user, address).await?;
        caller.pay(AnswerMessages::KIND, method)?;
        let access = caller.in_farm(FarmId::new(told.farm.clone())).await?;
        Ok(Answering { access, told })
    }
}
