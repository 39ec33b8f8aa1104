//! Access to one farm: its records and its engine, and nobody else's.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use harit_engine::{DeviceId, Event, FarmId, InputKind, Timestamp};
use harit_ingest::log::{LogFilter, LogPage};
use harit_ingest::mqtt::Principal;
use harit_protocol::Mac;
use jiff::Zoned;
use jiff::tz::TimeZone;
use serde_json::Value;
use tokio::sync::MutexGuard;

use super::action::Needs;
use super::budget::Kind;
use super::caller::Caller;
use super::hub::FarmHub;
use super::known_stops::KnownStops;
use super::state::AppState;
use super::trials::Trials;
use crate::audit::{Action, Entry};
use crate::contact::Contact;
use crate::error::ApiError;
use crate::lease_tests::LeaseTests;
use crate::log;
use crate::ranges::Ranges;
use crate::records::{FarmRecords, UserRow, Write, now_ms};
use crate::resource::Resource;
use crate::role::Role;
use crate::version::{IfMatch, Versioned};
use crate::weather::Weather;

/// The path parameter that names the farm.
const PARAMETER: &str = "farmId";

/// A caller who may do `N` in a farm.
pub(crate) struct FarmAccess<N> {
    caller: Caller,
    role: Role,
    farm: FarmId,
    if_match: IfMatch,
    action: PhantomData<N>,
}

/// A change of the farm's records by the caller; see [`Write`].
pub(crate) struct FarmWrite<'a> {
    write: Write,
    caller: &'a Caller,
}

impl FarmWrite<'_> {
    /// Makes the change durable together with the audit log's entry of it.
    pub(crate) async fn commit(
        self,
        action: Action,
        subject: &str,
        details: Value,
    ) -> Result<(), ApiError> {
        let entry = self.caller.entry(action, subject, details);
        Ok(self.write.commit(entry).await?)
    }

    /// Another entry of the same change, before the one of [`Self::commit`].
    pub(crate) fn also(&mut self, action: Action, subject: &str, details: Value) {
        let entry = self.caller.entry(action, subject, details);
        self.write.also(entry);
    }

    /// The same for what nobody asks about later.
    pub(crate) async fn commit_untold(self, resource: Resource) -> Result<(), ApiError> {
        Ok(self.write.commit_untold(resource).await?)
    }
}

impl Deref for FarmWrite<'_> {
    type Target = Write;

    fn deref(&self) -> &Write {
        &self.write
    }
}

impl DerefMut for FarmWrite<'_> {
    fn deref_mut(&mut self) -> &mut Write {
        &mut self.write
    }
}

impl Caller {
    /// Access to a farm for an action. A farm that is not the caller's does not exist, as far as the caller can tell.
    pub(crate) async fn in_farm<N: Needs>(self, farm: FarmId) -> Result<FarmAccess<N>, ApiError> {
        let role = self.state.records().role_in(&self.user.id, &farm).await?;
        let role = role.filter(|_| self.reaches(farm.as_str()));
        let role = role.ok_or_else(ApiError::not_found)?;
        if !N::allows(role) {
            metrics::counter!("harit_denied_total").increment(1);
            return Err(ApiError::not_permitted());
        }
        self.within_token::<N>()?;
        Ok(FarmAccess {
            caller: self,
            role,
            farm,
            if_match: IfMatch::default(),
            action: PhantomData,
        })
    }

    /// Access to the farm that is named, else to the caller's first one.
    pub(crate) async fn in_farm_or_first<N: Needs>(
        self,
        farm: Option<&str>,
    ) -> Result<FarmAccess<N>, ApiError> {
        let farm = match farm {
            Some(id) => FarmId::from(id),
            None => FarmId::new(
                self.farms()
                    .await?
                    .into_iter()
                    .next()
                    .ok_or_else(ApiError::no_farm)?
                    .0
                    .id,
            ),
        };
        self.in_farm(farm).await
    }
}

impl<N> FarmAccess<N> {
    pub(crate) const fn farm(&self) -> &FarmId {
        &self.farm
    }

    /// What the farm's crops want, as it was read last.
    pub(crate) fn ranges(&self) -> Arc<Ranges> {
        self.caller.state.ranges().get(&self.farm)
    }

    /// What the farm's crops want, just read.
    pub(crate) fn put_ranges(&self, ranges: Ranges) {
        self.caller.state.ranges().put(&self.farm, Arc::new(ranges));
    }

    pub(crate) const fn role(&self) -> Role {
        self.role
    }

    pub(crate) const fn user(&self) -> &UserRow {
        self.caller.user()
    }

