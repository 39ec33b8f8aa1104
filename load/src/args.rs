//! The options of `harit bench`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::farm::{Account, BenchFarms, Shape};
use crate::wander::Step;

/// Put load on a server or broker and measure latencies and losses.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Start a server for it, with farms under load in a new directory, and stop it in the end
    #[arg(long = "self", conflicts_with_all = ["mqtt", "http", "controllers", "seed"])]
    pub own_server: bool,
    /// Where --self stores; on the disk that is to be measured (default: the directory for temporary files)
    #[arg(long, value_name = "DIR", requires = "own_server")]
    pub dir: Option<PathBuf>,
    /// Only make the farms under load, in the data directory of a server that is not running
    #[arg(long, value_name = "DIR")]
    pub seed: Option<PathBuf>,
    /// The server's or broker's MQTT address (plain MQTT, no TLS)
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:1883")]
    pub mqtt: String,
    /// The server's HTTP address, whose /metrics says how many readings it took
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<SocketAddr>,
    /// The server's process, whose memory and processor time are told
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
    /// The controllers' accounts, a line each: FARM MAC SECRET (default: those of the farms under load)
    #[arg(long, value_name = "FILE")]
    pub controllers: Option<PathBuf>,
    /// Controllers that are connected and publish
    #[arg(long, short, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=50_000))]
    pub connections: u32,
    /// Further controllers that are connected and only keep that alive
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub idle: u32,
    /// How many of those a second lose their connection and connect again
    #[arg(long, value_name = "R", default_value_t = 0, requires = "idle")]
    pub reconnects: u32,
    /// Publishes that each connection has unacknowledged at most; with 1 each waits for each acknowledgement
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub window: u32,
    /// Messages a second of all connections together; none: as many as the windows allow
    #[arg(long, short, value_parser = clap::value_parser!(u32).range(1..))]
    pub rate: Option<u32>,
    /// Values in a message
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub values: u32,
    /// How the entries of a message look
    #[arg(long, value_enum, default_value_t = Shape::Full)]
    pub shape: Shape,
    /// QoS of the telemetry
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    pub qos: u8,
    /// How long it is measured
    #[arg(long, short, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub seconds: u32,
    /// How long it runs before that
    #[arg(long, default_value_t = 2)]
    pub warm_up: u32,
    /// How many connections also measure publish to command (default: up to 200; needs the farms under load)
    #[arg(long)]
    pub probes: Option<u32>,
    /// Threads of the generator
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: u32,
    /// Farms of --self and --seed
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub farms: u32,
    /// Rules of each controller in them
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub rules: u32,
    /// How far a value wanders from one message to the next at most, as a part of its range: thresholds are crossed and rules
    /// fire. 0 is the calm case: values cross no threshold and no rule fires but the probes'
    #[arg(long, value_name = "STEP", default_value = "0.005", value_parser = Step::parse)]
    pub wander: Step,
    /// A CSV file that gets a line with the results
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// The accounts cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AccountsError {
    /// The file cannot be read.
    #[error("cannot read the accounts in {path}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is none.
    #[error("{path}, line {line}: expected FARM MAC SECRET")]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
    },
    /// Too few.
    #[error("{path} has {have} accounts for {wanted} connections")]
    TooFew {
        /// Which file.
        path: PathBuf,
        /// Accounts in it.
        have: usize,
        /// Connections that were asked for.
        wanted: usize,
    },
}

impl LoadArgs {
    /// The farms under load that fit these options.
    #[must_use]
    pub const fn farms(&self) -> BenchFarms {
        BenchFarms {
            farms: self.farms as usize,
            controllers: self.connections as usize,
            idle: self.idle as usize,
            values: self.values as usize,
            rules: self.rules as usize,
            step: self.wander,
            shape: self.shape,
        }
    }

    /// All connections, idle ones included.
    #[must_use]
    pub const fn all(&self) -> usize {
        self.connections as usize + self.idle as usize
    }

    /// The accounts of the connections, those of the idle ones last.
    ///
    /// # Errors
    /// When the file with them cannot be used.
    pub fn accounts(&self) -> Result<Vec<Account>, AccountsError> {
        let farms = self.farms();
        let all = self.all();
        match &self.controllers {
            None => Ok((0..all).map(|c| farms.account(c)).collect()),
            Some(path) => {
                let text =
                    std::fs::read_to_string(path).map_err(|source| AccountsError::Unreadable {
                        path: path.clone(),
                        source,
                    })?;
                parse(path, &text, all)
            }
        }
    }

    /// How many connections measure publish to command.
    #[must_use]
    pub fn probes(&self) -> usize {
        let most = self.connections as usize;
        // Foreign controllers have no rule that would answer.
        let default = if self.controllers.is_some() { 0 } else { 200 };
        self.probes.map_or(default, |n| n as usize).min(most)
    }
}

fn parse(path: &Path, text: &str, wanted: usize) -> Result<Vec<Account>, AccountsError> {
    let mut accounts = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [] => {}
            [comment, ..] if comment.starts_with('#') => {}
            [farm, mac, secret] => accounts.push(Account {
                farm: farm.to_owned(),
                mac: mac.to_owned(),
                secret: secret.to_owned(),
            }),
            _ => {
                return Err(AccountsError::Line {
                    path: path.to_owned(),
                    line,
                });
            }
        }
    }
    if accounts.len() < wanted {
        return Err(AccountsError::TooFew {
            path: path.to_owned(),
            have: accounts.len(),
            wanted,
        });
    }
    Ok(accounts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_a_line_each() {
        let path = Path::new("accounts");
        let text = "# all of them\nf1 A4CF120B9E01 s1\n\n f2\tA4CF120B9E02  s2\n";
        let accounts = parse(path, text, 2).unwrap();
        assert_eq!(accounts[1].farm, "f2");
        assert_eq!(accounts[1].secret, "s2");
        let error = |text, n| parse(path, text, n).unwrap_err().to_string();
        assert!(error(text, 3).contains("2 accounts for 3"));
        assert!(error("a b", 0).contains("line 1"));
    }
}
