//! The options of `harit simulate`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use thiserror::Error;

use crate::Broker;
use crate::demo;
use crate::fault::{Fault, mac_text};
use crate::model::DAY;
use crate::run::{SPEEDS, SimulateConfig};

/// Run the demo farm's controllers against a broker, as real MQTT clients over a simulated farm.
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    /// The broker: HOST, HOST:PORT or mqtt://HOST:PORT (plain MQTT, no TLS)
    #[arg(long, env = "HARIT_SIMULATE_BROKER", default_value = "127.0.0.1:1883", value_parser = Broker::from_str)]
    pub broker: Broker,
    /// The farm's id in topics
    #[arg(long, env = "HARIT_SIMULATE_FARM", default_value = demo::FARM_ID)]
    pub farm: String,
    /// File with the controllers' secrets, a line each: MAC SECRET (default: the demo's)
    #[arg(long, env = "HARIT_SIMULATE_SECRETS", value_name = "FILE")]
    pub secrets: Option<PathBuf>,
    /// Decides clouds, gusts and sensor noise
    #[arg(long, env = "HARIT_SIMULATE_SEED", default_value_t = demo::SEED)]
    pub seed: u64,
    /// How many times faster than real time the farm's physics run; MQTT, leases, pulses and holds stay in real time
    #[arg(long, env = "HARIT_SIMULATE_SPEED", default_value_t = 1.0, value_parser = parse_speed)]
    pub speed: f64,
    /// Date and time of day on the farm at the start, by its own clocks: MM-DDTHH:MM
    #[arg(
        long,
        env = "HARIT_SIMULATE_START",
        default_value = "01-20T10:00",
        value_name = "MM-DDTHH:MM"
    )]
    pub start: FarmTime,
    /// What goes wrong on the farm.
    #[command(flatten)]
    pub faults: FaultArgs,
}

/// Faults of a simulated farm, on the command line.
#[derive(Debug, Clone, Default, Args)]
pub struct FaultArgs {
    /// Faults that are set from the beginning.
    #[arg(
        long = "fault",
        env = "HARIT_SIMULATE_FAULTS",
        value_delimiter = ',',
        value_name = "FAULT",
        value_parser = Fault::from_str,
        help = "Fault of a simulated farm, may be repeated: KIND:TARGET[:after=30s][:for=5m] with KIND silent-sensor, \
                stuck-value, null-value, drift (a sensor), lost-ack, stuck-relay, lock, safety (a device), offline (a \
                controller's MAC)"
    )]
    pub faults: Vec<Fault>,
}

/// Why the options cannot be used.
#[derive(Debug, Error)]
pub enum ArgsError {
    /// The secrets cannot be read.
    #[error("cannot read the secrets in {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A line of the secrets is none.
    #[error("{path}, line {line}: expected MAC SECRET, such as 240AC45E1001 s3cr3t")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A controller has no secret.
    #[error("{path} has no secret for the controller {mac} ({name})")]
    Missing {
        /// The file.
        path: PathBuf,
        /// The controller.
        mac: String,
        /// Its name.
        name: String,
    },
}

impl SimulateArgs {
    /// What to run: the demo farm with these options.
    ///
    /// # Errors
    /// When the file with the secrets cannot be read or lacks one.
    pub fn config(self) -> Result<SimulateConfig, ArgsError> {
        let mut config = demo::config(self.broker);
        if let Some(path) = self.secrets {
            let secrets = read_secrets(&path)?;
            for controller in &mut config.controllers {
                let secret = secrets
                    .get(&controller.mac)
                    .ok_or_else(|| ArgsError::Missing {
                        path: path.clone(),
                        mac: controller.mac.clone(),
                        name: controller.name.clone(),
                    })?;
                controller.secret.clone_from(secret);
            }
        }
        Ok(SimulateConfig {
            farm: self.farm,
            seed: self.seed,
            speed: self.speed,
            start: self.start.seconds(),
            faults: self.faults.faults,
            ..config
        })
    }
}

fn read_secrets(path: &PathBuf) -> Result<BTreeMap<String, String>, ArgsError> {
    let text = std::fs::read_to_string(path).map_err(|source| ArgsError::Unreadable {
        path: path.clone(),
        source,
    })?;
    let mut secrets = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (mac, secret) =
            line.split_once(char::is_whitespace)
                .ok_or_else(|| ArgsError::Line {
                    path: path.clone(),
                    line: i + 1,
                })?;
        secrets.insert(mac_text(mac), secret.trim().to_owned());
    }
    Ok(secrets)
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let (min, max) = SPEEDS;
    let speed = text.parse::<f64>().ok().filter(|s| (min..=max).contains(s));
    speed.ok_or_else(|| format!("expected a number from {min} to {max}"))
}

