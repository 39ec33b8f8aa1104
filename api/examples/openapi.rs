//! Writes the OpenAPI document to `api/openapi.json`, from which the console's types are made. `--check` only compares.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let result = harit_api::openapi_json().map_err(std::io::Error::from).and_then(|text| {
        if std::env::args().any(|a| a == "--check") {
            let same = std::fs::read_to_string(&path)? == text;
            return if same { Ok(()) } else { Err(std::io::Error::other("api/openapi.json is out of step: run `cargo run -p harit-api --example openapi`")) };
        }
        std::fs::write(&path, text)
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "no document");
            let _ = std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("{}: {error}\n", path.display()),
            );
            ExitCode::FAILURE
        }
    }
}
