//! What people create, change and delete: a line each, with everything that the whole server has to know of a resource. The rest of
//! it stands in its own file and its table.

use serde::Serialize;
use utoipa::ToSchema;

/// What the live connection calls what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = RecordKind)]
pub(crate) enum Kind {
    Tasks,
    Notifications,
    /// That an alert was raised or is over, and what people answered to it.
    Incidents,
    /// Told by an event of its own.
    Log,
    Reservoirs,
    /// By what derived sensors are computed; the sensors themselves are the registry's.
    DerivedSensors,
    Templates,
    CropCycles,
    Nurseries,
    Inventory,
    Harvests,
    Sales,
    Expenses,
    Notes,
    Controllers,
    /// Who belongs to the farm, and who is invited.
    Users,
    /// What a worker has: told to workers alone, of whatever their page shows.
    Work,
}

/// A grammatical gender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gender {
    Masculine,
    Feminine,
    /// Of Marathi only.
    Neuter,
}

use Gender::{Feminine, Masculine, Neuter};

/// What is said of a resource, and to whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    /// Its word in the audit log, as it is stored.
    pub(crate) word: &'static str,
    /// What the live connection calls it; none where the engine tells of it.
    pub(crate) live: Option<Kind>,
    /// What people call it, in English, Hindi and Marathi.
    pub(crate) noun: [&'static str; 3],
    /// The noun's gender in Hindi and Marathi, which the verb follows.
    pub(crate) genders: [Gender; 2],
    /// Whether people write it down in place of making it: a sale is added, not created.
    pub(crate) is_written_down: bool,
}

/// What people make.
const fn made(
    word: &'static str,
    live: Option<Kind>,
    noun: [&'static str; 3],
    genders: [Gender; 2],
) -> About {
    About {
        word,
        live,
        noun,
        genders,
        is_written_down: false,
    }
}

/// What people write down of their farm.
const fn record(
    word: &'static str,
    live: Kind,
    noun: [&'static str; 3],
    genders: [Gender; 2],
) -> About {
    About {
        is_written_down: true,
        ..made(word, Some(live), noun, genders)
    }
}

macro_rules! resources {
    ($($name:ident => $about:expr;)+) => {
        /// What is created, changed and deleted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Resource {
            $($name,)+
        }

        impl Resource {
            /// All of them.
            pub(crate) const ALL: &[Self] = &[$(Self::$name),+];

            /// What is said of it.
            pub(crate) const fn about(self) -> About {
                match self {
                    $(Self::$name => $about,)+
                }
            }
        }
    };
}

resources! {
    Rule => made("rule", None, ["Rule", "नियम", "नियम"], [Masculine, Masculine]);
    Alert => made("alert", None, ["Alert", "चेतावनी", "इशारा"], [Feminine, Masculine]);
    Task => made("task", Some(Kind::Tasks), ["Task", "काम", "काम"], [Masculine, Neuter]);
    Polyhouse => made("polyhouse", None, ["Polyhouse", "पॉलीहाउस", "पॉलीहाऊस"], [Masculine, Neuter]);
    Zone => made("zone", None, ["Zone", "ज़ोन", "झोन"], [Masculine, Masculine]);
    Reservoir => made("reservoir", Some(Kind::Reservoirs), ["Reservoir", "टंकी", "टाकी"], [Feminine, Feminine]);
    DeviceProfile => made(
        "device_profile",
        Some(Kind::Controllers),
        ["Device profile", "उपकरण की प्रोफ़ाइल", "उपकरणाची प्रोफाइल"],
        [Feminine, Feminine],
    );
    DerivedSensor => made(
        "derived_sensor",
        Some(Kind::DerivedSensors),
        ["Derived sensor", "हिसाब वाला सेंसर", "हिशेबी सेन्सर"],
        [Masculine, Masculine],
    );
    DeviceGroup => made(
        "device_group",
        None,
        ["Device group", "उपकरणों का समूह", "उपकरणांचा गट"],
        [Masculine, Masculine],
    );
    Setpoint => made("setpoint", None, ["Setpoint", "लक्ष्य", "लक्ष्य"], [Masculine, Neuter]);
    Template => made("template", Some(Kind::Templates), ["Template", "साँचा", "साचा"], [Masculine, Masculine]);
    CropCycle => record("crop_cycle", Kind::CropCycles, ["Crop cycle", "फ़सल", "पीक"], [Feminine, Neuter]);
    // Marathi's neuter plural takes the verb of the feminine.
    Nursery => record("nursery", Kind::Nurseries, ["Seedlings", "पौध", "रोपे"], [Feminine, Feminine]);
    InventoryItem => record(
        "inventory_item",
        Kind::Inventory,
        ["Inventory item", "स्टॉक की चीज़", "साठ्यातील वस्तू"],
        [Feminine, Feminine],
    );
    StockMovement => record(
        "stock_movement",
        Kind::Inventory,
        ["Stock movement", "स्टॉक की एंट्री", "साठ्याची नोंद"],
        [Feminine, Feminine],
    );
    Harvest => record("harvest", Kind::Harvests, ["Harvest", "तुड़ाई", "काढणी"], [Feminine, Feminine]);
    Sale => record("sale", Kind::Sales, ["Sale", "बिक्री", "विक्री"], [Feminine, Feminine]);
    Note => record("note", Kind::Notes, ["Note", "नोट", "टिपण"], [Masculine, Neuter]);
    Expense => record("expense", Kind::Expenses, ["Expense", "ख़र्च", "खर्च"], [Masculine, Masculine]);
}
