//! The test of a device's lease: begun with a person's consent, and followed to its end.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{DeviceId, LockKind};
use harit_profiles::LeaseKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::locks::nobody_there;
use crate::access::{FarmAccess, OperateFarm, WriteAssets};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::lease_tests::{Failure, LeaseTest, TestState, Tested, run};

/// Consent to a test.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = LeaseTestRequest)]
pub(super) struct TestRequest {
    /// That somebody made sure of it: the device is switched on. Nothing is tested without.
    #[serde(default)]
    nobody_at_the_machine: bool,
}

/// A test of a device's lease.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeaseTest)]
pub(super) struct TestBody {
    state: TestState,
    #[schema(required)]
    failure: Option<Failure>,
    /// When it began, in epoch milliseconds.
    started_at: i64,
    /// After how many seconds the device has to go off.
    seconds: i64,
}

impl From<LeaseTest> for TestBody {
    fn from(test: LeaseTest) -> Self {
        Self {
            state: test.state,
            failure: test.failure,
            started_at: test.started_at,
            seconds: test.seconds,
        }
    }
}

/// Tests whether a device goes off by itself
///
/// Of a device that a profile commands. It is locked and off first, then switched on with a lease of 10 s (or as long as was set at
/// the device by hand), and nothing more is sent. If it goes off by itself in that time it counts as proven: only then anything
/// switches it on. Answers at once; ask how it goes. One test of a device runs at a time.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/devices/{deviceId}/lease-test", tag = "automation",
    operation_id = "test_lease", summary = "Test a device's lease", request_body = TestRequest,
    responses(
        (status = ACCEPTED, body = TestBody),
        (status = CONFLICT, description = "It has no lease to be tested, is not reachable, or somebody locked it", body = ErrorBody),
    )
)]
pub(super) async fn start(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<TestRequest>,
) -> Result<(StatusCode, Json<TestBody>), ApiError> {
    nobody_there(request.nobody_at_the_machine)?;
    let asked = id.clone();
    let found = access
        .hub()
        .read(move |engine| engine.device(&asked))
        .await?;
    let status = found.ok_or_else(ApiError::not_found)?;
    if !status.online {
        return Err(ApiError::device_offline());
    }
    if status.locks.iter().any(|l| l.kind != LockKind::Controller) {
        return Err(ApiError::lease_untestable(Text::DeviceLocked));
    }
    let device = DeviceId::from(id.as_str());
    let target = access.hub().device_target(&device).await?;
    let untestable = || ApiError::lease_untestable(Text::NoLease);
    let target = target.ok_or_else(untestable)?;
    let profiles = access.hub().profiles();
    let control = profiles.controlled(&target.1).ok_or_else(untestable)?;
    if control.lease() == LeaseKind::None {
        return Err(untestable());
    }
    let tested = Tested {
        device,
        seconds: control.test_seconds(),
        shows: control.has_prove(),
        wakes_every_sec: control.wakes_every(),
        control: control.identity().to_string(),
        target: target.clone(),
    };
    let begun = { access.lease_tests() }.begin(access.farm().as_str(), &id, tested.seconds);
    let test = match begun {
        Err(runs) => runs,
        Ok(test) => {
            // On its own: who hangs up does not leave it half done.
            tokio::spawn(run(access, tested));
            test
        }
    };
    Ok((StatusCode::ACCEPTED, Json(test.into())))
}

/// How a test goes
///
/// The latest one of the device since the server started.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/devices/{deviceId}/lease-test", tag = "automation",
    operation_id = "lease_test", summary = "Get the test of a device's lease",
    responses((status = OK, body = TestBody))
)]
pub(super) async fn get(
    access: FarmAccess<OperateFarm>,
    Item(id): Item,
) -> Result<Json<TestBody>, ApiError> {
    let test = access.lease_tests().of(access.farm().as_str(), &id);
    Ok(Json(test.ok_or_else(ApiError::not_found)?.into()))
}
