//! What a worker has of a farm: the tasks that are his, the houses and devices that he was given. Nothing else of the farm is
//! his to read, so this is served apart from what the others see.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::body::Bytes;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use harit_engine::Engine;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::command_request::{Ask, CommandRequest};
use super::commands::{self, CommandResult};
use super::devices::{self, DeviceBody};
use super::house_means::{HouseMean, of_houses};
use super::tasks::{self, Seen, TaskBody};
use super::verdict::{HouseBody, VerdictBody};
use super::wrong::{TextField, Wrong};
use crate::access::{Asked, Asks, CommandGiven, FarmAccess, Kind, OwnWork, ReadFarm};
use crate::audit::{Action, Verb};
use crate::error::{ApiError, Body, Item};
use crate::language::Text;
use crate::records::{Photo, TaskStatus};
use crate::resource::Resource;
use crate::version::Tagged;

/// The largest photo, in bytes.
pub(super) const PHOTO_BYTES: usize = 400 * 1_024;
/// The longest that a worker may keep a device on or off, in seconds.
const MAX_SEC: i64 = 1_800;
const NOTE: TextField = TextField {
    name: "note",
    max_chars: 1_000,
    too_long: Text::DescriptionTooLong,
    lines: true,
};

/// What a worker has to do, and to look after.
#[derive(Serialize, ToSchema)]
#[schema(as = Work)]
pub(super) struct WorkBody {
    /// The caller's tasks that are not over, and those that he finished today: overdue ones first, then by day.
    tasks: Vec<TaskBody>,
    /// The houses that he was given, by name.
    houses: Vec<WorkHouse>,
    /// The devices that he was given and may switch, by name.
    devices: Vec<WorkDevice>,
}

/// A device that the caller may switch.
#[derive(Serialize, ToSchema)]
pub(super) struct WorkDevice {
    #[serde(flatten)]
    device: DeviceBody,
    /// Whether it is the caller who has it until `state.manualOverrideUntil`, and may give it back to the rules.
    own: bool,
}

/// How a house stands, with what is measured in it.
#[derive(Serialize, ToSchema)]
pub(super) struct WorkHouse {
    #[serde(flatten)]
    house: HouseBody,
    /// As `houses` in the latest telemetry.
    latest: BTreeMap<&'static str, HouseMean>,
}

/// The caller's work
///
/// For WORKER.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/work", tag = "work", operation_id = "get_work", summary = "Get one's own work",
    responses((status = OK, body = WorkBody))
)]
pub(super) async fn get(access: FarmAccess<OwnWork>) -> Result<Json<WorkBody>, ApiError> {
    let grants = access.records().grants(&access.user().id).await?;
    let seen = Seen::by(&access).await?;
    let mut tasks = access.records().tasks().await?;
    let me = access.user().id.as_str();
    let today = access.day_start().await?;
    tasks.retain(|t| {
        let mine = t.assignee.as_ref().is_some_and(|(id, _)| id == me);
        mine && (!is_done(t.status) || t.updated_at >= today)
    });
    tasks.sort_by(|a, b| {
        (is_done(a.status), &a.due_date, &a.title).cmp(&(is_done(b.status), &b.due_date, &b.title))
    });
    let given: BTreeSet<String> = grants.polyhouses.into_iter().collect();
    let ranges = access.ranges();
    let mut latest = access
        .hub()
        .read(move |engine| of_houses(engine, &ranges))
        .await?;
    let verdict = VerdictBody::from(&*access.hub().verdict().await?);
    let houses = verdict.into_houses().into_iter();
    let mut houses: Vec<WorkHouse> = houses
        .filter(|house| given.contains(house.id()))
        .map(|house| WorkHouse {
            latest: latest.remove(house.id()).unwrap_or_default(),
            house,
        })
        .collect();
    houses.sort_by_cached_key(|h| h.house.name().to_lowercase());
    let user = me.to_owned();
    let question = move |engine: &Engine| run_by(engine, &user);
    let run = access.hub().read(question).await?;
    let devices = devices::all(&access).await?.into_iter();
    let mut devices: Vec<WorkDevice> = devices
        .filter(|d| grants.devices.iter().any(|id| id == d.id()))
        .map(|d| WorkDevice {
            own: run.contains(d.id()),
            device: d.without_setup(),
        })
        .collect();
    devices.sort_by_cached_key(|d| d.device.name().to_lowercase());
    let tasks = tasks.into_iter().map(|t| tasks::body(t, &seen)).collect();
    Ok(Json(WorkBody {
        tasks,
        houses,
        devices,
    }))
}

/// The devices that somebody has taken over from the rules.
fn run_by(engine: &Engine, user: &str) -> BTreeSet<String> {
    let run = engine.devices().filter(|d| {
        let owner = d.manual.as_ref().and_then(|m| m.owner.as_ref());
        owner.is_some_and(|owner| &*owner.user_id == user)
    });
    run.map(|d| d.spec.id.to_string()).collect()
}

