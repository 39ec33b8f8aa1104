//! Device profiles: what the messages of other people's devices mean, beside the profiles that are shipped.

use crate::records::sql;
use std::collections::BTreeMap;

use harit_ingest::Hub;
use harit_profiles::{MAX_DOCUMENT_BYTES, Profile, ProfileDocument};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use super::form::Form;
use super::operations::{Record, describe, operations};
use crate::access::{FarmAccess, Needs, OperateFarm, WriteAssets};
use crate::audit::{Action, Verb};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Days, Records, RecordsError, Stored, Value};
use crate::resource::Resource;

/// A profile of a farm's own.
#[derive(Debug, Clone, Default, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeviceProfile {
    id: String,
    /// The id in its document. One that a shipped profile has stands in its place.
    profile_id: String,
    /// The name in its document.
    name: String,
    /// As it was written, in TOML.
    document: String,
    /// The version of what people edit, for `If-Match`.
    #[sqlx(skip)]
    etag: String,
}

/// A profile as people write it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DeviceProfileInput {
    /// The document, in TOML; what is wrong with it is told by the bench.
    #[schema(required, value_type = String, max_length = 65_536)]
    document: Option<String>,
}

impl Stored for DeviceProfile {
    const TABLE: &'static str = "device_profiles";
    const MAX: i64 = 200;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("profile_id", (&self.profile_id).into()),
            ("name", (&self.name).into()),
            ("document", (&self.document).into()),
        ]
    }
}

impl Record for DeviceProfile {
    const RESOURCE: Resource = Resource::DeviceProfile;
    type Input = DeviceProfileInput;
    type Read = OperateFarm;
    type Write = WriteAssets;

    async fn read(
        input: DeviceProfileInput,
        form: &mut Form<'_>,
        _: Option<&Self>,
    ) -> Result<Self, ApiError> {
        let document = input.document.unwrap_or_default();
        if document.trim().is_empty() {
            form.wrong("document", "required", Text::FieldRequired);
            return Ok(Self::default());
        }
        if document.len() > MAX_DOCUMENT_BYTES {
            form.wrong("document", "too_long", Text::FieldTooLong);
            return Ok(Self::default());
        }
        let Some(profile) = compiled(&document) else {
            form.wrong("document", "invalid", Text::ProfileUnsound);
            return Ok(Self::default());
        };
        Ok(Self {
            profile_id: profile.id().to_owned(),
            name: profile.name().to_owned(),
            document,
            ..Self::default()
        })
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    async fn settled<N: Needs>(access: &FarmAccess<N>) -> Result<(), ApiError> {
        let rows = access.records().rows::<Self>(Days::default()).await?;
        let own = rows.iter().filter_map(|row| compiled(&row.document));
        access.hub().put_profiles(own.collect());
        Ok(())
    }
}

fn compiled(document: &str) -> Option<Profile> {
    let document = ProfileDocument::from_toml(document).ok()?;
    Profile::new(&document).ok()
}

/// Stores the profile of that id which follows from what people confirmed, made of the one that was there before.
pub(crate) async fn store_found(
    access: &FarmAccess<WriteAssets>,
    profile_id: &str,
    make: impl FnOnce(Option<ProfileDocument>) -> ProfileDocument + Send,
) -> Result<(), ApiError> {
    let rows = access
        .records()
        .rows::<DeviceProfile>(Days::default())
        .await?;
    let before = rows.into_iter().find(|row| row.profile_id == profile_id);
    let document = before
        .as_ref()
        .and_then(|row| ProfileDocument::from_toml(&row.document).ok());
    let document = make(document);
    let text = document.to_toml();
    let Some(profile) = Profile::new(&document)
        .ok()
        .filter(|_| text.len() <= MAX_DOCUMENT_BYTES)
    else {
        return Err(ApiError::field("numbers", "invalid", Text::ProfileUnsound));
    };
    let row = DeviceProfile {
        profile_id: profile.id().to_owned(),
        name: profile.name().to_owned(),
        document: text,
        ..DeviceProfile::default()
    };
    let mut write = access.write().await?;
    let (id, verb) = match before {
        Some(before) => {
            write.update(&before.id, &row).await?;
            (before.id, Verb::Changed)
        }
        None => (write.insert(&row).await?, Verb::Created),
    };
    let action = Action::Of(Resource::DeviceProfile, verb);
    write.commit(action, &id, describe(&row)).await?;
    DeviceProfile::settled(access).await
}

/// Has every farm's messages read by the profiles that it has of its own: at the start, before controllers are let in. One that this
/// version no longer understands is left out and logged.
///
/// # Errors
/// When they cannot be read.
pub async fn load_device_profiles(records: &Records, hub: &Hub) -> Result<(), RecordsError> {
    const Q: &str = "SELECT p.farm_id, p.profile_id, p.document FROM device_profiles p JOIN farms f ON f.id = p.farm_id WHERE f.cell = $1 ORDER BY p.created_at, p.id";
    let rows: Vec<(String, String, String)> = sql::query_as(Q)
        .bind(records.cell())
        .fetch_all(records.reader())
        .await?;
    let mut all: BTreeMap<String, Vec<Profile>> = BTreeMap::new();
    for (farm, profile, document) in rows {
        match compiled(&document) {
            Some(compiled) => all.entry(farm).or_default().push(compiled),
            None => tracing::error!(%farm, %profile, "a device profile is no longer understood"),
        }
    }
    for (farm, own) in all {
        hub.put_profiles(&farm.as_str().into(), own);
    }
    Ok(())
}

operations!(
    DeviceProfile, DeviceProfileInput, "/api/farms/{farmId}/device-profiles",
    "/api/farms/{farmId}/device-profiles/{profileId}", "profileId",
    "list_device_profiles": "List the farm's own device profiles", "create_device_profile": "Create a device profile",
    "replace_device_profile": "Replace a device profile", "delete_device_profile": "Delete a device profile",
);
