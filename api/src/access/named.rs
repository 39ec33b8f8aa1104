//! Which farm a request is about, as far as its head says it.

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::Method;
use axum::http::header::AUTHORIZATION;
use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use serde::Deserialize;

use super::{AppState, Caller};
use crate::delivery::Channel;
use crate::delivery::replies::Reply;
use crate::error::ApiError;
use crate::records::now_ms;
use crate::routes::sender_of;
use crate::secret::Seal;

/// Where controllers are registered.
const ASSETS: &str = "/onboarding/assets";
/// The largest body of that.
const MAX_BODY: usize = 64 << 10;
/// How long that may take: nobody has said yet who they are.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// The servers of other farms.
pub(crate) trait Elsewhere: Send + Sync {
    /// Has the server of a farm do what somebody answered, once; what is said to them.
    fn reply<'a>(
        &'a self,
        farm: &'a FarmId,
        channel: Channel,
        reply: &'a Reply,
    ) -> BoxFuture<'a, Result<Option<String>, ApiError>>;
}

impl AppState {
    /// Seals what servers that share the records say to each other.
    pub(crate) fn between(&self) -> &Seal {
        self.records().between()
    }

    /// Whether that farm is this server's.
    pub(crate) fn has(&self, farm: &FarmId) -> bool {
        self.hub().has(farm)
    }

    /// The farm that a request is about: in its path, or in its query where it is a live connection or an onboarding; a controller's, or that of
    /// a message's link. None where it is about none, or names nobody.
    ///
    /// # Errors
    /// When the records fail.
    pub(crate) async fn farm_of(&self, request: &mut Request) -> Result<Option<FarmId>, ApiError> {
        if request.method() == Method::POST && request.uri().path() == ASSETS {
            return match named_in_body(request).await? {
                Some(farm) => Ok(Some(farm)),
                None => self.first_farm_of(request).await,
            };
        }
        let (path, query) = (request.uri().path(), request.uri().query());
        if let Some(rest) = path.strip_prefix("/api/farms/") {
            let id = rest.split('/').next().unwrap_or_default();
            return Ok(decoded(id).map(FarmId::new));
        }
        if let Some(token) = path.strip_prefix("/a/") {
            let told = self.records().told_by_link(token, now_ms()).await?;
            return Ok(told.ok().map(|told| FarmId::new(told.farm)));
        }
        Ok(match path {
            ASSETS => of_query(query, "farmId").map(FarmId::new),
            "/intake" | "/api/v2/write" | "/weatherstation/updateweatherstation.php" => {
                let header = request.headers().get(AUTHORIZATION);
                let name = sender_of(header.and_then(|h| h.to_str().ok()), query);
                name.and_then(|name| self.records().farm_of_account(&name))
            }
            _ if path.starts_with("/socket.io") => of_query(query, "farm").map(FarmId::new),
            _ => None,
        })
    }

    /// The farm that a request is about which names none: the caller's first.
    async fn first_farm_of(&self, request: &mut Request) -> Result<Option<FarmId>, ApiError> {
        let (parts, body) = std::mem::take(request).into_parts();
        let caller = Caller::of_request(&parts, self).await;
        *request = Request::from_parts(parts, body);
        // Whoever it is not, is told so as everywhere.
        let Ok(caller) = caller else {
            return Ok(None);
        };
        let first = caller.farms().await?.into_iter().next();
        Ok(first.map(|(farm, _)| FarmId::new(farm.id)))
    }
}

/// What of a registration's body says where it belongs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    farm_id: Option<String>,
}

/// The farm that a registration names in its body, which stays as it is.
async fn named_in_body(request: &mut Request) -> Result<Option<FarmId>, ApiError> {
    let body = std::mem::take(request.body_mut());
    let body = tokio::time::timeout(BODY_WAIT, to_bytes(body, MAX_BODY));
    let body = body.await.map_err(|_| ApiError::bad_json())?;
    let body = body.map_err(|_| ApiError::too_large())?;
    let named = serde_json::from_slice::<Named>(&body).ok();
    *request.body_mut() = body.into();
    Ok(named.and_then(|named| named.farm_id).map(FarmId::new))
}

fn of_query(query: Option<&str>, name: &str) -> Option<String> {
    let mut all = form_urlencoded::parse(query?.as_bytes());
    all.find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

/// A part of a path without its escapes.
fn decoded(part: &str) -> Option<String> {
    let plus = part.replace('+', "%2B");
    let mut all = form_urlencoded::parse(plus.as_bytes());
    let (text, _) = all.next()?;
    (!text.is_empty()).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_path_is_read_without_its_escapes() {
        assert_eq!(decoded("green-farm").as_deref(), Some("green-farm"));
        assert_eq!(decoded("a%20b+c").as_deref(), Some("a b+c"));
        assert_eq!(decoded(""), None);
    }
}
