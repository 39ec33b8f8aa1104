//! `harit controller`: which controllers there are, one more, a new password, whether one may connect, and taking one away.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::{ControllerWish, MadeController, Served};
use harit_protocol::{BadMac, Mac};

use super::{Place, state, table};

#[derive(Debug, Args)]
pub(crate) struct ControllerArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: ControllerCommand,
}

#[derive(Debug, Subcommand)]
enum ControllerCommand {
    /// List controllers.
    List {
        /// Of this farm only.
        #[arg(long, value_name = "ID")]
        farm: Option<String>,
    },
    /// Register a controller and print its password, once.
    Add(AddArgs),
    /// Give a controller a new password and print it, once. The old one is void.
    Renew(Which),
    /// Let a controller connect no more; nothing of it is forgotten.
    Block(Which),
    /// Let a controller connect again.
    Unblock(Which),
    /// Take a controller out of its farm; its MAC can be registered again, here or in another farm.
    #[command(visible_alias = "release")]
    Remove(Which),
}

#[derive(Debug, Args)]
struct Which {
    /// The controller's MAC.
    #[arg(value_name = "MAC", value_parser = mac)]
    mac: Mac,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The controller's MAC.
    #[arg(value_name = "MAC", value_parser = mac)]
    mac: Mac,
    /// What it is called.
    #[arg(long)]
    name: String,
    /// The farm; needed where there are several.
    #[arg(long, value_name = "ID")]
    farm: Option<String>,
    /// The polyhouse that it is in; without this and the next ones, one is made of the same name.
    #[arg(long, value_name = "ID")]
    polyhouse: Option<String>,
    /// The reservoir that it serves.
    #[arg(long, value_name = "ID", conflicts_with = "polyhouse")]
    reservoir: Option<String>,
    /// It serves a reservoir that is made with it.
    #[arg(long, conflicts_with_all = ["polyhouse", "reservoir"])]
    new_reservoir: bool,
}

fn mac(text: &str) -> Result<Mac, BadMac> {
    Mac::parse(text)
}

fn account(made: &MadeController) -> String {
    let MadeController {
        username,
        password,
        topic,
    } = made;
    format!(
        "username {username}\npassword {password}\ntopic    {topic}\nThe password is not shown again."
    )
}

pub(crate) fn main(args: ControllerArgs) -> ExitCode {
    let ControllerArgs { place, command } = args;
    match command {
        ControllerCommand::List { farm } => place.run("harit controller list", async |operator| {
            let all = operator.controllers(farm.as_deref()).await?;
            let row = |c: harit_api::ControllerInfo| {
                [
                    c.mac,
                    c.kind.to_owned(),
                    state(c.enabled).to_owned(),
                    c.farm,
                    c.name,
                ]
            };
            let rows: Vec<_> = all.into_iter().map(row).collect();
            Ok(table(["MAC", "type", "state", "farm", "name"], &rows))
        }),
        ControllerCommand::Add(args) => {
            place.run_with_hub("harit controller add", async |operator, hub| {
                let serves = match (&args.polyhouse, &args.reservoir) {
                    (Some(id), _) => Served::Polyhouse(id),
                    (None, Some(id)) => Served::Reservoir(id),
                    (None, None) if args.new_reservoir => Served::NewReservoir,
                    (None, None) => Served::NewPolyhouse,
                };
                let wish = ControllerWish {
                    farm: args.farm.as_deref(),
                    mac: args.mac,
                    name: &args.name,
                    serves,
                };
                Ok(account(&operator.add_controller(hub, wish).await?))
            })
        }
        ControllerCommand::Renew(Which { mac }) => place
            .run("harit controller renew", async |operator| {
                Ok(account(&operator.renew_controller(mac).await?))
            }),
        ControllerCommand::Block(Which { mac }) => {
            place.run("harit controller block", async |operator| {
                operator.enable_controller(mac, false).await?;
                Ok(format!("{} may not connect", mac.as_str()))
            })
        }
        ControllerCommand::Unblock(Which { mac }) => {
            place.run("harit controller unblock", async |operator| {
                operator.enable_controller(mac, true).await?;
                Ok(format!("{} may connect", mac.as_str()))
            })
        }
        ControllerCommand::Remove(Which { mac }) => {
            place.run("harit controller remove", async |operator| {
                let farm = operator.remove_controller(mac).await?;
                Ok(format!(
                    "{} was farm {farm}'s and is free now",
                    mac.as_str()
                ))
            })
        }
    }
}
