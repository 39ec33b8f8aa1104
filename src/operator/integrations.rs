//! `harit integration`: accounts that read a farm's topics by MQTT.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::{IntegrationInfo, MadeIntegration};

use super::{Place, instant, state, table};

#[derive(Debug, Args)]
pub(crate) struct IntegrationArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: IntegrationCommand,
}

#[derive(Debug, Subcommand)]
enum IntegrationCommand {
    /// List integrations.
    List {
        /// Of this farm only.
        #[arg(long, value_name = "ID")]
        farm: Option<String>,
    },
    /// Make an integration and print its password, once.
    Add {
        /// What it is called.
        name: String,
        /// The farm that it reads; needed where there are several.
        #[arg(long, value_name = "ID")]
        farm: Option<String>,
    },
    /// Give an integration a new password and print it, once. The old one is void.
    Renew(Which),
    /// Let an integration connect no more.
    Block(Which),
    /// Let an integration connect again.
    Unblock(Which),
    /// Remove an integration.
    Remove(Which),
}

#[derive(Debug, Args)]
struct Which {
    /// What it signs in with: `harit integration list` shows it.
    #[arg(value_name = "USERNAME")]
    username: String,
}

fn account(made: &MadeIntegration) -> String {
    let MadeIntegration {
        username,
        password,
        topic,
    } = made;
    format!(
        "username {username}\npassword {password}\ntopic    {topic}\nThe password is not shown again."
    )
}

pub(crate) fn main(args: IntegrationArgs) -> ExitCode {
    let IntegrationArgs { place, command } = args;
    match command {
        IntegrationCommand::List { farm } => {
            place.run("harit integration list", async |operator| {
                let all = operator.integrations(farm.as_deref()).await?;
                let row = |i: IntegrationInfo| {
                    let last = instant(i.last_connected_at);
                    [
                        i.username,
                        state(i.enabled).to_owned(),
                        last,
                        i.farm,
                        i.name,
                    ]
                };
                let rows: Vec<_> = all.into_iter().map(row).collect();
                Ok(table(
                    ["username", "state", "last connected", "farm", "name"],
                    &rows,
                ))
            })
        }
        IntegrationCommand::Add { name, farm } => {
            place.run("harit integration add", async |operator| {
                Ok(account(
                    &operator.add_integration(farm.as_deref(), &name).await?,
                ))
            })
        }
        IntegrationCommand::Renew(Which { username }) => place
            .run("harit integration renew", async |operator| {
                Ok(account(&operator.renew_integration(&username).await?))
            }),
        IntegrationCommand::Block(Which { username }) => {
            place.run("harit integration block", async |operator| {
                operator.enable_integration(&username, false).await?;
                Ok(format!("{username} may not connect"))
            })
        }
        IntegrationCommand::Unblock(Which { username }) => {
            place.run("harit integration unblock", async |operator| {
                operator.enable_integration(&username, true).await?;
                Ok(format!("{username} may connect"))
            })
        }
        IntegrationCommand::Remove(Which { username }) => {
            place.run("harit integration remove", async |operator| {
                operator.remove_integration(&username).await?;
                Ok(format!("{username} is removed"))
            })
        }
    }
}
