//! The routes: each handler translates a request, asks what it was given access to, translates the answer.

mod alert_document;
mod alerts;
mod answer_page;
mod answer_words;
mod answers;
mod assets;
mod auth;
mod backtests;
mod chatter;
mod client;
mod codes;
mod command_request;
mod commands;
mod conditions;
mod contacts;
mod controller_sensors;
mod controllers;
mod dead_letters;
mod deliveries;
mod derived_check;
mod derived_fields;
mod derived_sensors;
mod device_groups;
mod device_history;
mod device_limits;
mod device_profiles;
mod devices;
mod document_rules;
mod effects;
mod escalation;
mod exceptions;
mod explanations;
mod farm_tokens;
mod farms;
mod gone;
mod grants;
mod hazards;
mod health;
mod history;
mod holders;
mod house_means;
mod idempotency;
mod incident_answer;
mod incident_brief;
mod incident_chain;
mod incident_conditions;
mod incident_remedy;
mod incidents;
mod intake;
mod integrations;
mod invites;
mod lease_test;
mod letter;
mod lock_body;
mod locks;
mod logs;
mod notifications;
mod onboarding;
mod outages;
mod page;
mod person_fields;
mod place_history;
mod polyhouses;
mod profile;
mod public_url;
mod push;
mod receipts;
mod register;
mod replies;
mod reservoir_ledger;
mod reservoirs;
mod resource;
mod rules;
mod scopes;
mod sensor_types;
mod sensors;
mod setpoints;
mod stop;
mod summary;
mod sun;
mod take_over;
mod task_fields;
mod tasks;
mod telemetry;
mod tokens;
mod unknown_senders;
mod users;
mod uses;
mod verdict;
mod weather;
mod work;
mod wrong;

use std::sync::LazyLock;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use harit_ingest::mqtt::MAX_PAYLOAD_BYTES;
use tower_http::decompression::RequestDecompressionLayer;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use crate::access::AppState;
use crate::error::ErrorBody;
use crate::farm;
use crate::operation::routes;
use document_rules::DocumentRules;

pub(crate) use assets::new_polyhouse;
pub(crate) use commands::CommandBody;
pub(crate) use house_means::deficit as vapour_deficit;
pub(crate) use idempotency::once;
pub(crate) use intake::sender_of;
pub use place_history::step_sec as chart_step_sec;
pub(crate) use replies::take_passed_reply;
pub(crate) use sensor_types::SensorTypeBody;
pub(crate) use telemetry::{Means, means};
pub(crate) use verdict::VerdictBody;

/// The largest body of most requests.
const BODY_BYTES: usize = 64 * 1_024;
/// The largest message with its profile on the bench.
const BENCH_BYTES: usize = 512 * 1_024;
/// The largest rule or alert.
const DOCUMENT_BYTES: usize = 256 * 1_024;

/// The document's frame; paths and schemas come from the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Harit",
        description = "Farms, polyhouses, telemetry, rules and commands.\n\nInstants are epoch milliseconds, UTC. Every path \
            except those that say otherwise needs `Authorization: Bearer <token>`. Failures answer `{\"error\", \"code\"}`: the \
            error in the language of `Accept-Language` (en, hi, mr), the code a stable word. What belongs to another farm is \
            not found.\n\nWhat people edit carries an `etag`, also as header where one resource is answered. A change with \
            `If-Match` is refused with 412 when somebody else changed it meanwhile. A request with an `Idempotency-Key` is \
            carried out once: sent again within a day it is answered as before, with `Idempotency-Replayed: true`; 409 \
            `under_way` while it is carried out, 409 `outcome_unknown` when the server stopped in the middle of it, 422 \
            `key_reused` with another request. What stops or locks a device needs no key.\n\nA user has so many requests a minute of each kind, by default 600 that look, 120 that change, 120 that \
            command a device, 240 that stop one; one kind never uses up another. 429 names the kind in its code and says in \
            Retry-After how many seconds to wait.\n\nWhat happens is told by Socket.IO at the root: a client signs in with its token in \
            the handshake's `auth`, asks for a farm with `subscribe`, and is told the events under `x-events`. What each role may \
            do is under `x-roles`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    security(("bearer" = [])),
    modifiers(&Bearer),
    components(schemas(ErrorBody)),
    tags(
        (name = "auth", description = "Signing in and out"),
        (name = "onboarding", description = "Registering controllers, inviting people"),
        (name = "farms", description = "What a farm is and how it stands"),
        (name = "people", description = "Who belongs to a farm as what"),
        (name = "places", description = "Polyhouses, zones and reservoirs"),
        (name = "tasks", description = "What is to be done, by whom and until when"),
        (name = "work", description = "What a worker has to do, and what he was given"),
        (name = "records", description = "What grows, what was picked, bought, used, sold and spent"),
        (name = "notifications", description = "What the caller is told of a farm"),
        (name = "automation", description = "Devices, rules, alerts and commands"),
        (name = "operation", description = "For who runs the server"),
    ),
)]
struct Frame;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let bearer =
            SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
        openapi
            .components
            .get_or_insert_default()
            .add_security_scheme("bearer", bearer);
    }
}

