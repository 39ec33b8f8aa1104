//! Notes: what somebody saw or did at a moment, beside what was measured then.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::form::Form;
use super::operations::{Record, operations};
use crate::access::{ReadFarm, WriteCrops};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Stored, Value};
use crate::resource::Resource;

/// The last instant of a note: the end of the year 2100, as of days.
const MAX_AT: i64 = 4_133_980_799_999;
/// How much of a note names it in the log, in characters.
const NAME: usize = 80;

/// A note.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Note {
    id: String,
    /// The moment that it is about, epoch milliseconds. Lists are asked for by its day in UTC.
    at: i64,
    /// The zone that it is about; null is the whole farm.
    #[schema(required)]
    zone_id: Option<String>,
    text: String,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// A note as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NoteInput {
    /// Epoch milliseconds.
    #[schema(required, value_type = i64)]
    at: Option<i64>,
    zone_id: Option<String>,
    /// 1 to 2000 characters.
    #[schema(required, value_type = String, max_length = 2000)]
    text: Option<String>,
}

impl Note {
    fn day(&self) -> String {
        let at = Timestamp::from_millisecond(self.at).unwrap_or_default();
        at.to_zoned(TimeZone::UTC).date().to_string()
    }
}

impl Stored for Note {
    const TABLE: &'static str = "notes";
    const DAY: Option<&'static str> = Some("day");
    const MAX: i64 = 20_000;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("at", self.at.into()),
            ("day", (&self.day()).into()),
            ("zone_id", (&self.zone_id).into()),
            ("text", (&self.text).into()),
        ]
    }
}

impl Record for Note {
    const RESOURCE: Resource = Resource::Note;
    type Input = NoteInput;
    type Read = ReadFarm;
    type Write = WriteCrops;

    async fn read(
        input: NoteInput,
        form: &mut Form<'_>,
        before: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let kept = before.and_then(|note| note.zone_id.as_deref());
        let zone = input.zone_id.filter(|id| !id.is_empty());
        let text = form.lines("text", input.text);
        if text.is_none() {
            form.wrong("text", "required", Text::FieldRequired);
        }
        Ok(Self {
            at: form.some_count("at", input.at, 0..=MAX_AT),
            zone_id: zone.map(|id| form.zone("zoneId", Some(id), kept)),
            text: text.unwrap_or_default(),
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        let line = self.text.lines().next().unwrap_or_default();
        line.chars().take(NAME).collect()
    }
}

operations!(
    Note, NoteInput, "/api/farms/{farmId}/notes", "/api/farms/{farmId}/notes/{noteId}", "noteId",
    "list_notes": "List notes", "create_note": "Create a note",
    "replace_note": "Replace a note", "delete_note": "Delete a note",
);
