//! What the endpoint counts: once for the metrics recorder, once for its own statistics.
//!
//! A handle is bound to the recorder that is installed when it is made, so install the recorder before the endpoint binds.

use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{Counter, Gauge, counter, gauge};

/// A count that only grows.
pub(super) struct Count {
    here: AtomicU64,
    metric: Counter,
}

impl Count {
    fn new(metric: Counter) -> Self {
        Self {
            here: AtomicU64::new(0),
            metric,
        }
    }

    pub(super) fn add(&self, by: usize) {
        if by > 0 {
            let by = u64::try_from(by).unwrap_or(u64::MAX);
            self.here.fetch_add(by, Ordering::Relaxed);
            self.metric.increment(by);
        }
    }

    pub(super) fn one(&self) {
        self.add(1);
    }

    pub(super) fn get(&self) -> u64 {
        self.here.load(Ordering::Relaxed)
    }
}

/// All that the endpoint counts.
pub(super) struct Counts {
    /// Connections that were accepted as MQTT clients.
    pub(super) connects: Count,
    /// Connections that were passed on to the server that has their farm.
    pub(super) passed_on: Count,
    /// Connections that were refused for an unknown user name or a wrong password.
    pub(super) bad_credentials: Count,
    /// Connections that were refused for having no user name.
    pub(super) no_credentials: Count,
    /// Connections that were refused for their certificate, or for having none where one is required.
    pub(super) certificate: Count,
    /// Connections that were refused because their account is disabled.
    pub(super) disabled: Count,
    /// Connections that were refused for a client id that is too long, or missing.
    pub(super) client_id: Count,
    /// Connections that were refused while their principal is backed off.
    pub(super) backed_off: Count,
    /// Connections that were refused by a limit (in all, per address, per principal).
    pub(super) over_limit: Count,
    /// Connections that were refused because the records could not be asked, or an older session did not let go.
    pub(super) unavailable: Count,
    /// Connections that never said a proper CONNECT (garbage, other versions, TLS errors, too slow).
    pub(super) bad_connects: Count,
    /// Publishes taken, whatever became of them.
    pub(super) received: Count,
    /// Their bytes on the wire.
    pub(super) received_bytes: Count,
    /// QoS 2 publishes that had come before: acknowledged once more, and nothing else.
    pub(super) repeated: Count,
    /// Publishes to topics that their principal may not publish to.
    pub(super) forbidden_publishes: Count,
    /// Subscriptions that were refused.
    pub(super) forbidden_subscribes: Count,
    /// Publishes larger than the limit.
    pub(super) oversized: Count,
    /// Publishes that the pipeline found bad.
    pub(super) rejected: Count,
    /// Connections closed for a malformed packet or a protocol error.
    pub(super) faults: Count,
    /// Connections closed for silence, mid-packet or not.
    pub(super) timeouts: Count,
    /// Times that reading from a connection was delayed for its principal's cost.
    pub(super) throttled: Count,
    /// Connections cut off for bad publishes.
    pub(super) cut_off: Count,
    /// Batches that the pipeline lost: their connections were closed without an acknowledgement.
    pub(super) receipts_lost: Count,
    /// Wills published.
    pub(super) wills: Count,
    /// Wills not published, because another connection of the same controller is up.
    pub(super) wills_superseded: Count,
    /// Wills passed over, because their topics are not their owners'.
    pub(super) wills_foreign: Count,
    /// Sessions taken over by a newer connection.
    pub(super) takeovers: Count,
    /// Sessions found again by a newer connection.
    pub(super) resumes: Count,
    /// Parked sessions dropped before their time, for the limit.
    pub(super) sessions_evicted: Count,
    /// Messages sent to clients.
    pub(super) sent: Count,
    /// Messages to clients that were dropped: too old.
    pub(super) dropped_expired: Count,
    /// Messages to clients that were dropped or refused: the queue was full.
    pub(super) dropped_full: Count,
    /// Messages to clients that were dropped: larger than the client takes.
    pub(super) dropped_too_large: Count,
    /// Connections now.
    pub(super) connections: Gauge,
    /// Parked sessions now.
    pub(super) parked: Gauge,
}

impl Counts {
    pub(super) fn new() -> Self {
        let refused = |why: &'static str| {
            Count::new(counter!("harit_mqtt_refused_connects_total", "reason" => why))
        };
        let dropped =
            |why: &'static str| Count::new(counter!("harit_mqtt_dropped_total", "reason" => why));
        let closed =
            |why: &'static str| Count::new(counter!("harit_mqtt_closed_total", "reason" => why));
        Self {
            connects: Count::new(counter!("harit_mqtt_connects_total")),
            passed_on: Count::new(counter!("harit_mqtt_passed_on_total")),
            bad_credentials: refused("bad_credentials"),
            no_credentials: refused("no_credentials"),
            certificate: refused("certificate"),
            disabled: refused("disabled"),
            client_id: refused("client_id"),
            backed_off: refused("backed_off"),
            over_limit: refused("limit"),
            unavailable: refused("unavailable"),
            bad_connects: refused("bad_connect"),
            received: Count::new(counter!("harit_mqtt_received_total")),
            received_bytes: Count::new(counter!("harit_mqtt_received_bytes_total")),
            repeated: Count::new(counter!("harit_mqtt_repeated_total")),
            forbidden_publishes: Count::new(
                counter!("harit_mqtt_forbidden_total", "what" => "publish"),
            ),
            forbidden_subscribes: Count::new(
                counter!("harit_mqtt_forbidden_total", "what" => "subscribe"),
            ),
            oversized: Count::new(counter!("harit_mqtt_oversized_total")),
            rejected: Count::new(counter!("harit_mqtt_rejected_total")),
            faults: closed("fault"),
            timeouts: closed("timeout"),
            throttled: Count::new(counter!("harit_mqtt_throttled_total")),
            cut_off: closed("cut_off"),
            receipts_lost: closed("receipt_lost"),
            wills: Count::new(counter!("harit_mqtt_wills_total", "outcome" => "published")),
            wills_superseded: Count::new(
                counter!("harit_mqtt_wills_total", "outcome" => "superseded"),
            ),
            wills_foreign: Count::new(counter!("harit_mqtt_wills_total", "outcome" => "foreign")),
            takeovers: Count::new(counter!("harit_mqtt_takeovers_total")),
            resumes: Count::new(counter!("harit_mqtt_resumes_total")),
            sessions_evicted: Count::new(counter!("harit_mqtt_sessions_evicted_total")),
            sent: Count::new(counter!("harit_mqtt_sent_total")),
            dropped_expired: dropped("expired"),
            dropped_full: dropped("full"),
            dropped_too_large: dropped("too_large"),
            connections: gauge!("harit_mqtt_connections"),
            parked: gauge!("harit_mqtt_sessions_parked"),
        }
    }
}