/// The tasks, and what workers have of them.
fn tasks() -> OpenApiRouter<AppState> {
    let photos = OpenApiRouter::new()
        .routes(routes!(
            work::own_photo,
            work::put_photo,
            work::delete_photo
        ))
        .layer(DefaultBodyLimit::max(work::PHOTO_BYTES));
    OpenApiRouter::new()
        .routes(routes!(tasks::summary))
        .routes(routes!(tasks::list, tasks::create))
        .routes(routes!(tasks::replace, tasks::delete))
        .routes(routes!(tasks::move_to))
        .routes(routes!(tasks::assignees))
        .routes(routes!(work::photo))
        .routes(routes!(work::get))
        .routes(routes!(work::change))
        .routes(routes!(work::command))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .merge(photos)
}

/// Signing in, one's own account, and invitations.
fn accounts() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(auth::login))
        .routes(routes!(auth::me))
        .routes(routes!(auth::logout))
        .routes(routes!(codes::send))
        .routes(routes!(codes::verify))
        .routes(routes!(codes::request_by_email))
        .routes(routes!(codes::verify_by_email))
        .routes(routes!(codes::outbox))
        .routes(routes!(register::register))
        .routes(routes!(register::complete_onboarding))
        .routes(routes!(profile::change))
        .routes(routes!(escalation::own::get, escalation::own::put))
        .routes(routes!(push::get, push::add))
        .routes(routes!(push::remove))
        .routes(routes!(push::test))
        .routes(routes!(contacts::delivery))
        .routes(routes!(contacts::send_confirmation))
        .routes(routes!(contacts::confirm))
        .routes(routes!(contacts::send_code))
        .routes(routes!(contacts::verify))
        .routes(routes!(profile::set_password))
        .routes(routes!(profile::change_password))
        .routes(routes!(profile::sessions, profile::end_sessions))
        .routes(routes!(profile::end_session))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(invites::create))
        .routes(routes!(invites::list))
        .routes(routes!(invites::revoke))
        .routes(routes!(invites::of_link))
        .routes(routes!(invites::open))
        .routes(routes!(invites::accept_opened))
        .routes(routes!(invites::accept))
}

