//! What is to be done: a board of four columns whose order everybody shares.

use axum::Json;
use axum::http::StatusCode;
use harit_engine::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::refusals::{ByRole, OfFarm, WithInput, WithSession};
use super::task_fields::{TaskInput, column};
use super::wrong::Wrong;
use crate::access::{FarmAccess, Needs, ReadFarm, WriteTasks};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{Task, TaskError, TaskPriority, TaskStatus, TaskText, now_ms};

/// Tasks, counted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TaskSummary)]
pub(super) struct TaskSummary {
    open: i64,
    in_progress: i64,
    in_review: i64,
    closed: i64,
    total: i64,
    /// Not closed, and due before today in the farm's time; counted in their status too.
    overdue: i64,
}

/// Today in a time zone, as YYYY-MM-DD; in UTC where the zone is unknown.
pub(super) fn today_in(timezone: &str) -> String {
    day_in(timezone, Timestamp::from_millis(now_ms()))
}

fn day_in(timezone: &str, at: Timestamp) -> String {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let instant =
        jiff::Timestamp::from_millisecond(at.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    instant.to_zoned(zone).date().to_string()
}

/// How many tasks there are
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks/summary", tag = "farms", params(("farmId" = String, Path)),
    responses((status = OK, body = TaskSummary), WithSession, OfFarm)
)]
pub(super) async fn summary(access: FarmAccess<ReadFarm>) -> Result<Json<TaskSummary>, ApiError> {
    let records = access.records();
    let farm = records.farm_row().await?.ok_or_else(ApiError::not_found)?;
    let n = records.task_counts(&today_in(&farm.timezone)).await?;
    Ok(Json(TaskSummary {
        open: n.open,
        in_progress: n.in_progress,
        in_review: n.in_review,
        closed: n.closed,
        total: n.open + n.in_progress + n.in_review + n.closed,
        overdue: n.overdue,
    }))
}

/// A task.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Task)]
pub(super) struct TaskBody {
    id: String,
    title: String,
    #[schema(required)]
    description: Option<String>,
    /// Who does it; null also once the person has left the farm.
    #[schema(required)]
    assignee: Option<AssigneeBody>,
    /// The last day on which it is not overdue, YYYY-MM-DD, in the farm's time.
    due_date: String,
    /// In the farm's own words.
    #[schema(required)]
    category: Option<String>,
    priority: TaskPriority,
    status: TaskStatus,
    /// Not closed, and due before today in the farm's time.
    is_overdue: bool,
    created_at: i64,
    updated_at: i64,
}

/// Somebody who can be given a task.
#[derive(Serialize, ToSchema)]
#[schema(as = Assignee)]
pub(super) struct AssigneeBody {
    id: String,
    name: String,
}

/// Where a task goes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TaskMove)]
pub(super) struct Move {
    #[schema(required, value_type = TaskStatus)]
    status: Option<String>,
    /// The task right above; null is the top of the column. One that has left the column meanwhile: the column's end.
    #[schema(required)]
    after_id: Option<String>,
}

fn body(task: Task, today: &str) -> TaskBody {
    TaskBody {
        is_overdue: task.status != TaskStatus::Closed && task.due_date.as_str() < today,
        id: task.id,
        title: task.title,
        description: task.description,
        assignee: task.assignee.map(|(id, name)| AssigneeBody { id, name }),
        due_date: task.due_date,
        category: task.category,
        priority: task.priority,
        status: task.status,
        created_at: task.created_at,
        updated_at: task.updated_at,
    }
}

fn refused(error: TaskError) -> ApiError {
    match error {
        TaskError::Gone => ApiError::not_found(),
        TaskError::TooMany => ApiError::too_many_tasks(),
        TaskError::Records(e) => e.into(),
    }
}

/// Today in the farm.
async fn today<N: Needs>(access: &FarmAccess<N>) -> Result<String, ApiError> {
    let farm = access.records().farm_row().await?;
    Ok(today_in(&farm.ok_or_else(ApiError::not_found)?.timezone))
}

async fn shown(access: &FarmAccess<WriteTasks>, id: &str) -> Result<TaskBody, ApiError> {
    let task = access.records().task(id).await?;
    // somebody may have deleted it in between
    let task = task.ok_or_else(ApiError::not_found)?;
    Ok(body(task, &today(access).await?))
}

/// The tasks
///
/// By column (open, in progress, in review, closed), in each from top to bottom.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks", tag = "tasks", operation_id = "list_tasks", params(("farmId" = String, Path)),
    responses((status = OK, body = Vec<TaskBody>), WithSession, OfFarm)
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<TaskBody>>, ApiError> {
    let today = today(&access).await?;
    let tasks = access.records().tasks().await?;
    Ok(Json(tasks.into_iter().map(|t| body(t, &today)).collect()))
}

