//! From MQTT bytes to engine inputs, and from engine events to commands.

pub mod mac;
pub mod mqtt;
