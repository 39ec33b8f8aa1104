//! From where a request comes, as far as sign-ins remember it.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use crate::address::ClientAddress;
use crate::records::Origin;

/// The address and the program of who asks.
pub(super) struct Client {
    address: Option<String>,
    user_agent: Option<String>,
    device: Option<String>,
}

/// Carries the secret that a browser made for itself: 32 to 128 characters.
const DEVICE: &str = "x-harit-device";

impl Client {
    pub(super) fn origin(&self) -> Origin<'_> {
        Origin {
            address: self.address.as_deref(),
            user_agent: self.user_agent.as_deref(),
            device: self.device.as_deref(),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let address = parts.extensions.get::<ClientAddress>();
        let header = |name: &str| {
            let value = parts.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned())
        };
        Ok(Self {
            address: address.map(|a| a.ip.to_string()),
            user_agent: header(header::USER_AGENT.as_str()),
            device: header(DEVICE),
        })
    }
}
