//! Device profiles that are shipped, and the bench, on which a message is read without anything being kept of it.

use axum::Json;
use harit_engine::{Measured, Quantity, SensorType};
use harit_profiles::{Aliases, Problem, Profile, ProfileDocument, Profiles, SHIPPED, Said, Unread};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{Caller, FarmAccess, OperateFarm};
use crate::document::SensorTypeDocument;
use crate::error::{ApiError, Body};

/// A profile that is shipped.
#[derive(Serialize, ToSchema)]
#[schema(as = ShippedDeviceProfile)]
pub(super) struct ShippedBody {
    id: String,
    name: String,
    /// Where its system documents what it says.
    source: String,
    /// In TOML: what a profile of one's own begins with.
    document: &'static str,
}

/// The shipped device profiles
///
/// In the order in which they are asked, after a farm's own. For everybody who is signed in.
#[utoipa::path(
    get, path = "/api/device-profiles", tag = "operation",
    operation_id = "list_shipped_device_profiles", summary = "List the shipped device profiles",
    responses((status = OK, body = Vec<ShippedBody>))
)]
pub(super) async fn shipped(_: Caller) -> Json<Vec<ShippedBody>> {
    let all = SHIPPED.iter().filter_map(|shipped| {
        let document = ProfileDocument::from_toml(shipped.text).ok()?;
        Some(ShippedBody {
            id: document.id,
            name: document.name,
            source: document.source,
            document: shipped.text,
        })
    });
    Json(all.collect())
}

/// A message to be tried.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DeviceProfileTrial)]
pub(super) struct Trial {
    /// The message's topic.
    #[schema(max_length = 256)]
    topic: String,
    /// What stands in it, as text.
    #[schema(max_length = 262_144)]
    payload: String,
    /// The profile to try, in TOML; without one the farm's own and the shipped ones are asked.
    #[schema(max_length = 65_536)]
    document: Option<String>,
}

/// What a message becomes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeviceProfileResult)]
pub(super) struct Tried {
    /// The id of the profile that read it.
    #[schema(required)]
    profile: Option<String>,
    /// Why it could not be read, as a stable word.
    #[schema(required)]
    unread: Option<&'static str>,
    /// What is wrong with the profile.
    problems: Vec<ProblemBody>,
    readings: Vec<TriedReading>,
    /// Whether it says that the controller can be reached.
    #[schema(required)]
    online: Option<bool>,
    devices: Vec<TriedDevice>,
    announced: Vec<TriedAnnouncement>,
}

/// What is wrong with a profile, and where.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceProfileProblem)]
pub(super) struct ProblemBody {
    /// Where, as `messages[0].readings[1].unit`.
    path: String,
    /// What, in English: the words of the document are.
    message: String,
}

/// A reading that a message becomes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TriedReading)]
pub(super) struct TriedReading {
    /// The controller's own id of the sensor.
    id: String,
    #[serde(rename = "type")]
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// In the type's unit; null where it is a fault.
    #[schema(required, value_type = Option<f64>)]
    value: Option<Quantity>,
    /// Whether the value lies in the plausible range of the type; one that does not is a fault.
    plausible: bool,
    /// When it was true, in milliseconds since 1970; null is the arrival.
    #[schema(required)]
    at: Option<i64>,
}

/// A device that a message tells of.
#[derive(Serialize, ToSchema)]
#[schema(as = TriedDevice)]
pub(super) struct TriedDevice {
    /// The controller's own id of it.
    id: String,
    on: bool,
}

/// Something that announces itself in a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TriedAnnouncement)]
pub(super) struct TriedAnnouncement {
    /// The controller's own id of it.
    id: String,
    /// What it measures; null of a device.
    #[serde(rename = "type")]
    #[schema(required, value_type = Option<SensorTypeDocument>)]
    sensor_type: Option<SensorType>,
}

impl From<Problem> for ProblemBody {
    fn from(Problem { path, message }: Problem) -> Self {
        Self { path, message }
    }
}

impl Tried {
    fn new(profile: Option<String>, unread: Option<Unread>, said: Said) -> Self {
        let readings = said.readings.into_iter().map(|r| {
            let (low, high) = r.sensor_type.plausible_range();
            let value = match r.value {
                Measured::Value(value) => Some(value),
                Measured::Null | Measured::NotFinite => None,
            };
            TriedReading {
                id: r.id,
                sensor_type: r.sensor_type,
                value: value.map(harit_engine::Decimal::rounded),
                plausible: value.is_some_and(|v| v.within(low, high)),
                at: r.time.map(|time| time.millis(0)),
            }
        });
        let devices = said.devices.into_iter();
        let announced = said.announced.into_iter();
        Self {
            profile,
            unread: unread.map(word),
            problems: Vec::new(),
            readings: readings.collect(),
            online: said.online,
            devices: devices
                .map(|d| TriedDevice { id: d.id, on: d.on })
                .collect(),
            announced: announced
                .map(|a| TriedAnnouncement {
                    id: a.id,
                    sensor_type: a.sensor_type,
                })
                .collect(),
        }
    }

    fn unsound(problems: Vec<Problem>) -> Self {
        let mut tried = Self::new(None, None, Said::default());
        tried.problems = problems.into_iter().map(ProblemBody::from).collect();
        tried
    }
}

const fn word(unread: Unread) -> &'static str {
    match unread {
        Unread::NoProfile => "no_profile",
        Unread::Malformed => "malformed",
        Unread::TooDeep => "too_deep",
        Unread::TooMany => "too_many",
        Unread::UnknownAlias => "unknown_alias",
    }
}

/// Tries a message on the bench
///
/// What it becomes by a profile that is being written, or by those that the farm has. Nothing is kept of it and nothing happens. For
/// OWNER and ADMIN.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/device-profiles/try", tag = "operation",
    operation_id = "try_device_profile", summary = "Try a message on the bench", request_body = Trial,
    responses((status = OK, body = Tried))
)]
pub(super) async fn try_one(
    access: FarmAccess<OperateFarm>,
    Body(trial): Body<Trial>,
) -> Result<Json<Tried>, ApiError> {
    let (topic, payload) = (trial.topic.as_str(), trial.payload.as_bytes());
    let mut aliases = Aliases::default();
    let own = match trial.document.as_deref().map(ProfileDocument::from_toml) {
        None => None,
        Some(Err(problem)) => return Ok(Json(Tried::unsound(vec![problem]))),
        Some(Ok(document)) => match Profile::new(&document) {
            Err(problems) => return Ok(Json(Tried::unsound(problems))),
            Ok(profile) => Some(profile),
        },
    };
    let profiles: std::sync::Arc<Profiles> = access.hub().profiles();
    let read = match &own {
        Some(own) => own
            .read(topic, payload, &mut aliases)
            .map(|said| (own.id(), said)),
        None => profiles.read(topic, payload, &mut aliases),
    };
    Ok(Json(match read {
        Ok((id, said)) => Tried::new(Some(id.to_owned()), None, said),
        Err(unread) => Tried::new(None, Some(unread), Said::default()),
    }))
}