/// A date and a time of day by the farm's clocks, in no particular year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FarmTime {
    day: u32,
    minute: u32,
}

impl FarmTime {
    /// Seconds since midnight of 1 January.
    #[must_use]
    pub fn seconds(self) -> f64 {
        f64::from(self.day) * DAY + f64::from(self.minute) * 60.0
    }
}

/// The text is no date and time.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no start: expected MM-DDTHH:MM, such as 01-20T10:00")]
pub struct BadFarmTime(String);

const MONTH_DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl FromStr for FarmTime {
    type Err = BadFarmTime;

    fn from_str(text: &str) -> Result<Self, BadFarmTime> {
        let read = || {
            let (date, time) = text.split_once('T')?;
            let (month, day) = date.split_once('-')?;
            let (hour, minute) = time.split_once(':')?;
            let two = |t: &str| {
                if t.len() == 2 {
                    t.parse::<u32>().ok()
                } else {
                    None
                }
            };
            let (month, day) = (
                usize::try_from(two(month)?).ok()?.checked_sub(1)?,
                two(day)?,
            );
            let (hour, minute) = (two(hour)?, two(minute)?);
            let sound = (1..=*MONTH_DAYS.get(month)?).contains(&day) && hour < 24 && minute < 60;
            let before: u32 = MONTH_DAYS[..month].iter().sum();
            sound.then_some(Self {
                day: before + day - 1,
                minute: hour * 60 + minute,
            })
        };
        read().ok_or_else(|| BadFarmTime(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: SimulateArgs,
    }

    fn parse(args: &[&str]) -> Result<SimulateArgs, String> {
        let all = std::iter::once(&"simulate").chain(args);
        Cli::try_parse_from(all)
            .map(|c| c.args)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn defaults_are_the_demo() {
        let config = parse(&[]).unwrap().config().unwrap();
        assert_eq!(config.broker.to_string(), "127.0.0.1:1883");
        assert_eq!(config.farm, "demo-farm-1");
        assert!((config.speed - 1.0).abs() < 1e-9);
        assert!((config.start - (19.0 * DAY + 36_000.0)).abs() < 1e-9);
        assert!(crate::Simulation::new(config).is_ok());
    }

    #[test]
    fn options_are_taken_and_faults_may_be_repeated() {
        let config = parse(&[
            "--broker=mqtt://farm:1884",
            "--farm=f2",
            "--seed=9",
            "--speed=0.5",
            "--start=12-31T23:59",
            "--fault=lock:ph1-vent:for=5m",
            "--fault",
            "offline:24:0a:c4:5e:10:01",
        ]);
        let config = config.unwrap().config().unwrap();
        assert_eq!(
            (config.broker.port, config.seed, config.faults.len()),
            (1884, 9, 2)
        );
        assert!((config.start - (364.0 * DAY + 86_340.0)).abs() < 1e-9);
        assert!(crate::Simulation::new(config).is_ok());
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for (args, expected) in [
            (["--speed=0"], "expected a number from 0.001 to 100000"),
            (["--speed=fast"], "expected a number from 0.001 to 100000"),
            (["--start=02-30T10:00"], "expected MM-DDTHH:MM"),
            (["--start=01-20"], "expected MM-DDTHH:MM"),
            (["--broker=mqtts://x"], "no TLS"),
            (["--fault=broken:fan"], "expected one of silent-sensor"),
        ] {
            let error = parse(&args).unwrap_err();
            assert!(error.contains(expected), "{args:?}: {error}");
        }
        let config = parse(&["--fault=lock:fan-99"]).unwrap().config().unwrap();
        let error = crate::Simulation::new(config).err().unwrap();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(
            source.contains("no device \"fan-99\"") && source.contains("ph1-vent"),
            "{source}"
        );
    }

    #[test]
    fn secrets_come_from_a_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let with = |file: &tempfile::NamedTempFile| {
            let option = format!("--secrets={}", file.path().display());
            parse(&[&option]).unwrap().config()
        };
        writeln!(file, "# made by hand\n\n24:0a:c4:5e:10:01 one").unwrap();
        assert!(
            with(&file)
                .unwrap_err()
                .to_string()
                .contains("no secret for the controller")
        );
        for controller in demo::controllers() {
            writeln!(file, "{} secret-of-{}", controller.mac, controller.mac).unwrap();
        }
        let config = with(&file).unwrap();
        assert!(
            config
                .controllers
                .iter()
                .all(|c| c.secret == format!("secret-of-{}", c.mac))
        );
        writeln!(file, "nonsense").unwrap();
        assert!(
            with(&file)
                .unwrap_err()
                .to_string()
                .contains("expected MAC SECRET")
        );
        assert!(
            parse(&["--secrets=/no/such/file"])
                .unwrap()
                .config()
                .is_err()
        );
    }
}
