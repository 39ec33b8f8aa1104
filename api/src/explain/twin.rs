//! The twin of a trial, as a document.

use harit_engine::{DeviceId, Quantity, ScopeSpec, SensorType};
use harit_ingest::past::{DeviceEffect, PlaceTwin, Refused, TwinReport, Unknown};
use serde::Serialize;
use utoipa::ToSchema;

use super::Lines;
use crate::document::{ScopeDocument, SensorTypeDocument};

/// A model of what the farm's houses do, fitted to the days before the span.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestTwin)]
pub(crate) struct TwinBody {
    /// From when on it was learned.
    from: i64,
    /// Until when.
    to: i64,
    /// The signals of the places in which the tried rules switch something, whether they follow or not.
    places: Vec<PlaceBody>,
}

/// A signal of a place.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestTwinPlace)]
pub(crate) struct PlaceBody {
    #[schema(value_type = ScopeDocument)]
    place: ScopeSpec,
    #[schema(value_type = SensorTypeDocument)]
    sensor_type: SensorType,
    /// Why its readings stay as they were; null where they follow.
    #[schema(required)]
    refused: Option<RefusedName>,
    /// In how many minutes a difference shrinks to 37 % while no device runs.
    #[schema(required)]
    time_constant_min: Option<f64>,
    /// By how much the model is off an hour ahead, as the root of the mean square, in days that it had not seen; in the signal's unit.
    #[schema(required)]
    error: Option<f64>,
    /// By how much "it stays as it is" is.
    #[schema(required)]
    baseline: Option<f64>,
    effects: Vec<EffectBody>,
    unknown: Vec<UnknownBody>,
    /// The lowest and the highest reading that there was.
    #[schema(required, value_type = Option<[f64; 2]>)]
    was: Option<[Quantity; 2]>,
    /// The lowest and the highest that there would have been.
    #[schema(required, value_type = Option<[f64; 2]>)]
    would: Option<[Quantity; 2]>,
}

/// What devices do to a signal.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestTwinEffect)]
pub(crate) struct EffectBody {
    /// The devices; of several, which always ran together, it is known only what they do together.
    devices: Vec<String>,
    /// In the signal's unit, an hour at full, where they usually run.
    per_hour: f64,
    /// The standard error of that.
    standard_error: f64,
}

/// A device of which it is not known what it does.
#[derive(Serialize, ToSchema)]
#[schema(as = BacktestTwinUnknown)]
pub(crate) struct UnknownBody {
    device: String,
    why: UnknownName,
}

#[derive(Serialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[schema(as = BacktestTwinRefused)]
enum RefusedName {
    /// There is less than a day of it before the span.
    TooLittlePast,
    /// Of none of its devices it is known what it does.
    NoDevice,
    /// The model is no nearer than "it stays as it is", or than one that knows no device.
    NotBetter,
}

#[derive(Serialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
#[schema(as = BacktestTwinWhy)]
enum UnknownName {
    /// It never ran, or for less than half an hour in all.
    NeverRan,
    /// It was never off for half an hour in all.
    AlwaysRan,
    /// What it does cannot be told from nothing.
    NotSeen,
    /// It seems to do the contrary of what such a device does: something else did that.
    Contrary,
}

/// To a thousandth: more is not known.
fn shown(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

impl TwinBody {
    pub(crate) fn new(of: &TwinReport) -> Self {
        Self {
            from: of.from.as_millis(),
            to: of.to.as_millis(),
            places: of.places.iter().map(PlaceBody::new).collect(),
        }
    }
}

impl PlaceBody {
    fn new(of: &PlaceTwin) -> Self {
        let effect = |e: &DeviceEffect| EffectBody {
            devices: e.devices.iter().map(ToString::to_string).collect(),
            per_hour: shown(e.per_hour),
            standard_error: shown(e.error),
        };
        let unknown = |(device, why): &(DeviceId, Unknown)| UnknownBody {
            device: device.to_string(),
            why: match why {
                Unknown::NeverRan => UnknownName::NeverRan,
                Unknown::AlwaysRan => UnknownName::AlwaysRan,
                Unknown::NotSeen => UnknownName::NotSeen,
                Unknown::Contrary => UnknownName::Contrary,
            },
        };
        let [was, would] = of
            .extremes
            .map_or([None; 2], |e| e.map(|(a, b)| Some([a, b])));
        Self {
            place: of.place.clone(),
            sensor_type: of.sensor_type,
            refused: of.refused.map(|why| match why {
                Refused::TooLittlePast => RefusedName::TooLittlePast,
                Refused::NoDevice => RefusedName::NoDevice,
                Refused::NotBetter => RefusedName::NotBetter,
            }),
            time_constant_min: of.time_constant_min.map(shown),
            error: of.error.map(shown),
            baseline: of.baseline.map(shown),
            effects: of.effects.iter().map(effect).collect(),
            unknown: of.unknown.iter().map(unknown).collect(),
            was,
            would,
        }
    }

    fn line(&self) -> String {
        let (signal, unit) = (self.sensor_type.as_str(), self.sensor_type.unit());
        let place = self.place.name.as_deref().unwrap_or_else(|| {
            let zone = self.place.zone_id.as_ref().map(|z| z.as_str());
            let house = self.place.polyhouse_id.as_ref().map(|h| h.as_str());
            zone.or(house).unwrap_or("farm")
        });
        let off = self.error.zip(self.baseline).map(|(error, baseline)| {
            format!(", off by {error} {unit} an hour ahead (as it is: {baseline} {unit})")
        });
        let off = off.unwrap_or_default();
        let says = match self.refused {
            Some(RefusedName::TooLittlePast) => "no twin, less than a day before the span",
            Some(RefusedName::NoDevice) => "no twin, what its devices do is not known",
            Some(RefusedName::NotBetter) => "no twin, it is no better than without devices",
            None => "follows",
        };
        let effects = self.effects.iter().map(|e| {
            let devices = e.devices.join(" and ");
            format!(
                "; {devices} {} ± {} {unit} an hour",
                e.per_hour, e.standard_error
            )
        });
        let unknown = self
            .unknown
            .iter()
            .map(|u| format!("; {} not known", u.device));
        let told: String = effects.chain(unknown).collect();
        let extremes = self
            .was
            .zip(self.would)
            .map(|([a, b], [c, d])| format!("; {c} to {d} {unit} (was {a} to {b} {unit})"));
        format!(
            "twin: {signal} of {place}: {says}{off}{}{told}",
            extremes.unwrap_or_default()
        )
    }
}

impl Lines for TwinBody {
    fn lines(&self) -> Vec<String> {
        self.places.iter().map(PlaceBody::line).collect()
    }
}
