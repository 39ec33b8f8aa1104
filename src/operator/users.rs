//! `harit user`: people, the first ones of a server among them.

use std::io;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::{Language, Operator, Password, PersonInfo, PersonWish, Role};

use super::{Error, Place, table};

#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: UserCommand,
}

#[derive(Debug, Subcommand)]
enum UserCommand {
    /// List people.
    List,
    /// Add a person who can sign in at once, and print the password if none was given.
    Add(AddArgs),
    /// Give a person a new password, and print it if none was given. It ends all their sign-ins and tokens.
    Password {
        #[command(flatten)]
        who: Who,
        /// Take the password from the first line of standard input.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Give a person a role in a farm.
    Role {
        #[command(flatten)]
        who: Who,
        #[arg(value_name = "ROLE", value_parser = role, help = ROLES)]
        role: Role,
        /// The farm; needed where there are several.
        #[arg(long, value_name = "ID")]
        farm: Option<String>,
    },
}

#[derive(Debug, Args)]
struct Who {
    /// Who: id, e-mail address or phone number.
    #[arg(value_name = "WHO")]
    who: String,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// E-mail address or phone number. It counts as shown to be the person's.
    #[arg(value_name = "CONTACT")]
    contact: String,
    /// Full name.
    #[arg(long)]
    name: String,
    /// The farm that the person joins; needed where there are several. With --new-farm, one that the journals have and the records
    /// have lost.
    #[arg(long, value_name = "ID")]
    farm: Option<String>,
    /// Make a farm of that name, of which the person is the owner.
    #[arg(long, value_name = "NAME", conflicts_with = "role")]
    new_farm: Option<String>,
    #[arg(long, value_parser = role, default_value = "OWNER", help = ROLES)]
    role: Role,
    /// The language in which the person is addressed: en, hi or mr.
    #[arg(long, value_parser = language, default_value = "en")]
    language: Language,
    /// Take the password from the first line of standard input.
    #[arg(long)]
    password_stdin: bool,
}

const ROLES: &str = "OWNER, ADMIN, FARM_MANAGER, VIEWER or WORKER";

fn role(text: &str) -> Result<Role, String> {
    let word = text.to_uppercase().replace('-', "_");
    let found = Role::ALL.into_iter().find(|r| r.as_str() == word);
    found.ok_or_else(|| format!("one of {ROLES}"))
}

fn language(text: &str) -> Result<Language, String> {
    let all = [Language::En, Language::Hi, Language::Mr];
    let found = all.into_iter().find(|l| l.as_str() == text);
    found.ok_or_else(|| "en, hi or mr".to_owned())
}

fn password(from_stdin: bool) -> Result<Password, Error> {
    if !from_stdin {
        return Ok(Password::Made);
    }
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(Password::Chosen(
        line.trim_end_matches(['\r', '\n']).to_owned(),
    ))
}

fn say(told: Option<String>) -> String {
    told.map_or_else(String::new, |p| {
        format!("\npassword {p}\nIt is not shown again.")
    })
}

pub(crate) fn main(args: UserArgs) -> ExitCode {
    let UserArgs { place, command } = args;
    match command {
        UserCommand::List => place.run("harit user list", list),
        UserCommand::Add(args) => add(&place, args),
        UserCommand::Password {
            who: Who { who },
            password_stdin,
        } => place.run("harit user password", async |operator| {
            let told = operator
                .set_password(&who, password(password_stdin)?)
                .await?;
            Ok(format!("{who} has a new password{}", say(told)))
        }),
        UserCommand::Role {
            who: Who { who },
            role,
            farm,
        } => place.run("harit user role", async |operator| {
            operator.set_role_of(&who, farm.as_deref(), role).await?;
            Ok(format!("{who} is {} now", role.as_str()))
        }),
    }
}

async fn list(operator: &Operator) -> Result<String, Error> {
    let row = |p: PersonInfo| {
        let state = match (p.is_active, p.has_password) {
            (false, _) => "inactive",
            (true, true) => "signs in by password",
            (true, false) => "signs in by code",
        };
        let farms: Vec<_> = p
            .farms
            .iter()
            .map(|(farm, role)| format!("{role} of {farm}"))
            .collect();
        [
            p.id,
            state.to_owned(),
            p.contacts.join(", "),
            p.name,
            farms.join(", "),
        ]
    };
    let rows: Vec<_> = operator.people().await?.into_iter().map(row).collect();
    Ok(table(["id", "state", "contacts", "name", "farms"], &rows))
}

fn add(place: &Place, args: AddArgs) -> ExitCode {
    const COMMAND: &str = "harit user add";
    let password = match password(args.password_stdin) {
        Ok(password) => password,
        Err(e) => return super::told(COMMAND, Err(e)),
    };
    let wish = PersonWish {
        name: &args.name,
        contact: &args.contact,
        password,
        language: args.language,
        role: args.role,
        farm: args.farm.as_deref(),
    };
    let contact = &args.contact;
    match &args.new_farm {
        Some(name) => place.run_with_hub(COMMAND, async |operator, hub| {
            let (farm, told) = operator.add_owner(hub, name, wish).await?;
            Ok(format!("{contact} owns farm {farm}{}", say(told)))
        }),
        None => place.run(COMMAND, async |operator| {
            let told = operator.add_person(wish).await?;
            Ok(format!("{contact} is added{}", say(told)))
        }),
    }
}
