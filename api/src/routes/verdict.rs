//! How a farm and its houses stand: one word each, never better than what is known, with the reasons.

use axum::Json;
use harit_engine::Timestamp;
use harit_engine::verdict::{FarmVerdict, PlaceVerdict, Reason, Store, Thing, What};
use serde::Serialize;
use utoipa::ToSchema;

use super::lock_body::LockKindBody;
use crate::access::{FarmAccess, ReadFarm};
use crate::document::SensorTypeDocument;
use crate::error::ApiError;

/// How a farm and its houses stand.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = FarmVerdict)]
pub(crate) struct VerdictBody {
    /// The worst of the houses and of what lies in none.
    farm: PlaceBody,
    /// Each polyhouse, by id. Empty where the farm cannot be asked.
    houses: Vec<HouseBody>,
}

/// How a place stands, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Verdict)]
enum VerdictWord {
    NotKnown,
    Danger,
    OutOfRange,
    ByHand,
    Well,
    NotSetUp,
}

/// The verdict of a place.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = PlaceVerdict)]
struct PlaceBody {
    verdict: VerdictWord,
    /// Why, the worst first.
    reasons: Vec<ReasonBody>,
    /// How many more reasons there are.
    more: usize,
}

/// The verdict of a polyhouse.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HouseVerdict)]
pub(super) struct HouseBody {
    polyhouse_id: String,
    name: String,
    verdict: VerdictWord,
    /// Why, the worst first.
    reasons: Vec<ReasonBody>,
    /// How many more reasons there are.
    more: usize,
}

/// A reason of a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VerdictReason)]
pub(super) struct ReasonBody {
    /// What the place is for this reason alone.
    verdict: VerdictWord,
    /// The one act that helps.
    act: ActWord,
    /// The polyhouse; null for the farm.
    #[schema(required)]
    polyhouse_id: Option<String>,
    /// Since when, as far as that is known.
    #[schema(required)]
    since: Option<i64>,
    what: WhatBody,
}

/// The one act that helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = VerdictAct)]
enum ActWord {
    CallOperator,
    CheckController,
    CheckSensor,
    CheckDevice,
    Remove,
    SeeAlert,
    SeeDay,
    Unlock,
    GiveBack,
    StartRule,
}

/// A thing with its name; the name is empty where nobody gave it one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = NamedThing)]
pub(super) struct ThingBody {
    id: String,
    name: String,
}

/// What a server stores things in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StoreKind)]
enum StoreWord {
    Journal,
    History,
}

/// What a reason is about.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schema(as = VerdictWhat)]
enum WhatBody {
    /// The server does not answer for the farm.
    NoAnswer,
    /// The server cannot store what it is told.
    CannotWrite { store: StoreWord },
    /// The farm's engine failed; it is isolated until the next start.
    EngineFailed,
    /// A controller cannot be reached.
    ControllerOffline {
        /// Its MAC id.
        controller: String,
        sensors: usize,
        devices: usize,
    },
    /// Sensors of a type have no fresh value. `since` is their last value's instant.
    NoSignal {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: harit_engine::SensorType,
        /// The first few of the silent ones.
        sensors: Vec<ThingBody>,
        silent: usize,
        /// How many the place has.
        of: usize,
    },
    /// A rule's condition is unknown.
    RuleBlind {
        rule: ThingBody,
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: harit_engine::SensorType,
        /// The first few of those that it drives.
        devices: Vec<ThingBody>,
        /// Whether all that it drives were last told to be off.
        all_off: bool,
    },
    /// An alert's condition is unknown.
    AlertBlind {
        alert: ThingBody,
        /// Whether it is raised all the same.
        raised: bool,
    },
    /// A controller no longer announces a sensor.
    SensorGone {
        sensor: ThingBody,
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: harit_engine::SensorType,
    },
    /// A controller no longer announces a device.
    DeviceGone { device: ThingBody },
    /// A device cannot be reached.
    DeviceOffline { device: ThingBody },
    /// A device is locked.
    Locked {
        device: ThingBody,
        lock: LockKindBody,
        /// The lock's own reason.
        reason: String,
        /// Who locked it, where it was a person.
        #[schema(required)]
        by: Option<String>,
    },
    /// A device does not do what it was told.
    NotFollowing { device: ThingBody },
    /// An alert is raised.
    AlertRaised { alert: ThingBody, critical: bool },
    /// A polyhouse's mean is not in the range that its crops want.
    OutsideRange {
        #[schema(value_type = SensorTypeDocument)]
        sensor_type: harit_engine::SensorType,
        /// The mean, rounded to two decimals.
        #[schema(value_type = f64)]
        value: harit_engine::Quantity,
        /// The least that they want.
        #[schema(value_type = f64)]
        low: harit_engine::Quantity,
        /// The most.
        #[schema(value_type = f64)]
        high: harit_engine::Quantity,
    },
    /// A person has a device.
    Override {
        device: ThingBody,
        /// Until when.
        until: i64,
        /// Whether it is to be on.
        on: bool,
        /// Who.
        #[schema(required)]
        by: Option<String>,
    },
    /// A device is in safety mode.
    Safety { device: ThingBody },
    /// A rule that was deployed is disabled, or a draft again.
    RuleOff { rule: ThingBody, draft: bool },
}

