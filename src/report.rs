//! Errors on the terminal, with their causes.

use std::error::Error;
use std::io::{self, Write};

/// Prints an error with those of its causes that it does not tell itself.
pub(crate) fn report(command: &str, error: &dyn Error) {
    let mut told = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !told.contains(&text) {
            told = format!("{told}: {text}");
        }
        next = cause.source();
    }
    // Nobody is left to tell if standard error is closed.
    let _closed = writeln!(io::stderr().lock(), "{command}: {told}");
}
