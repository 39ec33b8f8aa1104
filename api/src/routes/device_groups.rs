//! Groups of devices of which so many run at a time: what hangs on one generator, or one phase. They stand in the farm's settings.

use std::collections::HashMap;

use axum::Json;
use axum::http::StatusCode;
use harit_engine::{
    DeviceId, Engine, FarmSettings, GroupId, GroupSpec, GroupStatus, InputKind, RegistryChange,
    Timestamp,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::device_limits::HoursDocument;
use super::polyhouses::place_name;
use super::wrong::Wrong;
use crate::access::{FarmAccess, ReadFarm, WriteAssets};
use crate::audit::{Action, Verb};
use crate::error::{ApiError, Body, ErrorBody, Item};
use crate::language::Text;
use crate::records::{new_id, now_ms};
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

/// The most groups of a farm, as the engine has it.
const MAX_GROUPS: usize = 64;

/// Devices of which so many run at a time.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceGroup)]
pub(super) struct GroupBody {
    id: String,
    name: String,
    /// How many run at a time.
    at_most: u8,
    /// When they may run; null for always.
    #[schema(required)]
    hours: Option<HoursDocument>,
    /// How many run now.
    running: usize,
    /// The devices that name it.
    members: Vec<MemberBody>,
    /// The version of name, number and hours, for `If-Match`.
    etag: String,
}

/// A device of a group.
#[derive(Serialize, ToSchema)]
#[schema(as = DeviceGroupMember)]
struct MemberBody {
    id: String,
    name: String,
}

impl Versioned for GroupBody {
    fn etag(&self) -> &str {
        &self.etag
    }
}

/// A group as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DeviceGroupInput)]
pub(super) struct GroupInput {
    /// 1 to 120 characters, and no other group's.
    #[schema(required, value_type = String, max_length = 120)]
    name: Option<String>,
    /// How many run at a time.
    #[serde(default)]
    #[schema(required, value_type = u8, minimum = 1, maximum = 100)]
    at_most: Value,
    /// When they may run; null for always, left out: as it was.
    #[serde(default, deserialize_with = "said")]
    #[schema(value_type = Option<HoursDocument>)]
    hours: Option<Option<HoursDocument>>,
}

/// A field that is there, if only with null.
fn said<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Option<HoursDocument>>, D::Error> {
    Option::deserialize(d).map(Some)
}

/// The farm's settings, its groups as they stand, and what its devices are called.
struct Known {
    settings: FarmSettings,
    groups: Vec<GroupStatus>,
    names: HashMap<DeviceId, String>,
}

impl Known {
    async fn of<N>(access: &FarmAccess<N>) -> Result<Self, ApiError> {
        let at = Timestamp::from_millis(now_ms());
        let question = move |engine: &Engine| Self {
            settings: engine.document().farm.settings,
            groups: engine.groups_at(at),
            names: engine
                .devices()
                .map(|d| (d.spec.id.clone(), super::devices::name(&d.spec)))
                .collect(),
        };
        access.hub().read(question).await
    }

    fn body(&self, group: &GroupStatus) -> GroupBody {
        let GroupSpec {
            id,
            name,
            at_most,
            hours,
        } = &group.spec;
        let called = |device: &DeviceId| MemberBody {
            id: device.to_string(),
            name: self.names.get(device).cloned().unwrap_or_default(),
        };
        GroupBody {
            etag: etag(&(name, at_most, hours)),
            id: id.to_string(),
            name: name.clone(),
            at_most: *at_most,
            hours: hours.as_ref().and_then(HoursDocument::of),
            running: group.running.len(),
            members: group.members.iter().map(called).collect(),
        }
    }

    fn find(&self, id: &str) -> Result<GroupBody, ApiError> {
        let group = { self.groups.iter() }.find(|g| g.spec.id.as_str() == id);
        Ok(self.body(group.ok_or_else(ApiError::not_found)?))
    }

    /// What somebody wrote, as the group of that id.
    fn read(&self, request: &GroupInput, id: &str) -> Result<GroupSpec, ApiError> {
        let others = { self.groups.iter() }.filter(|g| g.spec.id.as_str() != id);
        let mut wrong = Wrong::default();
        let others = others.map(|g| g.spec.name.as_str());
        let name = place_name(&mut wrong, request.name.as_deref(), others);
        wrong.done()?;
        // the engine says what a number may be
        let before = { self.groups.iter() }.find(|g| g.spec.id.as_str() == id);
        let hours = match &request.hours {
            Some(hours) => json!(hours),
            None => json!(before.and_then(|g| g.spec.hours.as_ref())),
        };
        let group = json!({"id": id, "name": name, "at_most": request.at_most, "hours": hours});
        let read = FarmSettings::from_json(&json!({"groups": [group]}));
        let mut groups = { read.map_err(ApiError::from) }
            .map_err(|e| e.within("groups[0]."))?
            .groups;
        groups.pop().ok_or_else(ApiError::internal)
    }
}

/// The device groups
///
/// Groups of devices of which so many run at a time. A device says in its limits which groups it is of.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/device-groups", tag = "automation",
    operation_id = "list_device_groups", summary = "List device groups",
    responses((status = OK, body = Vec<GroupBody>))
)]
pub(super) async fn list(access: FarmAccess<ReadFarm>) -> Result<Json<Vec<GroupBody>>, ApiError> {
    let known = Known::of(&access).await?;
    Ok(Json(known.groups.iter().map(|g| known.body(g)).collect()))
}

