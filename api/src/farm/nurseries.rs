//! Nurseries: seedlings in trays, from sowing over germination to transplanting.

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::cycles::{CropCycle, cycle_label, label};
use super::form::Form;
use super::operations::{Record, Seen, operations};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Stored, Value};
use crate::resource::Resource;

/// The most trays of a batch, and cells of a tray.
const MAX_TRAYS: i64 = 100_000;
const MAX_CELLS: i64 = 1_000;

/// Seedlings that were sown together.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Nursery {
    id: String,
    crop: String,
    #[schema(required)]
    variety: Option<String>,
    /// Where the trays stand, in the farm's own words.
    #[schema(required)]
    place: Option<String>,
    trays: i64,
    cells_per_tray: i64,
    /// Trays times cells.
    #[sqlx(skip)]
    seeds: i64,
    /// YYYY-MM-DD, as all days.
    sown_on: String,
    /// Seeds that came up; null as long as nobody counted.
    #[schema(required)]
    germinated: Option<i64>,
    /// Of the seeds, in whole percent.
    #[sqlx(skip)]
    #[schema(required)]
    germinated_percent: Option<i64>,
    /// When they should be ready to be transplanted.
    #[schema(required)]
    ready_on: Option<String>,
    #[schema(required)]
    transplanted: Option<i64>,
    /// From this day on nothing of it is in the nursery.
    #[schema(required)]
    transplanted_on: Option<String>,
    /// The crop cycle into which they went.
    #[schema(required)]
    cycle_id: Option<String>,
    #[schema(required)]
    cycle: Option<String>,
    #[schema(required)]
    note: Option<String>,
    #[sqlx(skip)]
    state: State,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// How far seedlings are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = NurseryState)]
enum State {
    #[default]
    Sown,
    Germinated,
    /// It is the day on which they should be ready, or later.
    Ready,
    Transplanted,
}

/// Seedlings as people write them.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NurseryInput {
    /// 1 to 120 characters.
    #[schema(required, value_type = String, max_length = 120)]
    crop: Option<String>,
    #[schema(max_length = 120)]
    variety: Option<String>,
    #[schema(max_length = 120)]
    place: Option<String>,
    /// 1 to 100000.
    #[schema(required, value_type = i64)]
    trays: Option<i64>,
    /// 1 to 1000.
    #[schema(required, value_type = i64)]
    cells_per_tray: Option<i64>,
    #[schema(required, value_type = String)]
    sown_on: Option<String>,
    /// At most the seeds.
    germinated: Option<i64>,
    ready_on: Option<String>,
    /// At most those that came up.
    transplanted: Option<i64>,
    transplanted_on: Option<String>,
    cycle_id: Option<String>,
    #[schema(max_length = 2000)]
    note: Option<String>,
}

impl Stored for Nursery {
    const TABLE: &'static str = "nurseries";
    const ALSO: &'static str = cycle_label!();
    const DAY: Option<&'static str> = Some("sown_on");
    const MAX: i64 = 5_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("crop", (&self.crop).into()),
            ("variety", (&self.variety).into()),
            ("place", (&self.place).into()),
            ("trays", self.trays.into()),
            ("cells_per_tray", self.cells_per_tray.into()),
            ("sown_on", (&self.sown_on).into()),
            ("germinated", self.germinated.into()),
            ("ready_on", (&self.ready_on).into()),
            ("transplanted", self.transplanted.into()),
            ("transplanted_on", (&self.transplanted_on).into()),
            ("cycle_id", (&self.cycle_id).into()),
            ("note", (&self.note).into()),
        ]
    }
}

impl Record for Nursery {
    const RESOURCE: Resource = Resource::Nursery;
    type Input = NurseryInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: NurseryInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let trays = form.some_count("trays", input.trays, 1..=MAX_TRAYS);
        let cells = form.some_count("cellsPerTray", input.cells_per_tray, 1..=MAX_CELLS);
        let seeds = trays.saturating_mul(cells);
        let germinated = form.count("germinated", input.germinated, 0..=seeds);
        let left = germinated.unwrap_or(seeds);
        let nursery = Self {
            crop: form.name("crop", input.crop),
            variety: form.line("variety", input.variety),
            place: form.line("place", input.place),
            trays,
            cells_per_tray: cells,
            sown_on: form.some_day("sownOn", input.sown_on),
            germinated,
            ready_on: form.day("readyOn", input.ready_on),
            transplanted: form.count("transplanted", input.transplanted, 0..=left),
            transplanted_on: form.day("transplantedOn", input.transplanted_on),
            cycle_id: form
                .reference::<CropCycle>("cycleId", input.cycle_id)
                .await?,
            note: form.lines("note", input.note),
            ..Self::default()
        };
        let sown = Some(&nursery.sown_on);
        form.in_order("readyOn", sown, nursery.ready_on.as_ref());
        form.in_order("transplantedOn", sown, nursery.transplanted_on.as_ref());
        if nursery.transplanted.is_some() && nursery.transplanted_on.is_none() {
            form.wrong("transplantedOn", "required", Text::FieldRequired);
        }
        Ok(nursery)
    }

    fn name(&self) -> String {
        label(&self.crop, self.variety.as_deref())
    }

    fn complete(&mut self, seen: &Seen) {
        let reached = |day: &Option<String>| day.as_deref().is_some_and(|d| d <= &*seen.today);
        self.seeds = self.trays.saturating_mul(self.cells_per_tray);
        self.germinated_percent = self.germinated.map(|n| n * 100 / self.seeds.max(1));
        self.state = if reached(&self.transplanted_on) {
            State::Transplanted
        } else if reached(&self.ready_on) {
            State::Ready
        } else if self.germinated.is_some() {
            State::Germinated
        } else {
            State::Sown
        };
    }
}

operations!(
    Nursery, NurseryInput, "/api/farms/{farmId}/nurseries", "/api/farms/{farmId}/nurseries/{nurseryId}", "nurseryId",
    "list_nurseries": "List nurseries", "create_nursery": "Create a nursery",
    "replace_nursery": "Replace a nursery", "delete_nursery": "Delete a nursery",
);