/// Makes a task
///
/// At the end of its column. A farm has at most 2000.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/tasks", tag = "tasks", operation_id = "create_task", params(("farmId" = String, Path)),
    request_body = TaskInput,
    responses(
        (status = CREATED, body = TaskBody),
        WithSession, OfFarm, ByRole, WithInput,
        (status = CONFLICT, description = "The farm has too many tasks", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteTasks>,
    Body(request): Body<TaskInput>,
) -> Result<(StatusCode, Json<TaskBody>), ApiError> {
    let task = read(&access, request, None).await?;
    let records = access.records();
    let id = records.add_task(&task, &access.user().id).await;
    let id = id.map_err(refused)?;
    access.audit("task_created", &id, describe(&task)).await;
    Ok((StatusCode::CREATED, Json(shown(&access, &id).await?)))
}

/// Replaces a task
///
/// One whose status changes goes to the end of its new column.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/tasks/{taskId}", tag = "tasks", operation_id = "replace_task",
    params(("farmId" = String, Path), ("taskId" = String, Path)), request_body = TaskInput,
    responses((status = OK, body = TaskBody), WithSession, OfFarm, ByRole, WithInput)
)]
pub(super) async fn replace(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
    Body(request): Body<TaskInput>,
) -> Result<Json<TaskBody>, ApiError> {
    let before = access.records().task(&id).await?;
    let before = before.ok_or_else(ApiError::not_found)?;
    let task = read(&access, request, Some(&before)).await?;
    let records = access.records();
    records.change_task(&id, &task).await.map_err(refused)?;
    access.audit("task_changed", &id, describe(&task)).await;
    Ok(Json(shown(&access, &id).await?))
}

/// Deletes a task
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/tasks/{taskId}", tag = "tasks", operation_id = "delete_task",
    params(("farmId" = String, Path), ("taskId" = String, Path)),
    responses((status = NO_CONTENT), WithSession, OfFarm, ByRole)
)]
pub(super) async fn delete(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let records = access.records();
    let before = records.task(&id).await?.ok_or_else(ApiError::not_found)?;
    records.delete_task(&id).await.map_err(refused)?;
    let details = json!({"title": before.title});
    access.audit("task_deleted", &id, details).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Moves a task
///
/// Into a column, to its top or right below another task. However many people move tasks at once, all see one order.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/tasks/{taskId}/move", tag = "tasks", operation_id = "move_task",
    params(("farmId" = String, Path), ("taskId" = String, Path)), request_body = Move,
    responses((status = OK, body = TaskBody), WithSession, OfFarm, ByRole, WithInput)
)]
pub(super) async fn move_to(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
    Body(request): Body<Move>,
) -> Result<Json<TaskBody>, ApiError> {
    let mut wrong = Wrong::default();
    let to = column(&mut wrong, request.status.as_deref());
    wrong.done()?;
    let records = access.records();
    let before = records.task(&id).await?.ok_or_else(ApiError::not_found)?;
    let moved = records
        .move_task(&id, to, request.after_id.as_deref())
        .await;
    moved.map_err(refused)?;
    let shown = shown(&access, &id).await?;
    if to != before.status {
        // the order within a column is nothing that anybody asks about later
        let details = json!({"title": shown.title, "from": before.status, "to": to});
        access.audit("task_moved", &id, details).await;
    }
    Ok(Json(shown))
}

/// Who can be given a task
///
/// The farm's active people, by name.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/assignees", tag = "tasks", operation_id = "list_assignees", params(("farmId" = String, Path)),
    responses((status = OK, body = Vec<AssigneeBody>), WithSession, OfFarm, ByRole)
)]
pub(super) async fn assignees(
    access: FarmAccess<WriteTasks>,
) -> Result<Json<Vec<AssigneeBody>>, ApiError> {
    let people = access.records().assignees().await?.into_iter();
    Ok(Json(
        people.map(|(id, name)| AssigneeBody { id, name }).collect(),
    ))
}

/// What somebody wrote, with everything that is wrong with it.
async fn read(
    access: &FarmAccess<WriteTasks>,
    request: TaskInput,
    before: Option<&Task>,
) -> Result<TaskText, ApiError> {
    let mut wrong = Wrong::default();
    let task = request.read(&mut wrong, before.map_or(TaskStatus::Open, |b| b.status));
    if let Some(id) = &task.assignee_id {
        // who has been given the task keeps it when switched off: other fields can still be edited
        let kept = before.and_then(|b| b.assignee.as_ref());
        let kept = kept.is_some_and(|(known, _)| known == id);
        if !kept && !access.records().is_assignee(id).await? {
            wrong.say("assigneeId", "unknown", Text::AssigneeUnknown);
        }
    }
    wrong.done()?;
    Ok(task)
}

/// A task, for the audit log.
fn describe(task: &TaskText) -> Value {
    json!({
        "title": task.title, "assigneeId": task.assignee_id, "dueDate": task.due_date, "category": task.category,
        "priority": task.priority, "status": task.status,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_the_farms_midnight() {
        // 2026-11-20 18:29:59.999 and 18:30 UTC: midnight in India
        let before = Timestamp::from_millis(1_795_199_399_999);
        let after = Timestamp::from_millis(1_795_199_400_000);
        assert_eq!(day_in("Asia/Kolkata", before), "2026-11-20");
        assert_eq!(day_in("Asia/Kolkata", after), "2026-11-21");
        assert_eq!(day_in("no such zone", after), "2026-11-20");
    }
}
