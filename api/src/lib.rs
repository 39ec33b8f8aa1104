//! HTTP and Socket.IO in front of the engine.
//!
//! [`Records`] hold what is not the engine's: people, roles, sign-ins, controllers' secrets, reservoirs, tasks. [`AppState`]
//! puts them together with the pipeline's hub, and [`serve`] answers on a listener until it is told to stop. The api
//! computes no state that the engine did not report, and every handler reaches a farm only through the authorisation layer
//! (`access`).

mod access;
mod address;
mod almanac;
mod audit;
mod auth;
mod config;
mod contact;
mod delivery;
mod derived_sensors;
mod device_past;
pub mod document;
mod effects;
mod error;
mod escalation;
pub mod explain;
mod farm;
mod incidents;
mod lanes;
mod language;
mod lease_tests;
mod ledger;
mod letter;
mod live;
mod log;
mod manual_since;
mod notifications;
mod openapi;
mod operation;
mod operator;
mod outages;
mod places;
mod problem;
mod ranges;
mod records;
mod resource;
mod role;
mod routes;
mod secret;
mod serve;
mod sun;
mod version;
mod weather;

pub use access::AppState;
pub use address::TrustedProxies;
pub use almanac::almanac_days;
pub use audit::{LogProblem, LogReport, VerifyError, seal_incident, seal_log_anew, verify_log};
pub use config::{ApiConfig, DemoSignIn, Kick, Probe};
pub use delivery::{
    DeliveryConfig, GatewayError, PushConfig, Secret, SmsConfig, SmtpConfig, SmtpSecurity,
    Templates, WebhookConfig, WebhookFormat, WhatsAppConfig,
};
pub use derived_sensors::load_derived_sensors;
pub use farm::{FarmRecord, RecordError, load_device_profiles};
pub use language::Language;
pub use openapi::openapi_json;
pub use operator::{
    ControllerInfo, ControllerWish, IntegrationInfo, MadeController, MadeIntegration, MadeToken,
    Operator, OperatorError, Password, PersonInfo, PersonWish, Served, TokenInfo, TokenWish,
};
pub use records::{
    BadCell, Cell, CopyError, FarmOfCell, NewFarm, NewTask, NewUser, Records, RecordsError,
    RecordsPlace, SeedError, Unsound, copy_records, load_lease_proofs,
};
pub use role::Role;
pub use routes::chart_step_sec;
pub use serve::{Beside, Passing, serve};
pub use weather::{
    Conditions, NoProvider, NoWeather, OpenMeteo, OpenMeteoError, Place, Weather, WeatherSource,
};
