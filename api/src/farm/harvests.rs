//! Harvests: what was picked of a cycle on a day, by weight and grade.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::{CropCycle, cycle_label};
use super::form::Form;
use super::operations::{Record, Seen, operations};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::records::{Decimal, Stored, Value};
use crate::resource::Resource;

/// How good a harvest is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[sqlx(type_name = "TEXT", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Grade {
    #[default]
    A,
    B,
    C,
    /// Not for sale.
    Waste,
}

/// What was picked of a crop cycle on a day.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Harvest {
    id: String,
    pub(super) cycle_id: String,
    cycle: String,
    /// The names of the cycle's polyhouse and zone; null where the zone is gone.
    #[sqlx(skip)]
    #[schema(required)]
    zone: Option<String>,
    #[serde(skip)]
    zone_id: String,
    /// YYYY-MM-DD
    pub(super) harvested_on: String,
    #[sqlx(rename = "weight")]
    pub(super) weight_kg: Decimal,
    pub(super) grade: Grade,
    #[schema(required)]
    note: Option<String>,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// A harvest as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct HarvestInput {
    #[schema(required, value_type = String)]
    cycle_id: Option<String>,
    #[schema(required, value_type = String)]
    harvested_on: Option<String>,
    /// Kilograms, with up to three decimals.
    #[schema(required, value_type = Decimal)]
    weight_kg: Option<Decimal>,
    #[schema(required, value_type = Grade)]
    grade: Option<String>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl Stored for Harvest {
    const TABLE: &'static str = "harvests";
    const ALSO: &'static str = concat!(
        cycle_label!(),
        ", (SELECT c.zone_id FROM crop_cycles c WHERE c.id = r.cycle_id) AS zone_id"
    );
    const DAY: Option<&'static str> = Some("harvested_on");
    const MAX: i64 = 50_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("cycle_id", (&self.cycle_id).into()),
            ("harvested_on", (&self.harvested_on).into()),
            ("weight", self.weight_kg.into()),
            ("grade", Value::word(&self.grade)),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for Harvest {
    const RESOURCE: Resource = Resource::Harvest;
    type Input = HarvestInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: HarvestInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            cycle_id: form
                .some_reference::<CropCycle>("cycleId", input.cycle_id)
                .await?,
            harvested_on: form.some_day("harvestedOn", input.harvested_on),
            weight_kg: form.some_quantity("weightKg", input.weight_kg),
            grade: form.some_choice("grade", input.grade.as_deref()),
            note: form.lines("note", input.note),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.cycle.clone()
    }

    fn complete(&mut self, seen: &Seen) {
        self.zone = seen.zones.get(&self.zone_id).cloned();
    }
}

operations!(
    Harvest, HarvestInput, "/api/farms/{farmId}/harvests", "/api/farms/{farmId}/harvests/{harvestId}", "harvestId",
    "list_harvests": "List harvests", "create_harvest": "Create a harvest",
    "replace_harvest": "Replace a harvest", "delete_harvest": "Delete a harvest",
);