    pub(crate) fn records(&self) -> FarmRecords {
        self.caller.state.records().of_farm(self.farm.clone())
    }

    pub(crate) fn hub(&self) -> FarmHub<'_> {
        FarmHub {
            hub: self.caller.state.hub(),
            farm: &self.farm,
            records: self.records(),
        }
    }

    /// Whether the caller may do something else in the farm.
    pub(crate) fn may<M: Needs>(&self) -> bool {
        M::allows(self.role)
    }

    /// Today in the farm, as YYYY-MM-DD; in UTC where its time zone is unknown.
    pub(crate) async fn today(&self) -> Result<String, ApiError> {
        let farm = self.records().farm_row().await?;
        let farm = farm.ok_or_else(ApiError::not_found)?;
        Ok(day_in(&farm.timezone, Timestamp::from_millis(now_ms())))
    }

    /// When today began in the farm, in epoch milliseconds; in UTC where its time zone is unknown.
    pub(crate) async fn day_start(&self) -> Result<i64, ApiError> {
        let farm = self.records().farm_row().await?;
        let farm = farm.ok_or_else(ApiError::not_found)?;
        Ok(day_start(&farm.timezone, Timestamp::from_millis(now_ms())))
    }

    /// The stops whose ids are remembered.
    pub(crate) fn known_stops(&self) -> &KnownStops {
        self.caller.state.known_stops()
    }

    /// The trials of rules that are being computed.
    pub(crate) fn trials(&self) -> &Trials {
        self.caller.state.trials()
    }

    /// The tests of leases that run or ran.
    pub(crate) fn lease_tests(&self) -> &LeaseTests {
        self.caller.state.lease_tests()
    }

    /// Begins a change of the farm's records. Nothing else is written until it is committed or dropped.
    pub(crate) async fn write(&self) -> Result<FarmWrite<'_>, ApiError> {
        Ok(FarmWrite {
            write: self.records().write().await?,
            caller: &self.caller,
        })
    }

    /// Refuses a change of another version than the present one, with what it is now and who changed it.
    pub(crate) async fn expect<T: Versioned>(&self, id: &str, current: &T) -> Result<(), ApiError> {
        if self.if_match.allows(current.etag()) {
            return Ok(());
        }
        let last = self.records().last_change(id).await?;
        Err(ApiError::changed_meanwhile(last, current))
    }

    /// To be held while a document of the farm is read and changed.
    pub(crate) async fn editing(&self) -> MutexGuard<'_, ()> {
        self.caller.state.editing(&self.farm).await
    }

    /// Counts a manual command for a device.
    pub(crate) fn count_command(&self, device: &DeviceId) -> Result<(), ApiError> {
        let key = format!("{} {device}", self.farm);
        self.caller
            .state
            .commands()
            .take(&key, Instant::now())
            .map_err(|wait| Kind::Command.spent(wait))
    }

    /// A controller was changed or taken away: what is known of it is asked for anew, and its connection ends.
    pub(crate) fn controller_revoked(&self, mac: Mac) {
        self.hub().controller_changed(&mac);
        let farm = self.farm.clone();
        let controller = Principal::Controller { farm, mac };
        self.caller.state.kick(&controller);
    }

    /// An integration was changed or taken away: its connections end.
    pub(crate) fn integration_revoked(&self, username: &str) {
        let (farm, name) = (self.farm.clone(), username.into());
        let integration = Principal::Integration { farm, name };
        self.caller.state.kick(&integration);
    }

    /// Gives the engine a change of what it stores. Its log has who made it, and the audit log has it from there.
    ///
    /// # Errors
    /// When the engine refuses the change, or it cannot be stored; also when the audit log lacks earlier ones and they cannot
    /// be written. Then nothing is changed.
    pub(crate) async fn admit(
        &self,
        kind: InputKind,
        action: Action,
        subject: &str,
        details: Value,
    ) -> Result<Vec<Event>, ApiError> {
        let entry = self.caller.entry(action, subject, details);
        self.admit_with(kind, &[entry]).await
    }

    /// The same with several entries.
    pub(crate) async fn admit_all(
        &self,
        kind: InputKind,
        subject: &str,
        deeds: Vec<(Action, Value)>,
    ) -> Result<Vec<Event>, ApiError> {
        let deeds = deeds.into_iter();
        let entries: Vec<Entry> = deeds
            .map(|(action, details)| self.caller.entry(action, subject, details))
            .collect();
        self.admit_with(kind, &entries).await
    }

    async fn admit_with(&self, kind: InputKind, entries: &[Entry]) -> Result<Vec<Event>, ApiError> {
        let state = &self.caller.state;
        let (records, hub) = (state.records(), state.hub());
        // the farm keeps but the latest of them
        log::take_authored(records, hub, &self.farm).await?;
        let text = serde_json::to_string(entries).map_err(|_| ApiError::internal())?;
        let events = hub.admit_authored(&self.farm, kind, &text).await?;
        // done is done, and the farm's log has who did it
        let _later = log::take_authored(records, hub, &self.farm).await;
        Ok(events)
    }

    /// Writes down in the farm's log what the caller did to what.
    pub(crate) async fn audit(&self, action: Action, subject: &str, details: Value) {
        let entry = self.caller.entry(action, subject, details);
        let records = self.caller.state.records();
        records.audit(self.farm.as_str(), &entry).await;
    }

    /// Counts a question whether a contact has an account.
    pub(crate) fn count_contact(&self) -> Result<(), ApiError> {
        let state = &self.caller.state;
        state.accounts().count_contact(self.caller.payer())
    }

    /// The browsers in which the caller asked to be told, by id.
    pub(crate) async fn own_browsers(&self) -> Result<Vec<String>, ApiError> {
        let browsers = self.caller.browsers().await?;
        Ok(browsers.into_iter().map(|b| b.id).collect())
    }

    /// Counts a message that the caller sends to themselves.
    pub(crate) fn count_test(&self) -> Result<(), ApiError> {
        let state = &self.caller.state;
        let taken = state.tests().take(self.caller.payer(), Instant::now());
        taken.map_err(ApiError::too_many_attempts)
    }

    /// Tells a person at a contact that it is theirs no longer.
    pub(crate) async fn tell_gone(&self, user: &UserRow, contact: &Contact) {
        let accounts = self.caller.state.accounts();
        accounts.tell_gone(user, contact).await;
    }

    /// A page of the farm's log; it has everything that happened until now. Controllers have the names that they have now, since
    /// the pipeline knows only their MACs.
    pub(crate) async fn log(&self, mut filter: LogFilter) -> Result<LogPage, ApiError> {
        let state = &self.caller.state;
        if let Some(name) = &filter.device {
            filter.controllers = log::controllers_named(name, &self.records());
        }
        log::catch_up(state.records(), state.hub(), &self.farm).await?;
        let page = state.hub().log(&self.farm, filter).await;
        let mut page = page.map_err(|error| {
            tracing::error!(%error, "the log cannot be read");
            ApiError::unavailable()
        })?;
        log::name_controllers(&mut page.entries, &self.records());
        Ok(page)
    }

    pub(crate) fn weather(&self) -> &dyn Weather {
        self.caller.state.weather()
    }
}

