//! The whole server from outside: the real binary, real sockets, and clients that are not ours.
//!
//! Each test has a data directory and ports of its own, and what it starts ends with it. `HARIT_SEED` repeats a run's random
//! choices, `HARIT_HOLD_SEC` makes the holds of the crash test longer, `HARIT_KILLS` the tests of messages and of kills under load;
//! `HARIT_BIN` is another build of the binary. Without Debian's mosquitto and mosquitto-clients the
//! tests that need them fail, unless `HARIT_SKIP_INTEROP=1`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and says what it measured"
)]

mod attack;
mod backup;
mod births;
mod buckets;
mod cells;
mod cells_backup;
mod cells_cost;
mod certificates;
mod clock;
mod controller;
mod crash;
mod crowd;
mod demo;
mod doctor;
mod end_to_end;
mod farm;
mod farm_moves;
mod faults;
mod hour_away;
mod incident;
mod incident_messages;
mod interop;
mod kills;
mod lost_end;
mod messages;
mod mosquitto;
mod neighbour;
mod operation;
mod operator;
mod other_devices;
mod postgres;
mod postgres_records;
mod programs;
mod questdb;
mod random;
mod redelivery;
mod refused_answers;
mod restore;
mod server;
mod smtp;
mod standby;
mod standby_away;
mod standby_beside;
mod standby_cost;
mod standby_faults;
mod standby_update;
mod storm;
mod telegraf;
mod unit;
