//! Who may do what where. This is the only place that holds the records and the hub: handlers get a [`Caller`] or a
//! [`FarmAccess`], which are made here alone, after the token, the membership and the role were checked.

mod action;
mod answering;
mod asked;
mod budget;
mod caller;
mod farm;
mod hub;
mod intake;
mod known_stops;
mod named;
mod profile;
mod registration;
mod state;
mod stopping;
mod tokens;
mod trials;

pub(crate) use action::{
    AnswerAlerts, CommandFreely, CommandGiven, DeployOverHazards, EndPeoplesTokens, Invite,
    ListAssets, ListPeople, LockDevices, ManagePeople, Needs, OpenEngineLocks, OpenPeoplesLocks,
    OperateFarm, OwnWork, Permission, QuietAlerts, ReadFarm, ReadMoney, RegisterAssets,
    SendCommands, StopDevices, TestDeliveries, WriteAlerts, WriteAssets, WriteCrops,
    WriteIntegrations, WriteMoney, WritePlaces, WriteRules, WriteTasks,
};
pub(crate) use answering::{Answering, NoAnswer};
pub(crate) use asked::{Asked, Asks};
pub(crate) use budget::Kind;
pub(crate) use caller::{Caller, bearer};
pub(crate) use farm::FarmAccess;
pub(crate) use hub::FarmHub;
pub(crate) use named::Elsewhere;
pub(crate) use profile::Confirmation;
pub(crate) use registration::Registration;
pub use state::AppState;
pub(crate) use stopping::Stopping;
pub(crate) use tokens::WantedToken;