/// Whether there is nothing left to do for who was given it.
const fn is_done(status: TaskStatus) -> bool {
    matches!(status, TaskStatus::InReview | TaskStatus::Closed)
}

/// What changes of a task; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkTaskChange)]
pub(super) struct TaskChange {
    /// Begun, given back or finished: who looks after the tasks sees what is done in review.
    step: Option<Step>,
    /// What the worker says of it, up to 1000 characters; blank takes it away.
    #[schema(max_length = 1000)]
    note: Option<String>,
}

/// How far a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = WorkStep)]
enum Step {
    /// Not begun after all.
    Open,
    Begun,
    Finished,
}

impl Step {
    const fn status(self) -> TaskStatus {
        match self {
            Self::Open => TaskStatus::Open,
            Self::Begun => TaskStatus::InProgress,
            Self::Finished => TaskStatus::InReview,
        }
    }
}

/// Changes a task of the caller's
///
/// For WORKER, who has no others. One that is closed stays as it is.
#[utoipa::path(
    patch, path = "/api/farms/{farmId}/work/tasks/{taskId}", tag = "work",
    operation_id = "change_own_task", summary = "Change a task of one's own", request_body = TaskChange,
    responses((status = OK, body = TaskBody))
)]
pub(super) async fn change(
    access: FarmAccess<OwnWork>,
    Item(id): Item,
    Body(request): Body<TaskChange>,
) -> Result<Tagged<TaskBody>, ApiError> {
    let mut wrong = Wrong::default();
    let note = request.note.as_deref();
    let note = note.map(|typed| wrong.text(&NOTE, Some(typed)));
    wrong.done()?;
    let seen = Seen::by(&access).await?;
    let mut write = access.write().await?;
    let before = write.task(&id).await.map_err(tasks::refused)?;
    is_own(&access, &before)?;
    let title = before.title.clone();
    let from = before.status;
    access
        .expect(&id, &tasks::body(before.clone(), &seen))
        .await?;
    if let Some(note) = &note {
        write.note_task(&id, note.as_deref()).await?;
    }
    let to = request.step.map_or(from, Step::status);
    if to != from {
        write.move_task(&before, to, None).await?;
    }
    let after = tasks::body(write.task(&id).await.map_err(tasks::refused)?, &seen);
    if to != from {
        let details = json!({"title": title, "from": from, "to": to, "note": note});
        write.commit(Action::TaskMoved, &id, details).await?;
    } else if note.is_some() {
        let details = json!({"title": title, "note": note});
        let action = Action::Of(Resource::Task, Verb::Changed);
        write.commit(action, &id, details).await?;
    }
    Ok(Tagged(after))
}

/// A task of somebody else's is not there, one that is closed is over.
fn is_own(access: &FarmAccess<OwnWork>, task: &crate::records::Task) -> Result<(), ApiError> {
    let mine = |(id, _): &(String, String)| *id == access.user().id;
    if !task.assignee.as_ref().is_some_and(mine) {
        return Err(ApiError::not_found());
    }
    if task.status == TaskStatus::Closed {
        return Err(ApiError::not_permitted());
    }
    Ok(())
}

/// A photo: JPEG or WebP.
#[derive(ToSchema)]
#[schema(as = Photo, value_type = String, format = Binary)]
#[expect(dead_code, reason = "says in the document what the bytes are")]
pub(super) struct PhotoBody(Vec<u8>);

/// Keeps a photo of a task of the caller's
///
/// JPEG or WebP of at most 400 KiB, in place of the one before. A farm has at most 500; those of closed tasks go first.
#[utoipa::path(
    put, path = "/api/farms/{farmId}/work/tasks/{taskId}/photo", tag = "work",
    operation_id = "put_own_task_photo", summary = "Put a photo of a task of one's own",
    request_body(content((PhotoBody = "image/jpeg"), (PhotoBody = "image/webp"))),
    responses((status = NO_CONTENT))
)]
pub(super) async fn put_photo(
    access: FarmAccess<OwnWork>,
    Item(id): Item,
    bytes: Bytes,
) -> Result<StatusCode, ApiError> {
    let media_type =
        media_type(&bytes).ok_or_else(|| ApiError::field("photo", "invalid", Text::FieldWrong))?;
    let photo = Photo {
        media_type: media_type.to_owned(),
        bytes: bytes.to_vec(),
    };
    let mut write = access.write().await?;
    let task = write.task(&id).await.map_err(tasks::refused)?;
    is_own(&access, &task)?;
    write.put_photo(&id, &photo, &access.user().id).await?;
    let details = json!({"title": task.title, "photo": true});
    let action = Action::Of(Resource::Task, Verb::Changed);
    write.commit(action, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What an image is by its first bytes, of the kinds that are kept.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

/// Takes back the photo of a task of the caller's
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/work/tasks/{taskId}/photo", tag = "work",
    operation_id = "delete_own_task_photo", summary = "Delete the photo of a task of one's own",
    responses((status = NO_CONTENT))
)]
pub(super) async fn delete_photo(
    access: FarmAccess<OwnWork>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let mut write = access.write().await?;
    let task = write.task(&id).await.map_err(tasks::refused)?;
    is_own(&access, &task)?;
    if !write.delete_photo(&id).await? {
        return Err(ApiError::not_found());
    }
    let details = json!({"title": task.title, "photo": false});
    let action = Action::Of(Resource::Task, Verb::Changed);
    write.commit(action, &id, details).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The photo of a task of the caller's
#[utoipa::path(
    get, path = "/api/farms/{farmId}/work/tasks/{taskId}/photo", tag = "work",
    operation_id = "get_own_task_photo", summary = "Get the photo of a task of one's own",
    responses((status = OK, content((PhotoBody = "image/jpeg"), (PhotoBody = "image/webp"))))
)]
pub(super) async fn own_photo(
    access: FarmAccess<OwnWork>,
    Item(id): Item,
) -> Result<Response, ApiError> {
    let all = access.records().tasks().await?;
    let me = access.user().id.as_str();
    let mine = |t: &crate::records::Task| t.assignee.as_ref().is_some_and(|(id, _)| id == me);
    if !all.iter().any(|t| t.id == id && mine(t)) {
        return Err(ApiError::not_found());
    }
    answer(access.records().photo(&id).await?)
}

