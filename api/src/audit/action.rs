//! What people do, as the audit log names it: a closed list, so that the compiler asks for the words of whatever is new.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::resource::Resource;

/// What is done to a [`Resource`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Created,
    Changed,
    Deleted,
}

impl Verb {
    const ALL: [Self; 3] = [Self::Created, Self::Changed, Self::Deleted];

    /// Its word, as it is stored.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
        }
    }
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)+) => {
        /// What somebody did.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Action {
            /// Something was created, changed or deleted.
            Of(Resource, Verb),
            $($(#[$doc])* $name,)+
        }

        impl Action {
            /// All that are not of a [`Resource`].
            const SPECIAL: &[Self] = &[$(Self::$name),+];

            /// The word, as it is stored.
            pub(crate) fn word(self) -> Cow<'static, str> {
                match self {
                    Self::Of(resource, verb) => format!("{}_{}", resource.about().word, verb.as_str()).into(),
                    $(Self::$name => $word.into(),)+
                }
            }
        }
    };
}

actions! {
    /// A rule steers again.
    RuleEnabled = "rule_enabled",
    /// A rule steers no more.
    RuleDisabled = "rule_disabled",
    /// A draft became a rule that steers.
    RuleDeployed = "rule_deployed",
    /// An owner had a rule steer over what is dangerous about it.
    RuleDeployedOverHazards = "rule_deployed_over_hazards",
    /// A rule became a draft again.
    RuleWithdrawn = "rule_withdrawn",
    /// An alert watches again.
    AlertEnabled = "alert_enabled",
    /// An alert watches no more.
    AlertDisabled = "alert_disabled",
    /// Somebody looks after an alert that is raised.
    IncidentTaken = "incident_taken",
    /// Somebody has seen an alert that is raised.
    IncidentAcknowledged = "incident_acknowledged",
    /// Somebody wants nobody to be told of a raised alert for a while.
    IncidentSnoozed = "incident_snoozed",
    /// Somebody says that nothing is wrong where an alert is raised.
    IncidentFalse = "incident_false",
    /// Somebody took back what was answered to a raised alert.
    IncidentReopened = "incident_reopened",
    /// Somebody said who is told of alerts.
    EscalationChanged = "escalation_changed",
    /// Somebody signed in.
    SignIn = "sign_in",
    /// Attempts to sign in failed.
    SignInFailed = "sign_in_failed",
    /// Somebody signed out.
    SignOut = "sign_out",
    /// Somebody ended another sign-in of theirs.
    SessionEnded = "session_ended",
    /// Somebody ended all their sign-ins.
    SessionsEnded = "sessions_ended",
    /// Somebody made an account and a farm.
    Registered = "registered",
    /// Somebody made a token for a program.
    TokenMade = "token_made",
    /// A token of a program was ended.
    TokenRevoked = "token_revoked",
    /// An account for reading by MQTT was made.
    IntegrationMade = "integration_made",
    /// Such an account got another name.
    IntegrationRenamed = "integration_renamed",
    /// Such an account may no longer connect.
    IntegrationDisabled = "integration_disabled",
    /// Such an account may connect again.
    IntegrationEnabled = "integration_enabled",
    /// Such an account got a new password.
    IntegrationSecretRenewed = "integration_secret_renewed",
    /// Such an account was removed.
    IntegrationRemoved = "integration_removed",
    /// Somebody set a password.
    PasswordSet = "password_set",
    /// Somebody said where the farm is.
    FarmMoved = "farm_moved",
    /// The farm became another cell's.
    FarmGiven = "farm_given",
    /// Somebody changed their profile.
    ProfileChanged = "profile_changed",
    /// A person was added to the farm.
    UserAdded = "user_added",
    /// A person's details were changed.
    UserChanged = "user_changed",
    /// A person got another role.
    RoleChanged = "role_changed",
    /// A person may sign in to the farm again.
    UserActivated = "user_activated",
    /// A person may no longer sign in to the farm.
    UserDeactivated = "user_deactivated",
    /// All sign-ins of a person were ended.
    UserSignedOut = "user_signed_out",
    /// A contact was shown to be the person's.
    ContactVerified = "contact_verified",
    /// A person was removed from the farm.
    UserRemoved = "user_removed",
    /// An invite was made.
    InviteMade = "invite_made",
    /// An invite was revoked.
    InviteRevoked = "invite_revoked",
    /// An invite was accepted.
    InviteAccepted = "invite_accepted",
    /// A controller was registered.
    AssetRegistered = "asset_registered",
    /// A controller got a new password.
    ControllerSecretRenewed = "controller_secret_renewed",
    /// A controller may no longer connect.
    ControllerDisabled = "controller_disabled",
    /// A controller may connect again.
    ControllerEnabled = "controller_enabled",
    /// A controller got another name.
    ControllerRenamed = "controller_renamed",
    /// A controller was removed.
    ControllerRemoved = "controller_removed",
    /// Whoever runs the server gave a MAC free.
    ControllerReleased = "controller_released",
    /// Somebody sent themselves a message, to see whether a way works.
    DeliveryTested = "delivery_tested",
    /// A sensor was removed.
    SensorRemoved = "sensor_removed",
    /// A device was removed.
    DeviceRemoved = "device_removed",
    /// A task went to another column.
    TaskMoved = "task_moved",
    /// A device's name or place was changed.
    DeviceChanged = "device_changed",
    /// A device's limits were changed.
    DeviceLimited = "device_limited",
    /// What a device's runs are judged by was changed.
    EffectSet = "effect_set",
    /// A sensor's name or place was changed.
    SensorChanged = "sensor_changed",
    /// A person commanded a device.
    Command = "command",
    /// A person locked a device.
    DeviceLock = "device_lock",
    /// A person opened a lock.
    DeviceUnlock = "device_unlock",
    /// A person had a device go off by itself, to see whether it does.
    LeaseTested = "lease_tested",
    /// A person stopped devices.
    Stop = "stop",
    /// A person opened a stop.
    StopOpen = "stop_open",
}

impl Action {
    /// What was created, changed or deleted.
    pub(crate) const fn resource(self) -> Option<Resource> {
        match self {
            Self::Of(resource, _) => Some(resource),
            Self::TaskMoved => Some(Resource::Task),
            _ => None,
        }
    }

    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let of = |resource| {
            Verb::ALL
                .into_iter()
                .map(move |verb| Self::Of(resource, verb))
        };
        let resources = Resource::ALL.iter().copied().flat_map(of);
        resources.chain(Self::SPECIAL.iter().copied())
    }

    /// The action of a stored word; none for what a later version wrote.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::all().find(|action| action.word() == word)
    }
}

impl Serialize for Action {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.word())
    }
}

impl<'de> Deserialize<'de> for Action {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = Cow::<'de, str>::deserialize(from)?;
        Self::parse(&word).ok_or_else(|| D::Error::custom(format!("no action {word:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_is_read_back_from_its_own_word() {
        let words: std::collections::BTreeSet<_> = Action::all().map(Action::word).collect();
        assert_eq!(words.len(), Action::all().count(), "no word twice");
        for action in Action::all() {
            assert_eq!(Action::parse(&action.word()), Some(action));
        }
        assert_eq!(Action::parse("orchard_created"), None);
    }
}