impl<N: Needs> FromRequestParts<AppState> for FarmAccess<N> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::of_request(parts, state).await?;
        caller.pay(N::KIND, &parts.method)?;
        let if_match = IfMatch::of(&parts.headers)?;
        let farm = farm_of_path(parts, state).await?;
        let access = caller.in_farm(farm).await?;
        Ok(Self { if_match, ..access })
    }
}

/// The farm that the path names.
pub(super) async fn farm_of_path(parts: &mut Parts, state: &AppState) -> Result<FarmId, ApiError> {
    let params = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| ApiError::not_found())?;
    let mut params = params.iter();
    let farm = params.find(|(name, _)| *name == PARAMETER);
    farm.map(|(_, id)| FarmId::from(id))
        .ok_or_else(ApiError::not_found)
}

fn day_in(timezone: &str, at: Timestamp) -> String {
    zoned(timezone, at).date().to_string()
}

/// When the day of an instant began.
fn day_start(timezone: &str, at: Timestamp) -> i64 {
    let start = zoned(timezone, at).start_of_day();
    start.map_or(at.as_millis(), |s| s.timestamp().as_millisecond())
}

fn zoned(timezone: &str, at: Timestamp) -> Zoned {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let instant =
        jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_the_farms_midnight() {
        // 2026-11-20 18:29:59.999 and 18:30 UTC: midnight in India
        let before = Timestamp::from_millis(1_795_199_399_999);
        let after = Timestamp::from_millis(1_795_199_400_000);
        assert_eq!(day_in("Asia/Kolkata", before), "2026-11-20");
        assert_eq!(day_in("Asia/Kolkata", after), "2026-11-21");
        assert_eq!(day_in("no such zone", after), "2026-11-20");
        assert_eq!(day_start("Asia/Kolkata", after), after.as_millis());
        let day = 24 * 3_600 * 1_000;
        assert_eq!(day_start("Asia/Kolkata", before), after.as_millis() - day);
    }
}
