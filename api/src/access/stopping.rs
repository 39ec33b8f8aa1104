//! The way to stop: any role, a budget of its own, and ids by which a request that is sent again stops nothing twice.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::action::StopDevices;
use super::caller::Caller;
use super::farm::{FarmAccess, farm_of_path};
use super::state::AppState;
use crate::error::ApiError;

/// The most ids that are remembered; the oldest go first.
const MAX_KNOWN: usize = 4_096;

/// A caller who stops. Neither reading nor commanding nor anything else uses up what this takes.
pub(crate) struct Stopping(pub(crate) FarmAccess<StopDevices>);

impl FromRequestParts<AppState> for Stopping {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::of_request(parts, state).await?;
        state
            .stops()
            .take(&caller.user().id, Instant::now())
            .map_err(ApiError::too_many_attempts)?;
        let farm = farm_of_path(parts, state).await?;
        Ok(Self(caller.in_farm(farm).await?))
    }
}

/// The ids of stops that were done, by farm and person. A restart forgets them: then a repetition stops again, which is the
/// safe mistake.
#[derive(Debug, Default)]
pub(crate) struct KnownStops(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl KnownStops {
    /// Whether that one was done.
    pub(crate) fn has(&self, id: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.ids.contains(id)
    }

    /// Remembers one; false where it is known.
    pub(crate) fn add(&self, id: String) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.ids.insert(id.clone()) {
            return false;
        }
        known.order.push_back(id);
        if known.order.len() > MAX_KNOWN
            && let Some(oldest) = known.order.pop_front()
        {
            known.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ids_are_forgotten() {
        let known = KnownStops::default();
        for n in 0..=MAX_KNOWN {
            assert!(known.add(n.to_string()));
        }
        assert!(!known.add("1".to_owned()));
        assert!(!known.has("0"), "the first one made room");
        assert!(known.has(&MAX_KNOWN.to_string()));
        assert_eq!(known.0.lock().expect("unpoisoned").ids.len(), MAX_KNOWN);
    }
}