/// Makes a device group
///
/// Without devices. A farm has at most 64.
#[utoipa::path(
    post, path = "/api/farms/{farmId}/device-groups", tag = "automation",
    operation_id = "create_device_group", summary = "Create a device group", request_body = GroupInput,
    responses(
        (status = CREATED, body = GroupBody),
        (status = CONFLICT, description = "The farm has too many", body = ErrorBody),
    )
)]
pub(super) async fn create(
    access: FarmAccess<WriteAssets>,
    Body(request): Body<GroupInput>,
) -> Result<(StatusCode, Tagged<GroupBody>), ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    let made = known.read(&request, &new_id())?;
    let mut settings = known.settings;
    if settings.groups.len() >= MAX_GROUPS {
        return Err(ApiError::too_many_places());
    }
    settings.groups.push(made.clone());
    put(&access, settings, Verb::Created, &made).await?;
    let id = made.id.as_str();
    Ok(created(Known::of(&access).await?.find(id)?))
}

/// Changes a device group
#[utoipa::path(
    put, path = "/api/farms/{farmId}/device-groups/{groupId}", tag = "automation",
    operation_id = "replace_device_group", summary = "Replace a device group", request_body = GroupInput,
    responses((status = OK, body = GroupBody))
)]
pub(super) async fn replace(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
    Body(request): Body<GroupInput>,
) -> Result<Tagged<GroupBody>, ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    access.expect(&id, &known.find(&id)?).await?;
    let written = known.read(&request, &id)?;
    let mut settings = known.settings;
    let group = { settings.groups.iter_mut() }.find(|g| g.id == written.id);
    let group = group.ok_or_else(ApiError::not_found)?;
    if *group != written {
        *group = written.clone();
        put(&access, settings, Verb::Changed, &written).await?;
    }
    Ok(Tagged(Known::of(&access).await?.find(&id)?))
}

/// Deletes a device group
///
/// As long as no device names it; else 409 names which.
#[utoipa::path(
    delete, path = "/api/farms/{farmId}/device-groups/{groupId}", tag = "automation",
    operation_id = "delete_device_group", summary = "Delete a device group",
    responses(
        (status = NO_CONTENT),
        (status = CONFLICT, description = "A device names it", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    access: FarmAccess<WriteAssets>,
    Item(id): Item,
) -> Result<StatusCode, ApiError> {
    let _edit = access.editing().await;
    let known = Known::of(&access).await?;
    let before = known.find(&id)?;
    access.expect(&id, &before).await?;
    let uses = before.members.into_iter().map(|device| {
        let path = format!("devices.{}", device.id);
        (path, Text::UsedByDevice, device.name)
    });
    let uses: Vec<_> = uses.collect();
    if !uses.is_empty() {
        return Err(ApiError::in_use(uses));
    }
    let mut settings = known.settings;
    settings.groups.retain(|g| g.id.as_str() != id);
    let gone = GroupSpec {
        id: GroupId::from(id.as_str()),
        name: before.name,
        at_most: before.at_most,
        hours: None,
    };
    let put = put(&access, settings, Verb::Deleted, &gone).await;
    // a device was put into it just now
    put.map_err(ApiError::or_in_use)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn put(
    access: &FarmAccess<WriteAssets>,
    settings: FarmSettings,
    verb: Verb,
    group: &GroupSpec,
) -> Result<(), ApiError> {
    let change = InputKind::Registry(vec![RegistryChange::Settings(settings)]);
    let action = Action::Of(Resource::DeviceGroup, verb);
    let details = json!({"name": group.name, "atMost": group.at_most, "hours": group.hours});
    let own = |e: ApiError| e.within(&format!("groups.{}.", group.id));
    let admitted = access.admit(change, action, group.id.as_str(), details);
    admitted.await.map_err(own)?;
    Ok(())
}