#[allow(clippy::too_many_lines, reason = "a table of routes")]
fn documented() -> OpenApiRouter<AppState> {
    let documents = OpenApiRouter::new()
        .routes(routes!(rules::list, rules::create))
        .routes(routes!(
            rules::get,
            rules::put,
            rules::change,
            rules::delete
        ))
        .routes(routes!(alerts::list, alerts::create))
        .routes(routes!(
            alerts::get,
            alerts::put,
            alerts::change,
            alerts::delete
        ))
        .layer(DefaultBodyLimit::max(DOCUMENT_BYTES));
    let bench = OpenApiRouter::new()
        .routes(routes!(device_profiles::try_one))
        .layer(DefaultBodyLimit::max(BENCH_BYTES));
    let intake = OpenApiRouter::new()
        .routes(routes!(intake::send))
        .routes(routes!(intake::write))
        .routes(routes!(intake::observe))
        .layer(RequestDecompressionLayer::new())
        .layer(DefaultBodyLimit::max(MAX_PAYLOAD_BYTES));
    OpenApiRouter::with_openapi(Frame::openapi())
        .routes(routes!(users::list, users::add))
        .routes(routes!(users::change, users::remove))
        .routes(routes!(users::end_sessions))
        .routes(routes!(users::activate))
        .routes(routes!(users::deactivate))
        .routes(routes!(onboarding::list, onboarding::register))
        .routes(routes!(controllers::list, controllers::create))
        .routes(routes!(controllers::change, controllers::remove))
        .routes(routes!(controllers::renew_secret))
        .routes(routes!(controller_sensors::list))
        .routes(routes!(integrations::list, integrations::create))
        .routes(routes!(integrations::change, integrations::remove))
        .routes(routes!(integrations::renew_secret))
        .routes(routes!(farm_tokens::list))
        .routes(routes!(farm_tokens::end))
        .routes(routes!(farms::list))
        .routes(routes!(summary::get))
        .routes(routes!(verdict::get))
        .routes(routes!(exceptions::list))
        .routes(routes!(holders::list))
        .routes(routes!(weather::get))
        .routes(routes!(sun::get))
        .routes(routes!(sun::put))
        .routes(routes!(letter::get))
        .routes(routes!(letter::week))
        .routes(routes!(letter::choose))
        .routes(routes!(telemetry::latest))
        .routes(routes!(polyhouses::list, polyhouses::create))
        .routes(routes!(polyhouses::replace, polyhouses::delete))
        .routes(routes!(polyhouses::create_zone))
        .routes(routes!(polyhouses::replace_zone, polyhouses::delete_zone))
        .routes(routes!(reservoirs::list, reservoirs::create))
        .routes(routes!(reservoirs::replace, reservoirs::delete))
        .routes(routes!(reservoir_ledger::get))
        .routes(routes!(notifications::list, notifications::clear))
        .routes(routes!(notifications::read))
        .routes(routes!(notifications::read_all))
        .routes(routes!(devices::list))
        .routes(routes!(locks::lock))
        .routes(routes!(locks::unlock))
        .routes(routes!(stop::list, stop::stop))
        .routes(routes!(stop::open))
        .routes(routes!(device_history::of_device))
        .routes(routes!(device_history::of_devices))
        .routes(routes!(effects::list))
        .routes(routes!(effects::of_device, effects::put))
        .routes(routes!(devices::change, gone::remove_device))
        .routes(routes!(derived_sensors::list, derived_sensors::create))
        .routes(routes!(derived_sensors::replace, derived_sensors::delete))
        .routes(routes!(derived_sensors::check))
        .routes(routes!(device_limits::put))
        .routes(routes!(lease_test::start, lease_test::get))
        .routes(routes!(device_groups::list, device_groups::create))
        .routes(routes!(device_groups::replace, device_groups::delete))
        .routes(routes!(setpoints::list, setpoints::create))
        .routes(routes!(setpoints::replace, setpoints::delete))
        .routes(routes!(sensor_types::list))
        .routes(routes!(sensors::list))
        .routes(routes!(sensors::change, gone::remove_sensor))
        .routes(routes!(conditions::list))
        .routes(routes!(conditions::check))
        .routes(routes!(explanations::device))
        .routes(routes!(explanations::rule))
        .routes(routes!(explanations::rule_why_not))
        .routes(routes!(explanations::device_lanes))
        .routes(routes!(explanations::rule_lanes))
        .routes(routes!(explanations::house_lanes))
        .routes(routes!(backtests::try_rules))
        .routes(routes!(backtests::progress))
        .routes(routes!(commands::list, commands::send))
        .routes(routes!(commands::get))
        .routes(routes!(history::of_sensor))
        .routes(routes!(place_history::of_place))
        .routes(routes!(logs::list))
        .routes(routes!(outages::list))
        .routes(routes!(incidents::get))
        .routes(routes!(incidents::log))
        .routes(routes!(incidents::answer))
        .routes(routes!(escalation::get, escalation::put))
        .routes(routes!(answers::page, answers::answer))
        .routes(routes!(replies::twilio))
        .routes(routes!(replies::msg91))
        .routes(routes!(dead_letters::list))
        .routes(routes!(device_profiles::shipped))
        .routes(routes!(unknown_senders::list))
        .routes(routes!(take_over::take))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::test))
        .routes(routes!(receipts::verify, receipts::take))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
        .routes(routes!(health::demo))
        .merge(accounts())
        .merge(farm::router())
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .merge(bench)
        .merge(intake)
        .merge(documents)
        .merge(tasks())
}

/// All routes. To make them is to describe them, which takes a while: they are made once a process.
pub(crate) fn routes() -> Router<AppState> {
    static ROUTES: LazyLock<Router<AppState>> = LazyLock::new(|| documented().split_for_parts().0);
    ROUTES.clone()
}

/// What all routes are described as.
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    let (_, mut document) = documented().split_for_parts();
    DocumentRules.modify(&mut document);
    document
}
