//! `harit token`: tokens of programs.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use harit_api::{TokenInfo, TokenWish};

use super::{Place, instant, table};

#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Scope {
    /// Looks.
    Read,
    /// Looks, commands devices, stops and locks them.
    Control,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// List tokens.
    List {
        /// Of this person only: id, e-mail address or phone number.
        #[arg(long, value_name = "WHO")]
        user: Option<String>,
    },
    /// Make a token in a person's name and print it, once.
    Add {
        /// What it is for.
        name: String,
        /// Whose it is: id, e-mail address or phone number. It never does more than they may.
        #[arg(long, value_name = "WHO")]
        user: String,
        /// What it allows.
        #[arg(long, value_enum, default_value_t = Scope::Read)]
        scope: Scope,
        /// For which farm, several times for several; for all of the person's if none is named.
        #[arg(long = "farm", value_name = "ID")]
        farms: Vec<String>,
        /// In how many days it ends; without it, it does not end by itself.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=1_830))]
        days: Option<u32>,
    },
    /// End a token.
    Revoke {
        /// Its id, or its first characters as `harit token list` shows them.
        #[arg(value_name = "TOKEN")]
        token: String,
    },
}

pub(crate) fn main(args: TokenArgs) -> ExitCode {
    let TokenArgs { place, command } = args;
    match command {
        TokenCommand::List { user } => place.run("harit token list", async |operator| {
            let all = operator.tokens(user.as_deref()).await?;
            let row = |t: TokenInfo| {
                let (used, ends) = (instant(t.last_used_at), instant(t.expires_at));
                let farms = t.farms.join(",");
                [
                    t.start,
                    t.scope.to_owned(),
                    used,
                    ends,
                    t.owner,
                    t.name,
                    farms,
                ]
            };
            let rows: Vec<_> = all.into_iter().map(row).collect();
            Ok(table(
                [
                    "token",
                    "scope",
                    "last used",
                    "ends",
                    "owner",
                    "name",
                    "farms",
                ],
                &rows,
            ))
        }),
        TokenCommand::Add {
            name,
            user,
            scope,
            farms,
            days,
        } => place.run("harit token add", async |operator| {
            let wish = TokenWish {
                owner: &user,
                name: &name,
                control: matches!(scope, Scope::Control),
                farms: &farms,
                days,
            };
            let made = operator.add_token(wish).await?;
            Ok(format!("{}\nIt is not shown again.", made.secret))
        }),
        TokenCommand::Revoke { token } => place.run("harit token revoke", async |operator| {
            let ended = operator.revoke_token(&token).await?;
            Ok(format!(
                "{} ({}, {}) has ended",
                ended.start, ended.name, ended.owner
            ))
        }),
    }
}
