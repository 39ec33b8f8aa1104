//! The operations on a kind of record: list, create, replace, delete. What differs between the kinds is in [`Record`];
//! [`operations`] makes a kind's handlers with their entries in the API's document.

use std::collections::BTreeMap;
use std::future::Future;

use axum::Json;
use axum::http::StatusCode;
use jiff::civil::Date;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::form::Form;
use crate::access::{FarmAccess, Needs};
use crate::audit::{Action, Verb};
use crate::error::ApiError;
use crate::records::{Days, RowError, Stored, Write};
use crate::resource::Resource;
use crate::version::{Tagged, Versioned, created, etag};

/// A record that is told its version before it is answered.
pub(super) trait Stamped: Versioned {
    fn set_etag(&mut self, etag: String);
}

/// A kind of record.
pub(super) trait Record: Stored + Stamped + Sync {
    /// What it is called.
    const RESOURCE: Resource;
    /// The same as people write it.
    type Input: DeserializeOwned + Send;
    /// Who may see it, and who may change it.
    type Read: Needs;
    type Write: Needs;

    /// Reads what somebody wrote in place of `before`; what is wrong is said in the form.
    fn read(
        input: Self::Input,
        form: &mut Form<'_>,
        before: Option<&Self>,
    ) -> impl Future<Output = Result<Self, ApiError>> + Send;

    /// What people know it by.
    fn name(&self) -> String;

    /// Fills in what is no column.
    fn complete(&mut self, _seen: &Seen) {}

    /// Has what stands outside the records follow a change that was made.
    fn settled<N: Needs>(
        _access: &FarmAccess<N>,
    ) -> impl Future<Output = Result<(), ApiError>> + Send {
        async { Ok(()) }
    }

    /// Brings in step what follows from the record, in the same change, with what it was and what it is.
    fn follow(
        _write: &mut Write,
        _before: Option<&Self>,
        _after: Option<&Self>,
    ) -> impl Future<Output = Result<(), ApiError>> + Send {
        async { Ok(()) }
    }
}

/// What a record is seen with.
pub(super) struct Seen {
    /// Today in the farm, YYYY-MM-DD.
    pub(super) today: String,
    /// Zones by id, with their names.
    pub(super) zones: BTreeMap<String, String>,
    /// Whether the caller sees what things cost.
    pub(super) money: bool,
}

impl Seen {
    pub(super) async fn by<N: Needs>(access: &FarmAccess<N>) -> Result<Self, ApiError> {
        Ok(Self {
            today: access.today().await?,
            zones: access.hub().read(zones).await?,
            money: access.may::<crate::access::ReadMoney>(),
        })
    }
}

/// The farm's zones with the names of their polyhouses.
pub(crate) fn zones(engine: &harit_engine::Engine) -> BTreeMap<String, String> {
    let polyhouses = engine.document().polyhouses.into_iter();
    let zones = polyhouses.flat_map(|p| {
        let name = p.name;
        let zones = p.zones.into_iter();
        zones.map(move |z| (z.id.to_string(), format!("{name}, {}", z.name)))
    });
    zones.collect()
}

/// The polyhouses of the farm's zones, by their ids.
pub(crate) fn zones_of(engine: &harit_engine::Engine) -> BTreeMap<String, String> {
    let polyhouses = engine.document().polyhouses.into_iter();
    let zones = polyhouses.flat_map(|p| {
        let house = p.id.to_string();
        let zones = p.zones.into_iter();
        zones.map(move |z| (z.id.to_string(), house.clone()))
    });
    zones.collect()
}

/// The days of which records are wanted, both included.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Period {
    /// YYYY-MM-DD; of records that have a day.
    from: Option<String>,
    /// YYYY-MM-DD.
    to: Option<String>,
}

impl Period {
    /// The days, if they are any.
    pub(super) fn days(&self) -> Result<Days<'_>, ApiError> {
        let is_day = |text: &String| {
            text.parse::<Date>()
                .is_ok_and(|day| day.to_string() == *text)
        };
        if !self.from.iter().chain(&self.to).all(is_day) {
            return Err(ApiError::bad_query());
        }
        Ok(Days {
            from: self.from.as_deref(),
            to: self.to.as_deref(),
        })
    }
}

fn shown<R: Record>(mut record: R, seen: &Seen) -> R {
    let edited: Vec<_> = record.columns().into_iter().map(|(_, v)| v).collect();
    record.set_etag(etag(&edited));
    record.complete(seen);
    record
}

/// What people edit of a record, for the audit log.
pub(super) fn describe<R: Record>(record: &R) -> Value {
    let mut details = Map::new();
    details.insert("name".to_owned(), json!(record.name()));
    let values = record.columns().into_iter();
    let said = values.map(|(column, value)| (column.to_owned(), json!(value)));
    details.extend(said.filter(|(column, value)| column != "name" && !value.is_null()));
    Value::Object(details)
}

impl From<RowError> for ApiError {
    fn from(error: RowError) -> Self {
        match error {
            RowError::Gone => Self::not_found(),
            RowError::TooMany => Self::too_many_records(),
            RowError::InUse => Self::in_use(Vec::new()),
            RowError::Taken => Self::field("name", "taken", crate::language::Text::FieldTaken),
            RowError::Records(e) => e.into(),
        }
    }
}

pub(super) async fn list<R: Record>(
    access: &FarmAccess<R::Read>,
    period: &Period,
) -> Result<Json<Vec<R>>, ApiError> {
    let seen = Seen::by(access).await?;
    let rows = access.records().rows::<R>(period.days()?).await?;
    Ok(Json(rows.into_iter().map(|r| shown(r, &seen)).collect()))
}

