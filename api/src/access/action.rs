//! What can be done in a farm, and the matrix of who may and from which budget it is taken, as data. A route names its action
//! in its type (`FarmAccess<WriteRules>`); a new action without a row does not compile.

use super::budget::Kind;
use crate::role::Role::{self, Admin, FarmManager, Owner, Viewer};

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
    ($($(#[$doc:meta])* $action:ident: $kind:ident => [$($role:ident),+];)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy)]
            pub(crate) struct $action;
            impl Needs for $action {
                const ROLES: &'static [Role] = &[$($role),+];
                const KIND: Kind = Kind::$kind;
            }
        )+

        /// All actions with their roles, for tests and for people.
        #[cfg(test)]
        pub(crate) const MATRIX: &[(&str, &[Role])] = &[$((stringify!($action), <$action as Needs>::ROLES)),+];
    };
}

matrix! {
    /// See the farm: summary, weather, telemetry, places, devices, rules, alerts, commands, history.
    ReadFarm: Read => [Owner, Admin, FarmManager, Viewer];
    /// Save and delete rules.
    WriteRules: Change => [Owner, Admin, FarmManager];
    /// Save and delete alerts.
    WriteAlerts: Change => [Owner, Admin, FarmManager];
    /// Write, move and delete tasks.
    WriteTasks: Change => [Owner, Admin, FarmManager];
    /// Write down what grows, what was picked and what is in the store.
    WriteCrops: Change => [Owner, Admin, FarmManager];
    /// See what was sold and spent, and what things cost.
    ReadMoney: Read => [Owner, Admin, FarmManager];
    /// Write down what was sold and spent.
    WriteMoney: Change => [Owner, Admin, FarmManager];
    /// Command devices by hand; how long and in which mode depends on [`Role::is_admin`].
    SendCommands: Command => [Owner, Admin, FarmManager];
    /// Stop devices, and open what one stopped oneself.
    StopDevices: Command => [Owner, Admin, FarmManager, Viewer];
    /// Lock a device to work on it.
    LockDevices: Command => [Owner, Admin, FarmManager];
    /// Open stops and locks of other people.
    OpenPeoplesLocks: Command => [Owner, Admin, FarmManager];
    /// Open the locks of the engine.
    OpenEngineLocks: Command => [Owner, Admin];
    /// Make, change and delete polyhouses, zones and reservoirs.
    WritePlaces: Change => [Owner, Admin];
    /// Name sensors and devices, and say where they are.
    WriteAssets: Change => [Owner, Admin];
    /// See the registered controllers.
    ListAssets: Read => [Owner, Admin, FarmManager];
    /// Register controllers with what they control.
    RegisterAssets: Change => [Owner, Admin];
    /// See who belongs to the farm.
    ListPeople: Read => [Owner, Admin, FarmManager];
    /// Add, change and remove people, as far as [`Role::may_manage`] goes.
    ManagePeople: Change => [Owner, Admin];
    /// Invite people, as far as [`Role::may_manage`] goes; see and revoke invites.
    Invite: Change => [Owner, Admin];
    /// See what was refused on its way in.
    OperateFarm: Read => [Owner, Admin];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mightier_role_may_do_all_that_a_lesser_one_may() {
        for (action, roles) in MATRIX {
            let may: Vec<bool> = Role::ALL.iter().map(|r| roles.contains(r)).collect();
            assert!(
                may.is_sorted_by(|mightier, lesser| mightier >= lesser),
                "{action}: {may:?}"
            );
            assert!(may[0], "{action}: the owner may do everything");
        }
    }
}
