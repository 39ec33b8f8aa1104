//! The way to stop: any role, and a budget of its own.

use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::action::StopDevices;
use super::caller::Caller;
use super::farm::{FarmAccess, farm_of_path};
use super::state::AppState;
use crate::error::ApiError;

/// A caller who stops. Neither reading nor commanding nor anything else uses up what this takes.
pub(crate) struct Stopping(pub(crate) FarmAccess<StopDevices>);

impl FromRequestParts<AppState> for Stopping {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::of_request(parts, state).await?;
        state
            .stops()
            .take(caller.payer(), Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let farm = farm_of_path(parts, state).await?;
        Ok(Self(caller.in_farm(farm).await?))
    }
}
