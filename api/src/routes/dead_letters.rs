//! What was refused on its way in.

use axum::Json;
use harit_ingest::dead_letter::DeadLetter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::access::{FarmAccess, OperateFarm};
use crate::error::{ApiError, Params};

/// The most dead letters of one listing.
const MAX_LISTED: usize = 500;

/// How many to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DeadLetterQuery {
    /// At most so many: 1 to 500, 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
}

/// Messages that were refused for one reason on one topic.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetter)]
pub(super) struct DeadLetterBody {
    topic: String,
    /// Why, as a stable word.
    reason: String,
    /// The beginning of the latest one; what is no text is shown as a replacement character.
    payload: String,
    count: u64,
    first_at: i64,
    last_at: i64,
}

impl From<DeadLetter> for DeadLetterBody {
    fn from(letter: DeadLetter) -> Self {
        Self {
            topic: letter.topic,
            reason: letter.reason,
            payload: String::from_utf8_lossy(&letter.payload).into_owned(),
            count: letter.count,
            first_at: letter.first_at.as_millis(),
            last_at: letter.last_at.as_millis(),
        }
    }
}

/// The dead letters
///
/// What was refused of the farm's controllers, the latest first.
/// For OWNER and ADMIN.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/dead-letters", tag = "operation",
    operation_id = "list_dead_letters", summary = "List dead letters", params(DeadLetterQuery),
    responses((status = OK, body = Vec<DeadLetterBody>))
)]
pub(super) async fn list(
    access: FarmAccess<OperateFarm>,
    Params(query): Params<DeadLetterQuery>,
) -> Result<Json<Vec<DeadLetterBody>>, ApiError> {
    let limit = query.limit.unwrap_or(100).clamp(1, MAX_LISTED);
    Ok(Json(
        access
            .hub()
            .dead_letters(limit)
            .await?
            .into_iter()
            .map(DeadLetterBody::from)
            .collect(),
    ))
}
