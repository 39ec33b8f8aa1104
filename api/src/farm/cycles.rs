//! Crop cycles: what grows in which zone, from sowing or transplanting to its end, and what is expected of it.

use crate::records::sql::Json;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::form::Form;
use super::operations::{Record, Seen, operations};
use super::stages::{self, Current, Setpoint, Stage};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::records::{Decimal, Paise, Stored, Value};
use crate::resource::Resource;

/// The most plants of a cycle.
const MAX_PLANTS: i64 = 10_000_000;

/// A crop in a zone, from its beginning to its end.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CropCycle {
    id: String,
    crop: String,
    #[schema(required)]
    variety: Option<String>,
    zone_id: String,
    /// The names of its polyhouse and zone; null where the zone is gone.
    #[sqlx(skip)]
    #[schema(required)]
    zone: Option<String>,
    #[schema(required)]
    plants: Option<i64>,
    /// YYYY-MM-DD, as all days.
    #[schema(required)]
    sown_on: Option<String>,
    /// The day from which stages count; where there is none, the day of sowing.
    #[schema(required)]
    transplanted_on: Option<String>,
    #[schema(required)]
    expected_harvest_on: Option<String>,
    /// Kilograms, of the whole cycle.
    #[sqlx(rename = "expected_yield")]
    #[schema(required)]
    expected_yield_kg: Option<Decimal>,
    /// For one kilogram; null also for who does not see prices.
    #[sqlx(rename = "expected_price")]
    #[schema(required)]
    expected_price_paise: Option<Paise>,
    #[schema(required)]
    ended_on: Option<String>,
    #[schema(value_type = Vec<Stage>)]
    stages: Json<Vec<Stage>>,
    #[schema(required)]
    note: Option<String>,
    #[sqlx(skip)]
    state: State,
    /// Where it stands today, as its stages say.
    #[sqlx(skip)]
    #[schema(required)]
    stage: Option<Current>,
    /// All that was picked, in kilograms.
    harvested_kg: Decimal,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// How far a cycle is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = CropCycleState)]
pub(super) enum State {
    /// Neither sown nor transplanted yet.
    #[default]
    Planned,
    Growing,
    Ended,
}