/// The photo of a task
///
/// JPEG or WebP.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/tasks/{taskId}/photo", tag = "tasks",
    operation_id = "get_task_photo", summary = "Get the photo of a task",
    responses((status = OK, content((PhotoBody = "image/jpeg"), (PhotoBody = "image/webp"))))
)]
pub(super) async fn photo(
    access: FarmAccess<ReadFarm>,
    Item(id): Item,
) -> Result<Response, ApiError> {
    answer(access.records().photo(&id).await?)
}

fn answer(photo: Option<Photo>) -> Result<Response, ApiError> {
    let photo = photo.ok_or_else(ApiError::not_found)?;
    let media_type = HeaderValue::from_str(&photo.media_type).map_err(|_| ApiError::internal())?;
    let headers = [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
    ];
    Ok((headers, photo.bytes).into_response())
}

/// What a worker asks of a device that he was given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WorkCommand)]
pub(super) struct WorkCommand {
    device_id: String,
    action: Ask,
    /// How long: 60 to 1800 for on and off, 1 to 60 for a pulse, nothing for a release.
    #[schema(minimum = 1, maximum = 1800)]
    duration_sec: Option<i64>,
}

impl From<WorkCommand> for CommandRequest {
    fn from(asked: WorkCommand) -> Self {
        Self::of(asked.device_id, asked.action, asked.duration_sec)
    }
}

impl Asks for WorkCommand {
    fn kind(&self) -> Kind {
        match self.action {
            Ask::Off | Ask::Release => Kind::Stop,
            Ask::On | Ask::Pulse => Kind::Command,
        }
    }
}

/// Commands a device that the caller was given
///
/// For WORKER; as POST .../commands, with less: on and off for a while, a pulse, back to the rules where the caller has it.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/work/commands", tag = "work",
    operation_id = "command_given_device", summary = "Command a device that one was given", request_body = WorkCommand,
    responses((status = OK, body = CommandResult))
)]
pub(super) async fn command(
    headers: HeaderMap,
    Asked { access, body }: Asked<CommandGiven, WorkCommand>,
) -> Result<Json<CommandResult>, ApiError> {
    let grants = access.records().grants(&access.user().id).await?;
    if !grants.devices.contains(&body.device_id) {
        return Err(ApiError::not_found());
    }
    if matches!(body.action, Ask::On | Ask::Off) {
        match body.duration_sec {
            None => {
                return Err(ApiError::field(
                    "durationSec",
                    "required",
                    Text::FieldRequired,
                ));
            }
            Some(secs) if secs > MAX_SEC => {
                return Err(ApiError::field(
                    "durationSec",
                    "out_of_range",
                    Text::FieldOutOfRange,
                ));
            }
            Some(_) => {}
        }
    }
    if body.action == Ask::Release {
        may_release(&access, &body.device_id).await?;
    }
    commands::carry_out(&access, &headers, body.into()).await
}

/// What somebody else has taken over is not a worker's to give back to the rules.
async fn may_release(access: &FarmAccess<CommandGiven>, device: &str) -> Result<(), ApiError> {
    let asked = device.to_owned();
    let question = move |engine: &Engine| engine.device(&asked)?.manual?.owner;
    let me = access.user().id.as_str();
    let owner = access.hub().read(question).await?;
    if owner.is_some_and(|owner| &*owner.user_id != me) {
        return Err(ApiError::not_permitted());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_first_bytes() {
        assert_eq!(media_type(b"\xff\xd8\xff\xe0abc"), Some("image/jpeg"));
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        for other in [
            &b""[..],
            b"<svg",
            b"\x89PNG",
            b"RIFF\0\0\0\0WAVE",
            b"\xff\xd8",
        ] {
            assert_eq!(media_type(other), None, "{other:?}");
        }
    }
}
