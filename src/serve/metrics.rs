//! What each metric says, for `/metrics`: its HELP line. And what this program is, as a metric.

use metrics::{describe_counter, describe_gauge, describe_histogram, gauge};

/// What counters count.
const COUNTERS: &[(&str, &str)] = &[
    (
        "harit_acks_total",
        "Acknowledgements of commands, by outcome",
    ),
    (
        "harit_announcements_dropped_total",
        "Announcements of devices that there was no room for",
    ),
    (
        "harit_answers_total",
        "Answers to alerts from messages: taken, or why they were refused",
    ),
    (
        "harit_archive_copy_failures_total",
        "Times that the archive could not be copied to its bucket",
    ),
    (
        "harit_archive_failures_total",
        "Times that readings could not be archived",
    ),
    (
        "harit_archive_lost_total",
        "Farms' days that had to go before they were copied to the bucket",
    ),
    (
        "harit_archive_readings_total",
        "Readings that were archived",
    ),
    (
        "harit_archive_skipped_total",
        "Times that a journal was trimmed without waiting for the archive",
    ),
    (
        "harit_audit_errors_total",
        "Entries that could not be written into the audit log",
    ),
    (
        "harit_backup_failures_total",
        "Backups of the schedule that failed, or old ones that could not be removed",
    ),
    (
        "harit_backlog_total",
        "Readings older than 5 minutes: for the history alone",
    ),
    (
        "harit_clock_steps_total",
        "Times that the wall clock was set",
    ),
    ("harit_codes_total", "Codes for signing in, by result"),
    (
        "harit_commands_total",
        "States that commands reached, by state",
    ),
    (
        "harit_dead_letters_dropped_total",
        "Kept refusals that made room for later ones",
    ),
    (
        "harit_dead_letters_total",
        "Messages, connections, wills and subscriptions that were refused, by reason",
    ),
    (
        "harit_denied_total",
        "Requests refused for the role of who asked",
    ),
    (
        "harit_derived_failures_total",
        "Formulas that had no number to say, or were stopped",
    ),
    (
        "harit_derived_readings_total",
        "Readings that derived sensors put into the log",
    ),
    (
        "harit_effect_errors_total",
        "Looks at whether devices work that failed",
    ),
    ("harit_events_total", "Events of the engine, by event"),
    (
        "harit_farm_failures_total",
        "Farms that failed and are not served until the next start",
    ),
    (
        "harit_inner_refused_total",
        "What came to the way between servers and not from one of them",
    ),
    (
        "harit_intake_messages_total",
        "Messages of controllers that came by HTTP",
    ),
    (
        "harit_faults_total",
        "Readings without a usable value, by reason",
    ),
    (
        "harit_future_timestamps_total",
        "Timestamps too far ahead, replaced by the time of arrival",
    ),
    (
        "harit_history_dropped_total",
        "Entries that the history lost because it could not be written",
    ),
    (
        "harit_history_errors_total",
        "Times that the history could not be written or read",
    ),
    (
        "harit_history_trimmed_total",
        "Rows removed from the history for its largest size",
    ),
    (
        "harit_home_assistant_commands_total",
        "Commands of Home Assistant, by outcome",
    ),
    (
        "harit_home_assistant_unheard_total",
        "Messages of Home Assistant's broker that there was no room for",
    ),
    (
        "harit_http_accept_errors_total",
        "HTTP connections that could not be accepted",
    ),
    (
        "harit_http_connections_refused_total",
        "HTTP connections beyond the limits",
    ),
    ("harit_http_panics_total", "Requests whose handler panicked"),
    (
        "harit_http_requests_total",
        "HTTP requests, by route and status",
    ),
    (
        "harit_http_write_timeouts_total",
        "HTTP connections cut because nothing was taken of what was written",
    ),
    (
        "harit_journal_errors_total",
        "Batches that could not be written to the journal at once",
    ),
    (
        "harit_late_total",
        "Readings older than one that the sensor has already",
    ),
    ("harit_lease_renewals_total", "Leases of devices renewed"),
    (
        "harit_live_lost_total",
        "Events that the live connections did not keep up with",
    ),
    (
        "harit_log_left_out_total",
        "Entries left out of the log because the same was told often",
    ),
    (
        "harit_messages_total",
        "Messages to people, by channel and result",
    ),
    (
        "harit_mqtt_broker_oversized_total",
        "Messages of the broker larger than the limit",
    ),
    (
        "harit_mqtt_broker_receipts_lost_total",
        "Batches of the broker that the pipeline lost",
    ),
    (
        "harit_mqtt_broker_received_total",
        "Messages taken from the broker",
    ),
    (
        "harit_mqtt_broker_reconnects_total",
        "Connections to the broker after the first",
    ),
    (
        "harit_mqtt_broker_rejected_total",
        "Messages of the broker that were refused",
    ),
    (
        "harit_mqtt_broker_repeated_total",
        "Messages that a broker sent again after a reconnect, and that were in hand already",
    ),
    (
        "harit_mqtt_closed_total",
        "MQTT connections closed by the server, by reason",
    ),
    ("harit_mqtt_connects_total", "MQTT connections accepted"),
    (
        "harit_mqtt_dropped_total",
        "Messages to MQTT clients that were dropped, by reason",
    ),
    (
        "harit_mqtt_forbidden_total",
        "Publishes and subscriptions beyond the sender's own topics, by what",
    ),
    (
        "harit_mqtt_oversized_total",
        "Publishes larger than the limit",
    ),
    (
        "harit_mqtt_passed_on_total",
        "MQTT connections passed on to the server that has their farm",
    ),
    (
        "harit_mqtt_received_bytes_total",
        "Bytes received over MQTT",
    ),
    ("harit_mqtt_received_total", "Publishes received"),
    (
        "harit_mqtt_refused_connects_total",
        "MQTT connections refused, by reason",
    ),
    (
        "harit_mqtt_rejected_total",
        "Publishes that the pipeline refused",
    ),
    (
        "harit_mqtt_repeated_total",
        "QoS 2 publishes that had come before",
    ),
    (
        "harit_mqtt_resumes_total",
        "MQTT sessions that a client found again",
    ),
    ("harit_mqtt_sent_total", "Messages sent to MQTT clients"),
    (
        "harit_mqtt_sessions_evicted_total",
        "MQTT sessions dropped before their time, for the limit",
    ),
    (
        "harit_mqtt_takeovers_total",
        "MQTT sessions taken over by a newer connection",
    ),
    (
        "harit_mqtt_throttled_total",
        "Times that reading from an MQTT client was delayed",
    ),
    (
        "harit_mqtt_websockets_total",
        "Connections that came over a WebSocket",
    ),
    ("harit_mqtt_wills_total", "Last wills, by outcome"),
    (
        "harit_notification_errors_total",
        "Notifications that could not be written",
    ),
    ("harit_notifications_total", "Notifications written"),
    (
        "harit_passed_on_total",
        "Requests passed on to the server that has their farm, by what became of them",
    ),
    (
        "harit_profile_messages_total",
        "Messages of other systems read by a device profile",
    ),
    (
        "harit_questdb_failures_total",
        "Times that QuestDB did not take readings",
    ),
    (
        "harit_questdb_missing_batches_total",
        "Batches that the journal lost before QuestDB had them",
    ),
    ("harit_questdb_readings_total", "Readings that QuestDB took"),
    (
        "harit_questions_refused_total",
        "Reads of farms refused because too many waited",
    ),
    ("harit_readings_total", "Readings taken"),
    (
        "harit_receipts_total",
        "Receipts of messages to people, by result",
    ),
    (
        "harit_records_errors_total",
        "Times that the records could not be read or written",
    ),
    (
        "harit_repeated_messages_total",
        "Telemetry messages that were deliveries of the same once more",
    ),
    (
        "harit_shard_failures_total",
        "Shards that failed and were started again",
    ),
    ("harit_sign_ins_total", "Sign-ins, by result"),
    (
        "harit_sign_ins_turned_away_total",
        "Passwords that were not checked because too many waited",
    ),
    (
        "harit_socket_messages_dropped_total",
        "Messages that live connections did not take",
    ),
    ("harit_sockets_refused_total", "Live connections refused"),
    (
        "harit_subscriptions_refused_total",
        "Subscriptions of live connections refused",
    ),
    (
        "harit_throttle_overflows_total",
        "Times that too many addresses and users were counted for limits",
    ),
    (
        "harit_throttled_total",
        "Requests beyond the limits of who asked",
    ),
    (
        "harit_unknown_sensor_total",
        "Readings of sensors that are not known",
    ),
    (
        "harit_unleased_commands_total",
        "Commands that were not sent because the device is not known to go off by itself",
    ),
    (
        "harit_weather_cache_overflows_total",
        "Forecasts forgotten because there were too many places",
    ),
    (
        "harit_weather_failures_total",
        "Forecasts that could not be had",
    ),
];