/// Adds what somebody wrote, and returns its id and its name.
pub(super) async fn add<R: Record>(
    write: &mut Write,
    zones: &BTreeMap<String, String>,
    input: R::Input,
) -> Result<(String, R), ApiError> {
    let mut form = Form::new(zones, write);
    let record = R::read(input, &mut form, None).await?;
    form.done()?;
    let id = write.insert(&record).await?;
    let after = write.row::<R>(&id).await?;
    R::follow(write, None, Some(&after)).await?;
    // what follows may have changed it
    Ok((id.clone(), write.row::<R>(&id).await?))
}

pub(super) async fn create<R: Record>(
    access: &FarmAccess<R::Write>,
    input: R::Input,
) -> Result<(StatusCode, Tagged<R>), ApiError> {
    let seen = Seen::by(access).await?;
    let mut write = access.write().await?;
    let (id, made) = add::<R>(&mut write, &seen.zones, input).await?;
    let details = describe(&made);
    let action = Action::Of(R::RESOURCE, Verb::Created);
    write.commit(action, &id, details).await?;
    R::settled(access).await?;
    Ok(created(shown(made, &seen)))
}

pub(super) async fn replace<R: Record>(
    access: &FarmAccess<R::Write>,
    id: &str,
    input: R::Input,
) -> Result<Tagged<R>, ApiError> {
    let seen = Seen::by(access).await?;
    let mut write = access.write().await?;
    let before = shown(write.row::<R>(id).await?, &seen);
    access.expect(id, &before).await?;
    let mut form = Form::new(&seen.zones, &mut write);
    let record = R::read(input, &mut form, Some(&before)).await?;
    form.done()?;
    write.update(id, &record).await?;
    let after = write.row::<R>(id).await?;
    R::follow(&mut write, Some(&before), Some(&after)).await?;
    let after = shown(write.row::<R>(id).await?, &seen);
    let action = Action::Of(R::RESOURCE, Verb::Changed);
    write.commit(action, id, describe(&after)).await?;
    R::settled(access).await?;
    Ok(Tagged(after))
}

pub(super) async fn delete<R: Record>(
    access: &FarmAccess<R::Write>,
    id: &str,
) -> Result<StatusCode, ApiError> {
    let seen = Seen::by(access).await?;
    let mut write = access.write().await?;
    let before = shown(write.row::<R>(id).await?, &seen);
    access.expect(id, &before).await?;
    write.delete::<R>(id).await?;
    R::follow(&mut write, Some(&before), None).await?;
    let details = json!({"name": before.name()});
    let action = Action::Of(R::RESOURCE, Verb::Deleted);
    write.commit(action, id, details).await?;
    R::settled(access).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The handlers of a kind of record, and what is the same in each.
macro_rules! operations {
    (
        $record:ty, $input:ty, $of:literal, $one:literal, $id:literal,
        $list:literal: $listing:literal, $create:literal: $creating:literal,
        $replace:literal: $replacing:literal, $delete:literal: $deleting:literal $(,)?
    ) => {
        impl crate::version::Versioned for $record {
            fn etag(&self) -> &str {
                &self.etag
            }
        }

        impl crate::farm::operations::Stamped for $record {
            fn set_etag(&mut self, etag: String) {
                self.etag = etag;
            }
        }

        #[utoipa::path(
            get, path = $of, tag = "records", operation_id = $list, summary = $listing, params(crate::farm::operations::Period),
            responses((status = OK, body = Vec<$record>))
        )]
        pub(super) async fn list(
            access: crate::access::FarmAccess<<$record as crate::farm::operations::Record>::Read>,
            crate::error::Params(period): crate::error::Params<crate::farm::operations::Period>,
        ) -> Result<axum::Json<Vec<$record>>, crate::error::ApiError> {
            crate::farm::operations::list(&access, &period).await
        }

        #[utoipa::path(
            post, path = $of, tag = "records", operation_id = $create, summary = $creating, request_body = $input,
            responses(
                (status = CREATED, body = $record),
                (status = CONFLICT, description = "The farm has too many", body = crate::error::ErrorBody),
            )
        )]
        pub(super) async fn create(
            access: crate::access::FarmAccess<<$record as crate::farm::operations::Record>::Write>,
            crate::error::Body(input): crate::error::Body<$input>,
        ) -> Result<(axum::http::StatusCode, crate::version::Tagged<$record>), crate::error::ApiError> {
            crate::farm::operations::create(&access, input).await
        }

        #[utoipa::path(
            put, path = $one, tag = "records", operation_id = $replace, summary = $replacing, request_body = $input,
            responses((status = OK, body = $record))
        )]
        pub(super) async fn replace(
            access: crate::access::FarmAccess<<$record as crate::farm::operations::Record>::Write>,
            crate::error::Item(id): crate::error::Item,
            crate::error::Body(input): crate::error::Body<$input>,
        ) -> Result<crate::version::Tagged<$record>, crate::error::ApiError> {
            crate::farm::operations::replace(&access, &id, input).await
        }

        #[utoipa::path(
            delete, path = $one, tag = "records", operation_id = $delete, summary = $deleting,
            responses(
                (status = NO_CONTENT),
                (status = CONFLICT, description = "Other records refer to it", body = crate::error::ErrorBody),
            )
        )]
        pub(super) async fn delete(
            access: crate::access::FarmAccess<<$record as crate::farm::operations::Record>::Write>,
            crate::error::Item(id): crate::error::Item,
        ) -> Result<axum::http::StatusCode, crate::error::ApiError> {
            crate::farm::operations::delete::<$record>(&access, &id).await
        }
    };
}

pub(super) use operations;
