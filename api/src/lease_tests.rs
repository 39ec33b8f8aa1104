//! The test of a lease: a device is switched on for a short time, nothing more is sent, and it has to go off by itself.
//!
//! It is not the engine that switches: the device is locked by its lease until it is proven, and meanwhile only off goes out. A test
//! lives as long as its process; what it proved stands in the records.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use harit_engine::{DeviceId, LockKind};
use harit_ingest::lease::LeasedDevice;
use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;
use utoipa::ToSchema;

use crate::access::{FarmAccess, WriteAssets};
use crate::audit::Action;
use crate::error::ApiError;
use crate::records::now_ms;

/// How often the device is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// How long it may take to say that it is off, or on.
const SAYS_WITHIN: Duration = Duration::from_secs(10);
/// How much later than its lease it may go off, and say so.
const TOLERANCE_MS: i64 = 5_000;
/// How much earlier it may: before that somebody else switched it off.
const EARLY_MS: i64 = 2_000;
/// The most tests that are remembered.
const MAX_TESTS: usize = 1_000;

/// What a test is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LeaseTestState)]
pub(crate) enum TestState {
    /// The device is locked, and off first.
    SwitchingOff,
    /// It was told to be on.
    SwitchingOn,
    /// It is on, and has to go off by itself.
    Waiting,
    /// It did.
    Proven,
    /// It did not: see the reason.
    Failed,
}

impl TestState {
    pub(crate) const fn is_over(self) -> bool {
        matches!(self, Self::Proven | Self::Failed)
    }
}

/// Why nothing is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = LeaseTestFailure)]
pub(crate) enum Failure {
    /// It did not say that it is off when it was told to be.
    NotOff,
    /// It did not say that it is on when it was told to be.
    NotOn,
    /// It went off before its time: somebody or something else switched it off.
    TooEarly,
    /// It stayed on beyond its time, and was switched off.
    StayedOn,
    /// It did not say that its lease is set.
    NotShown,
    /// Its controller was lost.
    Unreachable,
    /// Somebody stopped or locked it.
    Stopped,
    /// A fault of the server.
    Server,
}

/// A test that runs or ran.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeaseTest {
    pub(crate) state: TestState,
    pub(crate) failure: Option<Failure>,
    pub(crate) started_at: i64,
    pub(crate) seconds: i64,
}

/// The tests since the start, the latest of each device.
#[derive(Debug, Default)]
pub(crate) struct LeaseTests(Mutex<HashMap<(String, String), LeaseTest>>);