/// What gauges show.
const GAUGES: &[(&str, &str)] = &[
    ("harit_questdb_up", "0 while QuestDB takes nothing"),
    (
        "harit_archive_before_timestamp_seconds",
        "The instant before which everything is archived",
    ),
    ("harit_archive_bytes", "Size of the archive"),
    (
        "harit_archive_uncopied_files",
        "Files of the archive that its bucket lacks",
    ),
    (
        "harit_backup_last_success_timestamp_seconds",
        "When the newest backup was made, in seconds since the epoch; 0 before the first",
    ),
    (
        "harit_build_info",
        "Always 1: the program's version is its label",
    ),
    ("harit_disk_bytes", "Size of the data directory's disk"),
    (
        "harit_disk_free_bytes",
        "Room on the data directory's disk for the server's user",
    ),
    (
        "harit_disk_free_inodes",
        "Files that can still be made on the data directory's disk",
    ),
    (
        "harit_farm_failed",
        "1 for a farm that failed and is not served",
    ),
    (
        "harit_gateway_up",
        "0 while a gateway for messages takes nothing, by channel",
    ),
    ("harit_history_bytes", "Size of the history"),
    (
        "harit_history_writable",
        "0 while the history cannot be written",
    ),
    ("harit_http_connections", "HTTP connections now"),
    ("harit_messages_waiting", "Messages to people that wait"),
    (
        "harit_mqtt_broker_up",
        "1 while the broker is connected, by broker",
    ),
    ("harit_mqtt_connections", "MQTT connections now"),
    (
        "harit_mqtt_sessions_parked",
        "MQTT sessions that wait for their clients",
    ),
    ("harit_queue_depth", "Work that waits for a shard"),
    ("harit_shard_up", "0 while a shard is not served"),
    ("harit_sockets", "Live connections now"),
    (
        "harit_tls_certificate_expiry_timestamp_seconds",
        "Until when the certificate, the clients' CA and the revocation list of the MQTT endpoint are good, by file",
    ),
];

