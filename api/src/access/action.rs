//! What can be done in a farm, and the matrix of who may and from which budget it is taken, as data. A route names its action
//! in its type (`FarmAccess<WriteRules>`), clients know it by its word; a new action without a row does not compile.

use serde::Serialize;
use utoipa::ToSchema;

use super::budget::Kind;
use crate::role::Role::{self, Admin, FarmManager, Owner, Viewer, Worker};

/// A type that names an action.
pub(crate) trait Needs: Send + Sync + 'static {
    /// The roles that may do it.
    const ROLES: &'static [Role];
    /// From which budget it is taken, where it does more than look.
    const KIND: Kind;

    /// Whether somebody of that role may do it.
    fn allows(role: Role) -> bool {
        Self::ROLES.contains(&role)
    }
}

macro_rules! matrix {
    ($($(#[$doc:meta])* $action:ident = $word:tt: $kind:ident => [$($role:ident),+];)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub(crate) struct $action;
            impl Needs for $action {
                const ROLES: &'static [Role] = &[$($role),+];
                const KIND: Kind = Kind::$kind;
            }
        )+

        /// What somebody may do in a farm.
        #[derive(Debug, Clone, Copy, Serialize, ToSchema)]
        pub(crate) enum Permission {
            $(
                $(#[$doc])*
                #[serde(rename = $word)]
                $action,
            )+
        }

        impl Permission {
            /// From which budget it is taken, where it does more than look.
            pub(crate) const fn kind(self) -> Kind {
                match self {
                    $(Self::$action => <$action as Needs>::KIND,)+
                }
            }

            /// What somebody of that role may do.
            pub(crate) fn of(role: Role) -> Vec<Self> {
                let all = [$((Self::$action, <$action as Needs>::allows(role))),+];
                all.into_iter().filter_map(|(each, may)| may.then_some(each)).collect()
            }
        }
    };
}

matrix! {
    /// See the farm: summary, weather, telemetry, places, devices, rules, alerts, commands, history.
    ReadFarm = "farm:read": Read => [Owner, Admin, FarmManager, Viewer];
    /// Save and delete rules.
    WriteRules = "rules:write": Change => [Owner, Admin, FarmManager];
    /// Deploy rules over what is dangerous about them.
    DeployOverHazards = "rules:over_hazards": Change => [Owner];
    /// Save and delete alerts.
    WriteAlerts = "alerts:write": Change => [Owner, Admin, FarmManager];
    /// Say that one looks after an alert that is raised, and take that back.
    AnswerAlerts = "alerts:answer": Change => [Owner, Admin, FarmManager, Viewer];
    /// Answer, from a message, the alert that it told; how far depends on [`QuietAlerts`] and [`SendCommands`].
    AnswerMessages = "alerts:answer_message": Change => [Owner, Admin, FarmManager, Viewer, Worker];
    /// Keep an alert that is raised from being told again: acknowledge it, snooze it, call it false; take back what others said.
    QuietAlerts = "alerts:quiet": Change => [Owner, Admin, FarmManager];
    /// Write, move and delete tasks.
    WriteTasks = "tasks:write": Change => [Owner, Admin, FarmManager];
    /// Write down what grows, what was picked and what is in the store.
    WriteCrops = "crops:write": Change => [Owner, Admin, FarmManager];
    /// See what was sold and spent, and what things cost.
    ReadMoney = "money:read": Read => [Owner, Admin, FarmManager];
    /// Write down what was sold and spent.
    WriteMoney = "money:write": Change => [Owner, Admin, FarmManager];
    /// Command devices by hand; how long and in which mode depends on [`CommandFreely`].
    SendCommands = "devices:command": Command => [Owner, Admin, FarmManager];
    /// Command devices with less between: safety mode, long overrides.
    CommandFreely = "devices:command_freely": Command => [Owner, Admin];
    /// Stop devices, and open what one stopped oneself.
    StopDevices = "devices:stop": Command => [Owner, Admin, FarmManager, Viewer, Worker];
    /// Lock a device to work on it.
    LockDevices = "devices:lock": Command => [Owner, Admin, FarmManager];
    /// Open stops and locks of other people.
    OpenPeoplesLocks = "locks:open": Command => [Owner, Admin, FarmManager];
    /// Open the locks of the engine.
    OpenEngineLocks = "locks:open_engine": Command => [Owner, Admin];
    /// Make, change and delete polyhouses, zones and reservoirs.
    WritePlaces = "places:write": Change => [Owner, Admin];
    /// Name sensors and devices, and say where they are.
    WriteAssets = "assets:write": Change => [Owner, Admin];
    /// See the registered controllers.
    ListAssets = "controllers:read": Read => [Owner, Admin, FarmManager];
    /// Register controllers with what they control.
    RegisterAssets = "controllers:write": Change => [Owner, Admin];
    /// See, make, change and remove accounts that read the farm by MQTT.
    WriteIntegrations = "integrations:write": Change => [Owner, Admin];
    /// See which tokens of people reach the farm, and end them there.
    EndPeoplesTokens = "tokens:end": Change => [Owner];
    /// See who belongs to the farm.
    ListPeople = "users:read": Read => [Owner, Admin, FarmManager];
    /// Add, change and remove people, as far as [`Role::may_manage`] goes.
    ManagePeople = "users:write": Change => [Owner, Admin];
    /// Invite people, as far as [`Role::may_manage`] goes; see and revoke invites.
    Invite = "invites:write": Change => [Owner, Admin];
    /// See and do one's own work: tasks, and the houses and devices that one was given.
    OwnWork = "work:own": Change => [Worker];
    /// Command the devices that one was given.
    CommandGiven = "devices:command_given": Command => [Worker];
    /// Send oneself a message, to see whether a way works.
    TestDeliveries = "deliveries:test": Change => [Owner, Admin];
    /// See what was refused on its way in, and what was sent to people.
    OperateFarm = "farm:operate": Read => [Owner, Admin];
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mightier_role_may_do_all_that_a_lesser_one_may() {
        let words = |role| {
            json!(Permission::of(role))
                .as_array()
                .cloned()
                .unwrap_or_default()
        };
        // what everybody else may do, bit by bit, a worker may not
        let own = [
            "alerts:answer_message",
            "devices:stop",
            "work:own",
            "devices:command_given",
        ];
        assert_eq!(words(Worker), own);
        let others: Vec<Role> = Role::ALL.into_iter().filter(|r| *r != Worker).collect();
        for (mightier, lesser) in others.iter().zip(&others[1..]) {
            let (more, less) = (words(*mightier), words(*lesser));
            assert!(
                less.iter().all(|word| more.contains(word)),
                "{lesser:?}: {less:?}"
            );
            assert!(!less.is_empty(), "{lesser:?}");
        }
    }
}