/// A crop cycle as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CropCycleInput {
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    crop: Option<String>,
    #[schema(max_length = 120)]
    variety: Option<String>,
    #[schema(required, value_type = String)]
    zone_id: Option<String>,
    #[schema(minimum = 1)]
    plants: Option<i64>,
    sown_on: Option<String>,
    /// Not before it was sown.
    transplanted_on: Option<String>,
    expected_harvest_on: Option<String>,
    /// Kilograms.
    expected_yield_kg: Option<Decimal>,
    /// For one kilogram.
    expected_price_paise: Option<Paise>,
    /// Not before it began.
    ended_on: Option<String>,
    /// Up to 20, such as those of a template.
    stages: Option<Vec<Stage>>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl CropCycle {
    /// The day from which its stages count.
    fn began(&self) -> Option<&String> {
        self.transplanted_on.as_ref().or(self.sown_on.as_ref())
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn zone_id(&self) -> &str {
        &self.zone_id
    }

    pub(super) fn label(&self) -> String {
        label(&self.crop, self.variety.as_deref())
    }

    /// What it wants on a day, as its stage then says.
    pub(super) fn wants_on(&self, day: &str) -> Vec<Setpoint> {
        if self.state_on(day) != State::Growing {
            return Vec::new();
        }
        let began = self.began();
        let stage = began.and_then(|began| stages::current(&self.stages, began, day));
        stage.map(|s| s.setpoints).unwrap_or_default()
    }

    /// What is still to be picked is worth; none where nothing is expected of it.
    pub(super) fn still_expected(&self) -> Option<Paise> {
        let (expected, price) = self.expected_yield_kg.zip(self.expected_price_paise)?;
        let left = expected.0.saturating_sub(self.harvested_kg.0).max(0);
        Some(price.times(Decimal(left)))
    }

    pub(super) fn state_on(&self, today: &str) -> State {
        let reached = |day: &Option<String>| day.as_deref().is_some_and(|d| d <= today);
        if reached(&self.ended_on) {
            State::Ended
        } else if reached(&self.sown_on) || reached(&self.transplanted_on) {
            State::Growing
        } else {
            State::Planned
        }
    }
}

impl Stored for CropCycle {
    const TABLE: &'static str = "crop_cycles";
    const ALSO: &'static str = ", (SELECT CAST(COALESCE(SUM(h.weight), 0) AS BIGINT) FROM harvests h WHERE h.cycle_id = r.id) AS harvested_kg";
    const MAX: i64 = 5_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("crop", (&self.crop).into()),
            ("variety", (&self.variety).into()),
            ("zone_id", (&self.zone_id).into()),
            ("plants", self.plants.into()),
            ("sown_on", (&self.sown_on).into()),
            ("transplanted_on", (&self.transplanted_on).into()),
            ("expected_harvest_on", (&self.expected_harvest_on).into()),
            ("expected_yield", self.expected_yield_kg.into()),
            ("expected_price", self.expected_price_paise.into()),
            ("ended_on", (&self.ended_on).into()),
            ("stages", Value::json(&self.stages)),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for CropCycle {
    const RESOURCE: Resource = Resource::CropCycle;
    type Input = CropCycleInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: CropCycleInput,
        form: &mut Form<'_>,
        before: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let cycle = Self {
            crop: form.name("crop", input.crop),
            variety: form.line("variety", input.variety),
            zone_id: form.zone("zoneId", input.zone_id, before.map(|b| &*b.zone_id)),
            plants: form.count("plants", input.plants, 1..=MAX_PLANTS),
            sown_on: form.day("sownOn", input.sown_on),
            transplanted_on: form.day("transplantedOn", input.transplanted_on),
            expected_harvest_on: form.day("expectedHarvestOn", input.expected_harvest_on),
            expected_yield_kg: form.quantity("expectedYieldKg", input.expected_yield_kg, false),
            expected_price_paise: form.money("expectedPricePaise", input.expected_price_paise),
            ended_on: form.day("endedOn", input.ended_on),
            stages: Json(stages::read(form, input.stages)),
            note: form.lines("note", input.note),
            ..Self::default()
        };
        form.in_order(
            "transplantedOn",
            cycle.sown_on.as_ref(),
            cycle.transplanted_on.as_ref(),
        );
        form.in_order(
            "expectedHarvestOn",
            cycle.began(),
            cycle.expected_harvest_on.as_ref(),
        );
        form.in_order("endedOn", cycle.began(), cycle.ended_on.as_ref());
        Ok(cycle)
    }

    fn name(&self) -> String {
        self.label()
    }

    fn complete(&mut self, seen: &Seen) {
        self.state = self.state_on(&seen.today);
        self.zone = seen.zones.get(&self.zone_id).cloned();
        let began = self.began().filter(|_| self.state == State::Growing);
        self.stage = began.and_then(|day| stages::current(&self.stages, day, &seen.today));
        if !seen.money {
            self.expected_price_paise = None;
        }
    }
}

/// A crop with its variety.
pub(super) fn label(crop: &str, variety: Option<&str>) -> String {
    match variety {
        Some(variety) => format!("{crop} {variety}"),
        None => crop.to_owned(),
    }
}

/// The same of the cycle that a row `r` names, read beside its columns.
macro_rules! cycle_label {
    () => {
        ", (SELECT c.crop || COALESCE(' ' || c.variety, '') FROM crop_cycles c WHERE c.id = r.cycle_id) AS cycle"
    };
}
pub(super) use cycle_label;

operations!(
    CropCycle, CropCycleInput, "/api/farms/{farmId}/crop-cycles", "/api/farms/{farmId}/crop-cycles/{cycleId}", "cycleId",
    "list_crop_cycles": "List crop cycles", "create_crop_cycle": "Create a crop cycle",
    "replace_crop_cycle": "Replace a crop cycle", "delete_crop_cycle": "Delete a crop cycle",
);
