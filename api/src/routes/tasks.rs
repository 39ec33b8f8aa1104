//! What is to be done: a board of four columns whose order everybody shares.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::task_fields::{TaskInput, column};
use super::wrong::Wrong;
use crate::access::{FarmAccess, Needs, ReadFarm, WriteTasks};
use crate::audit::{Action, Verb};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::farm::zones;
use crate::language::Text;
use crate::records::{
    Task, TaskAbout, TaskAboutKind, TaskError, TaskPriority, TaskStatus, TaskText,
};
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

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

/// How many tasks there are
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks/summary", tag = "farms",
    operation_id = "get_task_summary", summary = "Get the summary of the tasks",
    responses((status = OK, body = TaskSummary))
)]
pub(super) async fn summary(access: FarmAccess<ReadFarm>) -> Result<Json<TaskSummary>, ApiError> {
    let n = access.records().task_counts(&access.today().await?).await?;
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
    /// What whoever does it says of it.
    #[schema(required)]
    note: Option<String>,
    /// When its photo was kept, which is at .../tasks/{taskId}/photo; null for none.
    #[schema(required)]
    photo_at: Option<i64>,
    /// Who does it; null also once the person has left the farm.
    #[schema(required)]
    assignee: Option<AssigneeBody>,
    /// The last day on which it is not overdue, YYYY-MM-DD, in the farm's time.
    due_date: String,
    /// In the farm's own words.
    #[schema(required)]
    category: Option<String>,
    #[schema(required)]
    about: Option<AboutBody>,
    priority: TaskPriority,
    status: TaskStatus,
    /// Not closed, and due before today in the farm's time.
    is_overdue: bool,
    created_at: i64,
    updated_at: i64,
    /// The version of what people edit, for `If-Match`.
    etag: String,
}

impl Versioned for TaskBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// What a task is about.
#[derive(Serialize, ToSchema)]
#[schema(as = TaskAbout)]
pub(super) struct AboutBody {
    kind: TaskAboutKind,
    id: String,
    /// Null once it is gone from the farm.
    #[schema(required)]
    name: Option<String>,
}

/// What tasks are seen with.
pub(super) struct Seen {
    /// Today in the farm, YYYY-MM-DD.
    today: String,
    /// The names of the farm's zones and devices.
    names: BTreeMap<(TaskAboutKind, String), String>,
}