/// What is measured.
const HISTOGRAMS: &[(&str, &str)] = &[
    ("harit_batch_inputs", "Records in a batch of the journal"),
    (
        "harit_derive_seconds",
        "How long a look at derived sensors takes",
    ),
    (
        "harit_gateway_seconds",
        "How long gateways take, by channel",
    ),
    ("harit_http_request_seconds", "How long requests take"),
    (
        "harit_journal_commit_seconds",
        "How long a batch takes to be durable",
    ),
    (
        "harit_publish_to_command_seconds",
        "From the arrival of a publish to the command that follows from it",
    ),
    (
        "harit_snapshot_seconds",
        "How long a snapshot of a shard takes",
    ),
];

/// Tells the recorder what each metric says, and what this program is.
pub(super) fn describe() {
    for (name, help) in COUNTERS {
        describe_counter!(*name, *help);
    }
    for (name, help) in GAUGES {
        describe_gauge!(*name, *help);
    }
    for (name, help) in HISTOGRAMS {
        describe_histogram!(*name, *help);
    }
    gauge!("harit_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

/// All metrics.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let tables = [COUNTERS, GAUGES, HISTOGRAMS].into_iter().flatten();
    tables.map(|(name, _)| *name)
}

#[cfg(test)]
pub(super) fn is_histogram(name: &str) -> bool {
    HISTOGRAMS.iter().any(|(n, _)| *n == name)
}

#[cfg(test)]
mod tests;
