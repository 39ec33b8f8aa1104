//! Access to a farm by a request whose body says what kind of request it is: switching a device off is not paid from the
//! budget that switching it on is.

use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;

use super::action::Needs;
use super::budget::Kind;
use super::caller::Caller;
use super::farm::{FarmAccess, farm_of_path};
use super::state::AppState;
use crate::error::{ApiError, Body};

/// A body that says from which budget its request is taken.
pub(crate) trait Asks {
    fn kind(&self) -> Kind;
}

/// A caller who may do `N` in a farm, and what is asked.
pub(crate) struct Asked<N, B> {
    pub(crate) access: FarmAccess<N>,
    pub(crate) body: B,
}

impl<N: Needs, B: DeserializeOwned + Asks + Send> FromRequest<AppState> for Asked<N, B> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let caller = Caller::of_request(&parts, state).await?;
        let farm = farm_of_path(&mut parts, state).await?;
        let request = Request::from_parts(parts.clone(), body);
        let body = Body::<B>::from_request(request, state).await;
        let kind = body.as_ref().map_or(N::KIND, |Body(body)| body.kind());
        caller.pay(kind, &parts.method)?;
        let access = caller.in_farm(farm).await?;
        let Body(body) = body?;
        Ok(Self { access, body })
    }
}