impl Seen {
    pub(super) async fn by<N: Needs>(access: &FarmAccess<N>) -> Result<Self, ApiError> {
        let names = |engine: &harit_engine::Engine| {
            let zones = zones(engine).into_iter();
            let zones = zones.map(|(id, name)| ((TaskAboutKind::Zone, id), name));
            let devices = engine.devices().map(|d| {
                let id = d.spec.id.to_string();
                let name = if d.spec.name.is_empty() {
                    id.clone()
                } else {
                    d.spec.name
                };
                ((TaskAboutKind::Device, id), name)
            });
            zones.chain(devices).collect()
        };
        Ok(Self {
            today: access.today().await?,
            names: access.hub().read(names).await?,
        })
    }
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

/// What people wrote in a task.
fn text(task: &Task) -> TaskText {
    let Task {
        title,
        description,
        assignee,
        category,
        about,
        priority,
        status,
        due_date,
        ..
    } = task.clone();
    TaskText {
        title,
        description,
        assignee_id: assignee.map(|(id, _)| id),
        category,
        about,
        priority,
        status,
        due_date,
    }
}

pub(super) fn body(task: Task, seen: &Seen) -> TaskBody {
    let about = task.about.clone().map(|TaskAbout { kind, id }| {
        let key = (kind, id);
        let name = task
            .about_cycle
            .clone()
            .or_else(|| seen.names.get(&key).cloned());
        AboutBody {
            kind,
            id: key.1,
            name,
        }
    });
    TaskBody {
        etag: etag(&(text(&task), &task.note)),
        about,
        is_overdue: task.status != TaskStatus::Closed && task.due_date < seen.today,
        id: task.id,
        title: task.title,
        description: task.description,
        note: task.note,
        photo_at: task.photo_at,
        assignee: task.assignee.map(|(id, name)| AssigneeBody { id, name }),
        due_date: task.due_date,
        category: task.category,
        priority: task.priority,
        status: task.status,
        created_at: task.created_at,
        updated_at: task.updated_at,
    }
}

pub(super) fn refused(error: TaskError) -> ApiError {
    match error {
        TaskError::Gone => ApiError::not_found(),
        TaskError::TooMany => ApiError::too_many_tasks(),
        TaskError::Records(e) => e.into(),
    }
}

/// The tasks
///
/// By column (open, in progress, in review, closed), in each from top to bottom.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks", tag = "tasks", operation_id = "list_tasks", summary = "List tasks",
    responses((status = OK, body = Vec<TaskBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<TaskBody>>, ApiError> {
    let seen = Seen::by(&access).await?;
    let tasks = access.records().tasks().await?;
    Ok(Json(tasks.into_iter().map(|t| body(t, &seen)).collect()))
}

/// Makes a task
///
/// At the end of its column. A farm has at most 2000.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/tasks", tag = "tasks", operation_id = "create_task", summary = "Create a task",
    request_body = TaskInput,
    responses(
        (status = CREATED, body = TaskBody),
        (status = CONFLICT, description = "The farm has too many tasks", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteTasks>,
    Body(request): Body<TaskInput>,
) -> Result<(StatusCode, Tagged<TaskBody>), ApiError> {
    let task = read(&access, request, None).await?;
    let seen = Seen::by(&access).await?;
    let mut write = access.write().await?;
    let id = write.add_task(&task, &access.user().id).await;
    let id = id.map_err(refused)?;
    let made = body(write.task(&id).await.map_err(refused)?, &seen);
    let action = Action::Of(Resource::Task, Verb::Created);
    write.commit(action, &id, describe(&task)).await?;
    Ok(created(made))
}

/// Replaces a task
///
/// One whose status changes goes to the end of its new column.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/tasks/{taskId}", tag = "tasks",
    operation_id = "replace_task", summary = "Replace a task", request_body = TaskInput,
    responses((status = OK, body = TaskBody))
)]
pub(super) async fn replace(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
    Body(request): Body<TaskInput>,
) -> Result<Tagged<TaskBody>, ApiError> {
    let seen = Seen::by(&access).await?;
    let mut write = access.write().await?;
    let before = write.task(&id).await.map_err(refused)?;
    access.expect(&id, &body(before.clone(), &seen)).await?;
    let task = read(&access, request, Some(&before)).await?;
    write.change_task(&before, &task).await?;
    let after = body(write.task(&id).await.map_err(refused)?, &seen);
    let action = Action::Of(Resource::Task, Verb::Changed);
    write.commit(action, &id, describe(&task)).await?;
    Ok(Tagged(after))
}

/// Deletes a task
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/tasks/{taskId}", tag = "tasks",
    operation_id = "delete_task", summary = "Delete a task",
    responses((status = NO_CONTENT))
)]
pub(super) async fn delete(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let seen = Seen::by(&access).await?;
    let mut write = access.write().await?;
    let before = write.task(&id).await.map_err(refused)?;
    access.expect(&id, &body(before.clone(), &seen)).await?;
    write.delete_task(&before).await?;
    let details = json!({"title": before.title});
    let action = Action::Of(Resource::Task, Verb::Deleted);
    write.commit(action, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Moves a task
///
/// Into a column, to its top or right below another task. However many people move tasks at once, all see one order.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/tasks/{taskId}/move", tag = "tasks",
    operation_id = "move_task", summary = "Move a task", request_body = Move,
    responses((status = OK, body = TaskBody))
)]
pub(super) async fn move_to(
    access: FarmAccess<WriteTasks>,
    Item(id): Item,
    Body(request): Body<Move>,
) -> Result<Tagged<TaskBody>, ApiError> {
    let mut wrong = Wrong::default();
    let to = column(&mut wrong, request.status.as_deref());
    wrong.done()?;
    let seen = Seen::by(&access).await?;
    let mut write = access.write().await?;
    let before = write.task(&id).await.map_err(refused)?;
    let after = request.after_id.as_deref();
    write.move_task(&before, to, after).await?;
    let moved = body(write.task(&id).await.map_err(refused)?, &seen);
    if to == before.status {
        // the order within a column is nothing that anybody asks about later
        write.commit_untold(Resource::Task).await?;
    } else {
        let details = json!({"title": moved.title, "from": before.status, "to": to});
        write.commit(Action::TaskMoved, &id, details).await?;
    }
    Ok(Tagged(moved))
}

/// Who can be given a task
///
/// The farm's active people, by name.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/assignees", tag = "tasks",
    operation_id = "list_assignees", summary = "List assignees",
    responses((status = OK, body = Vec<AssigneeBody>))
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
    if let Some(about) = &task.about
        && before.is_none_or(|b| b.about.as_ref() != Some(about))
        && !exists(access, about).await?
    {
        wrong.say("about.id", "unknown", Text::FieldUnknown);
    }
    wrong.done()?;
    Ok(task)
}

/// Whether what a task should be about is the farm's.
async fn exists(access: &FarmAccess<WriteTasks>, about: &TaskAbout) -> Result<bool, ApiError> {
    if about.kind == TaskAboutKind::CropCycle {
        return Ok(access.records().has_crop_cycle(&about.id).await?);
    }
    let names = Seen::by(access).await?.names;
    Ok(names.contains_key(&(about.kind, about.id.clone())))
}

/// A task, for the audit log.
fn describe(task: &TaskText) -> Value {
    json!({
        "title": task.title, "assigneeId": task.assignee_id, "dueDate": task.due_date, "category": task.category, "about": task.about,
        "priority": task.priority, "status": task.status,
    })
}
