//! Starts a PostgreSQL, runs a command with its address in `HARIT_TEST_POSTGRES`, stops the server, and ends as the command did.

use std::env;
use std::process::{Command, ExitCode};

use harit_testkit::postgres::Server;

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    let Some(program) = words.next() else {
        return ExitCode::from(2);
    };
    let server = Server::start();
    let ended = Command::new(program)
        .args(words)
        .env("HARIT_TEST_POSTGRES", server.address())
        .status();
    drop(server);
    match ended {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