/// How a farm and its houses stand
///
/// One word for the farm and for each polyhouse, worst first: not_known, danger, out_of_range, by_hand, well; not_set_up where
/// nothing is there. It is never better than what is known, and a farm that cannot be asked has a verdict too. Sent as the
/// live event `verdict` when it changes.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/verdict", tag = "farms",
    operation_id = "get_verdict", summary = "Get the verdict of a farm",
    responses((status = OK, body = VerdictBody))
)]
pub(super) async fn get(access: FarmAccess<ReadFarm>) -> Result<Json<VerdictBody>, ApiError> {
    let verdict = access.hub().verdict().await?;
    Ok(Json(VerdictBody::from(&*verdict)))
}

impl VerdictBody {
    pub(super) fn into_houses(self) -> Vec<HouseBody> {
        self.houses
    }
}

impl HouseBody {
    pub(super) fn id(&self) -> &str {
        &self.polyhouse_id
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl From<&FarmVerdict> for VerdictBody {
    fn from(verdict: &FarmVerdict) -> Self {
        let houses = verdict.houses.iter().map(|h| {
            let place = PlaceBody::from(&h.place);
            HouseBody {
                polyhouse_id: h.id.to_string(),
                name: h.name.clone(),
                verdict: place.verdict,
                reasons: place.reasons,
                more: place.more,
            }
        });
        Self {
            farm: PlaceBody::from(&verdict.farm),
            houses: houses.collect(),
        }
    }
}

impl From<&PlaceVerdict> for PlaceBody {
    fn from(place: &PlaceVerdict) -> Self {
        Self {
            verdict: place.verdict.into(),
            reasons: place.reasons.iter().map(ReasonBody::from).collect(),
            more: place.more,
        }
    }
}

impl From<&Reason> for ReasonBody {
    fn from(reason: &Reason) -> Self {
        Self {
            verdict: reason.what.verdict().into(),
            act: reason.what.act().into(),
            polyhouse_id: reason.house.as_ref().map(ToString::to_string),
            since: reason.since.map(Timestamp::as_millis),
            what: WhatBody::from(&reason.what),
        }
    }
}

/// The same words on both sides.
macro_rules! same_words {
    ($from:ty => $to:ident: $($word:ident)+) => {
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                match from {
                    $(<$from>::$word => Self::$word,)+
                }
            }
        }
    };
}

same_words!(harit_engine::verdict::Verdict => VerdictWord: NotKnown Danger OutOfRange ByHand Well NotSetUp);
same_words!(harit_engine::verdict::Act => ActWord:
    CallOperator CheckController CheckSensor CheckDevice Remove SeeAlert SeeDay Unlock GiveBack StartRule);
same_words!(Store => StoreWord: Journal History);

impl ThingBody {
    pub(super) fn new(id: impl std::fmt::Display, name: &str) -> Self {
        Self {
            id: id.to_string(),
            name: name.to_owned(),
        }
    }
}

impl<Id: std::fmt::Display> From<&Thing<Id>> for ThingBody {
    fn from(thing: &Thing<Id>) -> Self {
        Self::new(&thing.id, &thing.name)
    }
}

impl From<&What> for WhatBody {
    fn from(what: &What) -> Self {
        let text = |t: &Option<std::sync::Arc<str>>| t.as_deref().map(str::to_owned);
        match what {
            What::NoAnswer => Self::NoAnswer,
            What::CannotWrite(store) => Self::CannotWrite {
                store: (*store).into(),
            },
            What::EngineFailed => Self::EngineFailed,
            What::ControllerOffline {
                controller,
                sensors,
                devices,
            } => Self::ControllerOffline {
                controller: controller.to_string(),
                sensors: *sensors,
                devices: *devices,
            },
            What::NoSignal {
                sensor_type,
                sensors,
                silent,
                of,
            } => Self::NoSignal {
                sensor_type: *sensor_type,
                sensors: sensors.iter().map(ThingBody::from).collect(),
                silent: *silent,
                of: *of,
            },
            What::RuleBlind {
                rule,
                sensor_type,
                devices,
                all_off,
            } => Self::RuleBlind {
                rule: rule.into(),
                sensor_type: *sensor_type,
                devices: devices.iter().map(ThingBody::from).collect(),
                all_off: *all_off,
            },
            What::AlertBlind { alert, raised } => Self::AlertBlind {
                alert: alert.into(),
                raised: *raised,
            },
            What::SensorGone {
                sensor,
                sensor_type,
            } => Self::SensorGone {
                sensor: sensor.into(),
                sensor_type: *sensor_type,
            },
            What::DeviceGone(d) => Self::DeviceGone { device: d.into() },
            What::DeviceOffline(d) => Self::DeviceOffline { device: d.into() },
            What::Locked {
                device,
                kind,
                reason,
                by,
            } => Self::Locked {
                device: device.into(),
                lock: (*kind).into(),
                reason: reason.to_string(),
                by: text(by),
            },
            What::NotFollowing(d) => Self::NotFollowing { device: d.into() },
            What::AlertRaised { alert, critical } => Self::AlertRaised {
                alert: alert.into(),
                critical: *critical,
            },
            What::OutsideRange {
                sensor_type,
                value,
                low,
                high,
            } => Self::OutsideRange {
                sensor_type: *sensor_type,
                value: *value,
                low: *low,
                high: *high,
            },
            What::Override {
                device,
                until,
                on,
                by,
            } => Self::Override {
                device: device.into(),
                until: until.as_millis(),
                on: *on,
                by: text(by),
            },
            What::Safety(d) => Self::Safety { device: d.into() },
            What::RuleOff { rule, draft } => Self::RuleOff {
                rule: rule.into(),
                draft: *draft,
            },
        }
    }
}