impl LeaseTests {
    fn with<R>(&self, act: impl FnOnce(&mut HashMap<(String, String), LeaseTest>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn of(&self, farm: &str, device: &str) -> Option<LeaseTest> {
        self.with(|all| all.get(&(farm.to_owned(), device.to_owned())).copied())
    }

    /// Begins a test, unless one of the device runs: that one.
    pub(crate) fn begin(
        &self,
        farm: &str,
        device: &str,
        seconds: i64,
    ) -> Result<LeaseTest, LeaseTest> {
        let key = (farm.to_owned(), device.to_owned());
        self.with(|all| {
            if let Some(runs) = all.get(&key).filter(|t| !t.state.is_over()) {
                return Err(*runs);
            }
            if all.len() >= MAX_TESTS {
                all.retain(|_, t| !t.state.is_over());
            }
            let test = LeaseTest {
                state: TestState::SwitchingOff,
                failure: None,
                started_at: now_ms(),
                seconds,
            };
            all.insert(key, test);
            Ok(test)
        })
    }

    fn turn(&self, farm: &str, device: &DeviceId, state: TestState, failure: Option<Failure>) {
        let key = (farm.to_owned(), device.to_string());
        self.with(|all| {
            if let Some(test) = all.get_mut(&key) {
                (test.state, test.failure) = (state, failure);
            }
        });
    }
}

/// A device whose lease is tested.
pub(crate) struct Tested {
    pub(crate) device: DeviceId,
    pub(crate) target: LeasedDevice,
    /// With how long a lease.
    pub(crate) seconds: i64,
    /// Whether its answer has to show the lease.
    pub(crate) shows: bool,
    /// How often it wakes, if it sleeps.
    pub(crate) wakes_every_sec: Option<u32>,
    /// How it is commanded.
    pub(crate) control: String,
}

impl Tested {
    /// How long it may take to do what it is told, and to say so. One that sleeps may miss one time at which it should have woken.
    fn says_within(&self) -> Duration {
        let asleep = self.wakes_every_sec.unwrap_or(0).saturating_mul(2);
        SAYS_WITHIN + Duration::from_secs(asleep.into())
    }
}

/// What the device does, and since when that is known.
struct Seen {
    on: bool,
    at: i64,
}

/// Runs a test that was begun, to its end.
pub(crate) async fn run(access: FarmAccess<WriteAssets>, tested: Tested) {
    let farm = access.farm().to_string();
    let outcome = tried(&access, &tested).await;
    let shown = access.hub().end_trial(&tested.target);
    let outcome = match outcome {
        Ok(()) if tested.shows && !shown => Err(Failure::NotShown),
        outcome => outcome,
    };
    let outcome = match outcome {
        Ok(()) => prove(&access, &tested).await.map_err(|error| {
            tracing::error!(%farm, device = %tested.device, ?error, "a proven lease could not be kept");
            Failure::Server
        }),
        Err(failure) => {
            // Whatever went wrong: it is not left on.
            let _gone = access.hub().try_lease(&tested.target, None).await;
            Err(failure)
        }
    };
    let (state, failure) = match outcome {
        Ok(()) => (TestState::Proven, None),
        Err(failure) => (TestState::Failed, Some(failure)),
    };
    access
        .lease_tests()
        .turn(&farm, &tested.device, state, failure);
}

async fn tried(access: &FarmAccess<WriteAssets>, tested: &Tested) -> Result<(), Failure> {
    let farm = access.farm().to_string();
    let turn = |state| {
        access
            .lease_tests()
            .turn(&farm, &tested.device, state, None);
    };
    let hub = access.hub();
    let lost = |_| Failure::Unreachable;
    unprove(access, tested).await.map_err(|_| Failure::Server)?;
    hub.try_lease(&tested.target, None).await.map_err(lost)?;
    until(access, tested, false, tested.says_within())
        .await?
        .ok_or(Failure::NotOff)?;
    turn(TestState::SwitchingOn);
    let on = hub.try_lease(&tested.target, Some(tested.seconds)).await;
    on.map_err(lost)?;
    let began = until(access, tested, true, tested.says_within())
        .await?
        .ok_or(Failure::NotOn)?;
    turn(TestState::Waiting);
    let lease_ms = tested.seconds.saturating_mul(1_000);
    let wait = u64::try_from(lease_ms + TOLERANCE_MS).unwrap_or_default();
    let ended = until(access, tested, false, Duration::from_millis(wait))
        .await?
        .ok_or(Failure::StayedOn)?;
    let lasted = ended.at - began.at;
    if lasted < lease_ms - EARLY_MS {
        return Err(Failure::TooEarly);
    }
    Ok(())
}

/// Waits until the device says that it is on, or off; none where it does not in time.
async fn until(
    access: &FarmAccess<WriteAssets>,
    tested: &Tested,
    on: bool,
    within: Duration,
) -> Result<Option<Seen>, Failure> {
    let deadline = Instant::now() + within;
    loop {
        match seen(access, tested).await? {
            Some(seen) if seen.on == on => return Ok(Some(seen)),
            _ if Instant::now() >= deadline => return Ok(None),
            _ => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
}

async fn seen(access: &FarmAccess<WriteAssets>, tested: &Tested) -> Result<Option<Seen>, Failure> {
    let hub = access.hub();
    let server = |_| Failure::Server;
    let id = tested.device.to_string();
    let status = hub.read(move |engine| engine.device(&id)).await;
    let status = status.map_err(server)?.ok_or(Failure::Unreachable)?;
    if !status.online {
        return Err(Failure::Unreachable);
    }
    if status.locks.iter().any(|l| l.kind != LockKind::Controller) {
        return Err(Failure::Stopped);
    }
    let controllers = hub.controllers().await.map_err(server)?;
    let devices = controllers.iter().flat_map(|c| &c.devices);
    let found = devices.into_iter().find(|d| d.id == tested.device);
    Ok(found.and_then(|d| d.reported).map(|reported| Seen {
        on: reported.on,
        at: reported.at.as_millis(),
    }))
}

/// It counts as not proven while it is tested, and after a test that failed.
async fn unprove(access: &FarmAccess<WriteAssets>, tested: &Tested) -> Result<(), ApiError> {
    let mut write = access.write().await?;
    write.take_lease_proof(&tested.target).await?;
    let details = json!({"seconds": tested.seconds, "outcome": "begun"});
    write
        .commit(Action::LeaseTested, tested.device.as_str(), details)
        .await?;
    access.hub().settle_leases().await
}

async fn prove(access: &FarmAccess<WriteAssets>, tested: &Tested) -> Result<(), ApiError> {
    let mut write = access.write().await?;
    let by = access.user().id.clone();
    write
        .put_lease_proof(&tested.target, &tested.control, &by)
        .await?;
    let details = json!({"seconds": tested.seconds, "outcome": "proven"});
    write
        .commit(Action::LeaseTested, tested.device.as_str(), details)
        .await?;
    access.hub().settle_leases().await
}
