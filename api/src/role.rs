//! The roles of people in a farm.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::language::Language;

/// A role in a farm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Role {
    /// Everything, also owners and the farm itself.
    Owner,
    /// Also users, invites, assets, devices, long overrides and safety mode.
    Admin,
    /// Also tasks, alerts, rules and manual control.
    FarmManager,
    /// Reads.
    Viewer,
    /// Own tasks, and the houses and devices that they were given; nothing else.
    Worker,
}

impl Role {
    /// All roles, the mightiest first; a worker stands beside them and is no lesser viewer.
    pub const ALL: [Self; 5] = [
        Self::Owner,
        Self::Admin,
        Self::FarmManager,
        Self::Viewer,
        Self::Worker,
    ];

    /// The role's name in the records and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "OWNER",
            Self::Admin => "ADMIN",
            Self::FarmManager => "FARM_MANAGER",
            Self::Viewer => "VIEWER",
            Self::Worker => "WORKER",
        }
    }

    /// The role as people call it.
    #[must_use]
    pub const fn say(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Owner, Language::En) => "Owner",
            (Self::Owner, Language::Hi) => "मालिक",
            (Self::Owner, Language::Mr) => "मालक",
            (Self::Admin, Language::En) => "Admin",
            (Self::Admin, Language::Hi) => "एडमिन",
            (Self::Admin, Language::Mr) => "अ‍ॅडमिन",
            (Self::FarmManager, Language::En) => "Farm Manager",
            (Self::FarmManager, Language::Hi) => "फ़ार्म मैनेजर",
            (Self::FarmManager, Language::Mr) => "फार्म मॅनेजर",
            (Self::Viewer, Language::En) => "Viewer",
            (Self::Viewer, Language::Hi) => "सिर्फ़ देखने वाले",
            (Self::Viewer, Language::Mr) => "फक्त पाहणारे",
            (Self::Worker, Language::En) => "Worker",
            (Self::Worker, Language::Hi | Language::Mr) => "कामगार",
        }
    }

    /// The role of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == name)
    }

    /// Whether somebody of this role may invite, change and remove people of another one, and make people have it: an owner
    /// all, an admin those who are no admins.
    #[must_use]
    pub const fn may_manage(self, other: Self) -> bool {
        match self {
            Self::Owner => true,
            Self::Admin => matches!(other, Self::FarmManager | Self::Viewer | Self::Worker),
            Self::FarmManager | Self::Viewer | Self::Worker => false,
        }
    }

    /// The roles of the people whom somebody of this role may manage, the mightiest first.
    #[must_use]
    pub fn manages(self) -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|other| self.may_manage(*other)).collect()
    }

    /// Those of them whose people see and switch only what they are given.
    #[must_use]
    pub fn gives(self) -> Vec<Self> {
        let all = self.manages().into_iter();
        all.filter(|other| other.is_given()).collect()
    }

    /// Whether somebody of this role has but what they are given.
    #[must_use]
    pub const fn is_given(self) -> bool {
        matches!(self, Self::Worker)
    }

    /// Whether manual control treats the person as an admin: devices in safety mode, overrides over 60 minutes.
    #[must_use]
    pub const fn is_admin(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }
}
