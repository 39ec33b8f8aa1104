//! What the composition root decides for the api.

use std::sync::Arc;
use std::time::Duration;

use crate::address::TrustedProxies;
use crate::delivery::DeliveryConfig;

/// Settings of the api; each has a default.
#[derive(Debug, Clone)]
pub struct ApiConfig {
    /// The demo: `/api/demo` tells how to sign in. Never on anything but loopback.
    pub demo: Option<DemoSignIn>,
    /// By what messages reach people.
    pub delivery: DeliveryConfig,
    /// Whether codes and links for which no gateway is set are written into the log.
    pub codes_in_log: bool,
    /// The address by which people reach the console, for links: `https://farm.example`.
    pub public_url: Option<String>,
    /// Whoever presents it as a bearer token may read `/metrics`; loopback always may.
    pub metrics_token: Option<String>,
    /// Failed sign-ins a minute for one contact from one address.
    pub sign_ins_per_contact: u32,
    /// Failed sign-ins a minute from one address.
    pub sign_ins_per_address: u32,
    /// Codes an hour from one address.
    pub codes_per_address: u32,
    /// Registrations an hour from one address.
    pub registrations_per_address: u32,
    /// Requests a minute of one user that only look.
    pub reads_per_user: u32,
    /// Requests a minute of one user that change documents, records or people.
    pub changes_per_user: u32,
    /// Manual commands a minute of one user, but those that stop.
    pub commands_per_user: u32,
    /// Stops a minute of one user: `off`, `release`, STOP. Nothing else uses them up.
    pub stops_per_user: u32,
    /// Manual commands a minute for one device; those that stop it are never limited.
    pub commands_per_device: u32,
    /// Connections that are open at one time; further ones wait a moment for room.
    pub max_connections: usize,
    /// Connections of one address (of IPv6: of one /64) that are open at one time, but of trusted proxies.
    pub connections_per_address: usize,
    /// Live connections of one address that are open at one time, whether anybody signed in on them yet or not.
    pub sockets_per_address: usize,
    /// Live connections of one user that are open at one time.
    pub sockets_per_user: usize,
    /// A connection whose other side takes nothing of what is written for so long is cut off.
    pub write_timeout: Duration,
    /// Whose word is taken for where a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// The address that controllers are told in onboarding, `host:port`.
    pub mqtt_address: String,
    /// How long after the start nothing is told of controllers, sensors and locks: controllers need time to come back.
    pub quiet_at_start: Duration,
    /// Whether browsers shall insist on TLS from now on (HSTS): only where TLS is in front.
    pub behind_tls: bool,
    /// Whether phones keep the console's code, so that it opens without a connection; where not, they forget it.
    pub console_offline: bool,
}

/// How to sign in to the demo.
#[derive(Debug, Clone)]
pub struct DemoSignIn {
    /// The demo farm's id.
    pub farm: String,
    /// The users' e-mail addresses.
    pub users: Vec<String>,
    /// Their password.
    pub password: String,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            demo: None,
            delivery: DeliveryConfig::default(),
            codes_in_log: false,
            public_url: None,
            metrics_token: None,
            sign_ins_per_contact: 5,
            sign_ins_per_address: 20,
            codes_per_address: 20,
            registrations_per_address: 10,
            reads_per_user: 600,
            changes_per_user: 120,
            commands_per_user: 120,
            stops_per_user: 240,
            commands_per_device: 30,
            max_connections: 1_024,
            connections_per_address: 256,
            sockets_per_address: 256,
            sockets_per_user: 32,
            write_timeout: Duration::from_secs(15),
            trusted_proxies: TrustedProxies::default(),
            mqtt_address: "127.0.0.1:1883".into(),
            // longer than the hub waits for controllers that were online before
            quiet_at_start: Duration::from_secs(70),
            behind_tls: false,
            console_offline: true,
        }
    }
}

/// Ends a controller's connection, because its secret changed or it was taken away.
pub type Kick = Arc<dyn Fn(&harit_ingest::mqtt::Principal) -> usize + Send + Sync>;

/// Says whether something outside the api works, such as the MQTT endpoint.
pub type Probe = Arc<dyn Fn() -> bool + Send + Sync>;
