//! `harit man`: the manual's pages, made from the command line itself, one a command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory};

use crate::cli::Cli;
use crate::report::report;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Where the pages go; it is made where it is not there.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn main(args: &ManArgs) -> ExitCode {
    match write(&args.dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit man", &e);
            ExitCode::FAILURE
        }
    }
}

fn write(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    clap_mangen::generate_to(Cli::command(), dir)
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    /// The pages that there are to be: `harit-user-add.1`, ...
    fn pages(command: &Command, name: &str, all: &mut Vec<String>) {
        all.push(format!("{name}.1"));
        for sub in command.get_subcommands() {
            pages(sub, &format!("{name}-{}", sub.get_name()), all);
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path()).unwrap();
        let mut all = Vec::new();
        pages(&Cli::command(), "harit", &mut all);
        assert!(all.len() > 20);
        for page in all {
            let text = fs::read_to_string(dir.path().join(&page)).unwrap();
            assert!(
                text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"),
                "{page}"
            );
        }
        let serve = fs::read_to_string(dir.path().join("harit-serve.1")).unwrap();
        assert!(
            serve.contains("The settings; harit.toml.example has all"),
            "{serve}"
        );
    }
}
