//! Who holds each device of a farm, what else wants it, since when and until when.

use std::collections::HashMap;

use axum::Json;
use axum::http::HeaderMap;
use harit_engine::explain::DeviceExplanation;
use harit_engine::{Engine, ScopeSpec, Timestamp};
use harit_ingest::DevicePresence;
use serde::Serialize;
use utoipa::ToSchema;

use super::devices::{name, presence};
use super::scopes::Places;
use crate::access::{FarmAccess, ReadFarm};
use crate::document::{DeviceTypeDocument, ScopeDocument};
use crate::error::ApiError;
use crate::explain::{StepBody, StepName};
use crate::language::Language;
use crate::manual_since::ManualSince;
use crate::records::now_ms;

/// Who holds the devices of a farm.
#[derive(Serialize, ToSchema)]
#[schema(as = Holders)]
pub(super) struct HoldersBody {
    /// The instant of which it is told, in epoch milliseconds.
    at: i64,
    /// By device id.
    devices: Vec<HeldBody>,
}

/// A device and who holds it.
#[derive(Serialize, ToSchema)]
#[schema(as = HeldDevice)]
pub(super) struct HeldBody {
    id: String,
    name: String,
    #[serde(rename = "type")]
    #[schema(value_type = DeviceTypeDocument)]
    device_type: harit_engine::DeviceType,
    #[schema(value_type = ScopeDocument)]
    scope: ScopeSpec,
    /// Whether its controller can be reached.
    online: bool,
    /// What it is reported to do; null where that is not known.
    #[schema(required)]
    reported: Option<bool>,
    /// The lane of precedence in which it is held.
    lane: StepName,
    holder: StepBody,
    /// What else wants it, the strongest first; its rest is left out.
    others: Vec<StepBody>,
}

/// Who holds each device
///
/// By precedence: locks and stops, safety mode, people, limits of the machine, rules by priority, rest.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/holders", tag = "automation",
    operation_id = "list_holders", summary = "List who holds each device",
    responses((status = OK, body = HoldersBody))
)]
pub(super) async fn list(
    access: FarmAccess<ReadFarm>,
    headers: HeaderMap,
) -> Result<Json<HoldersBody>, ApiError> {
    let language = Language::of(&headers);
    let question = |engine: &Engine| (engine.holders(), Places::of(engine));
    let (held, places) = access.hub().read(question).await?;
    let presence = presence(&access).await?;
    let by_hand = held.iter().filter(|d| d.status.manual.is_some());
    let since = ManualSince::of(&access, by_hand.map(|d| d.status.spec.id.as_str())).await?;
    let there = |d: &DeviceExplanation| {
        let device = presence.get(d.status.spec.id.as_str());
        !device.is_some_and(|p| p.gone)
    };
    let devices = held.iter().filter(|d| there(d));
    Ok(Json(HoldersBody {
        at: now_ms(),
        devices: devices
            .filter_map(|d| HeldBody::new(d, &presence, &places, &since, language))
            .collect(),
    }))
}

impl HeldBody {
    fn new(
        of: &DeviceExplanation,
        presence: &HashMap<String, DevicePresence>,
        places: &Places,
        since: &ManualSince,
        language: Language,
    ) -> Option<Self> {
        let spec = &of.status.spec;
        let mut steps = of.steps.iter().enumerate().map(|(n, step)| {
            let mut body = StepBody::new(step, n == of.decides, language);
            if body.is(StepName::Manual) {
                body.since = since.get(spec.id.as_str()).map(Timestamp::as_millis);
            }
            body
        });
        let holder = steps.next()?;
        Some(Self {
            id: spec.id.to_string(),
            name: name(spec),
            device_type: spec.device_type,
            scope: places.labelled(&spec.scope),
            online: of.status.online,
            // the engine knows it of the devices that rules look at alone
            reported: { presence.get(spec.id.as_str()).filter(|_| of.status.online) }
                .and_then(|p| p.reported)
                .map(|r| r.on),
            lane: holder.kind(),
            others: steps.filter(|s| !s.is(StepName::Rest)).collect(),
            holder,
        })
    }
}
