//! MQTT 5 reason codes that the endpoint uses, and what 3.1.1 says instead of them at CONNECT.

pub(super) const SUCCESS: u8 = 0x00;
pub(super) const NO_SUBSCRIPTION_EXISTED: u8 = 0x11;
pub(super) const MALFORMED: u8 = 0x81;
pub(super) const PROTOCOL_ERROR: u8 = 0x82;
pub(super) const UNSUPPORTED_VERSION: u8 = 0x84;
pub(super) const CLIENT_ID_INVALID: u8 = 0x85;
pub(super) const BAD_CREDENTIALS: u8 = 0x86;
pub(super) const NOT_AUTHORIZED: u8 = 0x87;
pub(super) const UNAVAILABLE: u8 = 0x88;
pub(super) const SERVER_BUSY: u8 = 0x89;
pub(super) const SHUTTING_DOWN: u8 = 0x8b;
pub(super) const BAD_AUTHENTICATION_METHOD: u8 = 0x8c;
pub(super) const KEEP_ALIVE_TIMEOUT: u8 = 0x8d;
pub(super) const SESSION_TAKEN_OVER: u8 = 0x8e;
pub(super) const TOPIC_FILTER_INVALID: u8 = 0x8f;
pub(super) const PACKET_ID_NOT_FOUND: u8 = 0x92;
pub(super) const RECEIVE_MAXIMUM_EXCEEDED: u8 = 0x93;
pub(super) const TOPIC_ALIAS_INVALID: u8 = 0x94;
pub(super) const PACKET_TOO_LARGE: u8 = 0x95;
pub(super) const RATE_TOO_HIGH: u8 = 0x96;
pub(super) const QUOTA_EXCEEDED: u8 = 0x97;
pub(super) const ADMINISTRATIVE: u8 = 0x98;
pub(super) const SHARED_SUBSCRIPTIONS: u8 = 0x9e;
pub(super) const CONNECTION_RATE: u8 = 0x9f;
pub(super) const SUBSCRIPTION_IDENTIFIERS: u8 = 0xa1;

/// The failure of one SUBSCRIBE entry in 3.1.1, which has only one.
pub(super) const SUBACK_FAILURE: u8 = 0x80;

/// The CONNACK return code of 3.1.1 for a reason, `None` where 3.1.1 wants the connection closed without an answer.
pub(super) fn connack_3_1_1(code: u8) -> Option<u8> {
    match code {
        UNSUPPORTED_VERSION => Some(1),
        CLIENT_ID_INVALID => Some(2),
        UNAVAILABLE | SERVER_BUSY | QUOTA_EXCEEDED | CONNECTION_RATE => Some(3),
        BAD_CREDENTIALS => Some(4),
        NOT_AUTHORIZED => Some(5),
        _ => None,
    }
}
