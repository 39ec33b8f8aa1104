//! What the live connection says: each message with its event, and their schemas, which the API's document names.

use harit_engine::Event;
use harit_ingest::Telemetry;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{OpenApi, ToSchema};

use crate::document::SensorTypeDocument;
use crate::resource::Kind;
use crate::routes::{CommandBody, Means, VerdictBody};

/// A message of the server.
pub(super) trait Message: Serialize {
    /// What it is called.
    const EVENT: &'static str;
}

macro_rules! messages {
    ($($(#[$doc:meta])* $event:ident: $message:ty as $schema:ty;)+) => {
        $(impl Message for $message {
            const EVENT: &'static str = stringify!($event);
        })+

        /// The messages of the live connection by event.
        #[derive(ToSchema)]
        #[expect(dead_code, reason = "a schema")]
        pub(super) struct LiveEvents {
            $($(#[$doc])* $event: $schema,)+
        }

        const EVENTS: &[&str] = &[$(stringify!($event)),+];
    };
}

messages! {
    /// Sensors reported.
    telemetry: Telemetry as LiveTelemetry;
    /// The means of the farm and its houses, as in the latest telemetry, when one changes; at most once a second.
    means: Means as Means;
    /// The engine decided something.
    event: Event as EngineEvent;
    /// A command's life went on.
    command: CommandBody as CommandBody;
    /// A controller came or went.
    controller: ControllerMessage as ControllerMessage;
    /// Places, sensors, devices, rules or alerts changed: load them again.
    registry: RegistryMessage as RegistryMessage;
    /// Records of people changed: load them again.
    records: RecordsMessage as RecordsMessage;
    /// How the farm and its houses stand now, when that changes; at most once a second.
    verdict: VerdictBody as VerdictBody;
    /// The log has new entries, or results; at most twice a second.
    log: LogMessage as LogMessage;
    /// Messages were lost: load everything again.
    reload: ReloadMessage as ReloadMessage;
    /// The farm that was asked for is not told of; the same as the acknowledgement of `subscribe`.
    subscribe_error: Refusal as Refusal;
}

/// The sensors that reported, each with its latest reading.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a schema")]
pub(super) struct LiveTelemetry {
    sensors: Vec<LiveReading>,
}

/// A sensor's latest reading.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "a schema")]
pub(super) struct LiveReading {
    id: String,
    #[schema(rename = "type")]
    sensor_type: SensorTypeDocument,
    /// Empty for pH.
    unit: String,
    /// Null after a fault.
    #[schema(required)]
    latest_value: Option<f64>,
    /// When it was taken.
    at: i64,
}

/// An event of the engine, as in `events.jsonl`: what else it has depends on which it is.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a schema")]
pub(super) struct EngineEvent {
    /// Which, such as `rule_fired`.
    event: String,
    at: i64,
}

/// A controller that came or went.
#[derive(Serialize, ToSchema)]
pub(super) struct ControllerMessage {
    pub(super) mac: String,
    pub(super) online: bool,
}

/// Nothing more than that it happened.
#[derive(Serialize, ToSchema)]
pub(super) struct RegistryMessage {}

/// The kinds of record that changed.
#[derive(Serialize, ToSchema)]
pub(super) struct RecordsMessage {
    pub(super) kinds: Vec<Kind>,
}

/// Nothing more than that it happened.
#[derive(Serialize, ToSchema)]
pub(super) struct LogMessage {}

/// Nothing more than that it happened.
#[derive(Serialize, ToSchema)]
pub(super) struct ReloadMessage {}

/// Which farm a client wants to be told of.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subscribe {
    pub(super) farm_id: String,
}

/// The acknowledgement of a subscription.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum Subscribed {
    Taken(Taken),
    Refused(Refusal),
}

/// The farm that the client is told of from now on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Taken {
    /// True.
    pub(super) ok: bool,
    pub(super) farm_id: String,
}

/// Why the client is told of no farm.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Refusal {
    /// False.
    pub(super) ok: bool,
    /// In the client's language.
    pub(super) error: String,
    pub(super) code: String,
}

#[derive(OpenApi)]
#[openapi(components(schemas(LiveEvents, Subscribe, Subscribed)))]
struct Schemas;

/// Adds the events to the API's document.
pub(crate) fn describe(document: &mut utoipa::openapi::OpenApi) {
    let schema = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let of_server = EVENTS.iter().map(|event| {
        let place = format!("#/components/schemas/LiveEvents/properties/{event}");
        let event = (*event).to_owned();
        (event, json!({"from": "server", "message": {"$ref": place}}))
    });
    let of_client = json!({
        "from": "client", "message": schema("Subscribe"), "acknowledgement": schema("Subscribed")
    });
    let subscribe = std::iter::once(("subscribe".to_owned(), of_client));
    let events = Value::Object(of_server.chain(subscribe).collect());
    document.merge(Schemas::openapi());
    let extensions = document.extensions.get_or_insert_default();
    extensions.insert("x-events".to_owned(), events);
}
