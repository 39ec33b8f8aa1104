//! The demo's people, tasks and reservoirs: what the records keep.

use super::DemoLanguage;

/// Everyone's password in the demo, which listens on loopback only.
pub const PASSWORD: &str = "polyhouse-demo";

/// Somebody who works on the demo farm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoPerson {
    /// The address to sign in with.
    pub email: &'static str,
    /// The phone number.
    pub phone: &'static str,
    /// The name.
    pub name: &'static str,
    /// The role in the first farm: OWNER, ADMIN, `FARM_MANAGER` or VIEWER.
    pub role: &'static str,
    /// en, hi or mr.
    pub language: &'static str,
}

/// The people; in the first farm there is one in each role. Owner and admin read the demo's language, the others their own.
#[must_use]
pub fn people(language: DemoLanguage) -> [DemoPerson; 4] {
    [
        DemoPerson {
            email: "owner@demo.harit",
            phone: "+919800000001",
            name: language.say("Sunita Jadhav"),
            role: "OWNER",
            language: language.code(),
        },
        DemoPerson {
            email: "admin@demo.harit",
            phone: "+919800000002",
            name: language.say("Prakash Deshmukh"),
            role: "ADMIN",
            language: language.code(),
        },
        DemoPerson {
            email: "manager@demo.harit",
            phone: "+919800000003",
            name: language.say("Ganesh Shinde"),
            role: "FARM_MANAGER",
            language: "mr",
        },
        DemoPerson {
            email: "viewer@demo.harit",
            phone: "+919800000004",
            name: language.say("Asha Pawar"),
            role: "VIEWER",
            language: "hi",
        },
    ]
}

/// A tank with its controller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DemoReservoir {
    /// Its id.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Litres.
    pub capacity_litres: f64,
    /// The MAC of the controller that measures it.
    pub controller: &'static str,
    /// How long before the demo starts it was last filled.
    pub last_refill_hours_ago: u32,
}

/// The first farm's tanks.
pub(super) const TALEGAON_RESERVOIRS: &[DemoReservoir] = &[
    DemoReservoir {
        id: "reservoir-1",
        name: "Fertigation tank 1 (Capsicum)",
        capacity_litres: super::site::TANK_1_LITRES,
        controller: super::site::FERTIGATION_1,
        last_refill_hours_ago: 17,
    },
    DemoReservoir {
        id: "reservoir-2",
        name: "Fertigation tank 2 (Tomato)",
        capacity_litres: super::site::TANK_2_LITRES,
        controller: super::site::FERTIGATION_2,
        last_refill_hours_ago: 21,
    },
];

/// The second farm's tank.
pub(super) const BARAMATI_RESERVOIRS: &[DemoReservoir] = &[DemoReservoir {
    id: "reservoir-3",
    name: "Fertigation tank (Cucumber)",
    capacity_litres: super::site::BARAMATI_TANK_LITRES,
    controller: super::site::BARAMATI_FERTIGATION,
    last_refill_hours_ago: 9,
}];

/// What a controller serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoAsset {
    /// The controller.
    pub mac: &'static str,
    /// The polyhouse that its sensors and devices lie in; a tank stands beside the polyhouse that it feeds.
    pub polyhouse_id: &'static str,
    /// The reservoir, of a fertigation controller.
    pub reservoir_id: Option<&'static str>,
}

const fn asset(
    mac: &'static str,
    polyhouse_id: &'static str,
    reservoir_id: Option<&'static str>,
) -> DemoAsset {
    DemoAsset {
        mac,
        polyhouse_id,
        reservoir_id,
    }
}

/// The places of the first farm's controllers.
pub(super) const TALEGAON_ASSETS: &[DemoAsset] = &[
    asset(super::site::POLYHOUSE_1, "polyhouse-1", None),
    asset(super::site::POLYHOUSE_2, "polyhouse-2", None),
    asset(
        super::site::FERTIGATION_1,
        "polyhouse-1",
        Some("reservoir-1"),
    ),
    asset(
        super::site::FERTIGATION_2,
        "polyhouse-2",
        Some("reservoir-2"),
    ),
];

/// The places of the second farm's controllers.
pub(super) const BARAMATI_ASSETS: &[DemoAsset] = &[
    asset(super::site::BARAMATI_POLYHOUSE, "polyhouse-1", None),
    asset(
        super::site::BARAMATI_FERTIGATION,
        "polyhouse-1",
        Some("reservoir-3"),
    ),
];

/// How urgent a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskPriority {
    /// URGENT
    Urgent,
    /// HIGH
    High,
    /// MEDIUM
    Medium,
    /// LOW
    Low,
}

impl TaskPriority {
    /// The word in the records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Urgent => "URGENT",
            Self::High => "HIGH",
            Self::Medium => "MEDIUM",
            Self::Low => "LOW",
        }
    }
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskStatus {
    /// OPEN
    Open,
    /// `IN_PROGRESS`
    InProgress,
    /// `IN_REVIEW`
    InReview,
    /// CLOSED
    Closed,
}

impl TaskStatus {
    /// The word in the records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::InProgress => "IN_PROGRESS",
            Self::InReview => "IN_REVIEW",
            Self::Closed => "CLOSED",
        }
    }
}

/// A task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoTask {
    /// What is to be done.
    pub title: &'static str,
    /// How.
    pub description: &'static str,
    /// The e-mail address of who does it.
    pub assignee: &'static str,
    /// Of what kind it is.
    pub category: &'static str,
    /// How urgent it is.
    pub priority: TaskPriority,
    /// Where it stands.
    pub status: TaskStatus,
    /// Due so many days after today; one that is open and due before today is overdue.
    pub due_in_days: i32,
}

const OWNER: &str = "owner@demo.harit";
const ADMIN: &str = "admin@demo.harit";
const MANAGER: &str = "manager@demo.harit";
const VIEWER: &str = "viewer@demo.harit";

const fn task(
    title: &'static str,
    description: &'static str,
    (assignee, category): (&'static str, &'static str),
    (priority, status): (TaskPriority, TaskStatus),
    due_in_days: i32,
) -> DemoTask {
    DemoTask {
        title,
        description,
        assignee,
        category,
        priority,
        status,
        due_in_days,
    }
}

/// The first farm's tasks; two of them are overdue.
pub(super) const TALEGAON_TASKS: &[DemoTask] = &[
    task(
        "Calibrate the pH probe of tank 1",
        "Buffers 4.01 and 7.00 are in the store room. Note both readings.",
        (MANAGER, "Maintenance"),
        (TaskPriority::Urgent, TaskStatus::Open),
        -2,
    ),
    task(
        "Scout Polyhouse 1 for thrips",
        "Ten plants a row, undersides of the top leaves; count the blue traps too.",
        (MANAGER, "Crop protection"),
        (TaskPriority::High, TaskStatus::InProgress),
        -1,
    ),
    task(
        "Flush the drip lines of Zone B",
        "Open the end caps row by row until the water runs clear.",
        (MANAGER, "Irrigation"),
        (TaskPriority::Medium, TaskStatus::Open),
        0,
    ),
    task(
        "Harvest red capsicum, third picking",
        "Fruit above 150 g and at least 80% red; crates go to the Chakan dealer by 4 pm.",
        (MANAGER, "Harvest"),
        (TaskPriority::High, TaskStatus::Open),
        0,
    ),
    task(
        "Order 13:00:45 and calcium nitrate",
        "Two bags of 25 kg each; stock lasts for about nine days.",
        (ADMIN, "Purchase"),
        (TaskPriority::High, TaskStatus::InReview),
        2,
    ),
    task(
        "Lower and lean the tomato vines",
        "Lower by 40 cm, take off leaves below the first truss.",
        (MANAGER, "Crop care"),
        (TaskPriority::Medium, TaskStatus::Open),
        3,
    ),
    task(
        "Wash the shade net of Polyhouse 2",
        "",
        (MANAGER, "Maintenance"),
        (TaskPriority::Low, TaskStatus::Open),
        6,
    ),
    task(
        "Renew the insurance of both polyhouses",
        "The policy ends this month.",
        (OWNER, "Office"),
        (TaskPriority::Medium, TaskStatus::InProgress),
        9,
    ),
    task(
        "Replace the belt of exhaust fan 2",
        "Size B-68.",
        (ADMIN, "Maintenance"),
        (TaskPriority::Medium, TaskStatus::Closed),
        -4,
    ),
    task(
        "Leaf sample to the laboratory in Baramati",
        "",
        (MANAGER, "Crop care"),
        (TaskPriority::Low, TaskStatus::Closed),
        -6,
    ),
];

/// The second farm's tasks.
pub(super) const BARAMATI_TASKS: &[DemoTask] = &[
    task(
        "Tie up the cucumber vines",
        "Every second day while they grow 10 cm a day.",
        (ADMIN, "Crop care"),
        (TaskPriority::Medium, TaskStatus::Open),
        1,
    ),
    task(
        "Check the well pump's starter",
        "It hums before it starts.",
        (OWNER, "Maintenance"),
        (TaskPriority::High, TaskStatus::InProgress),
        2,
    ),
];

/// Everybody of the first farm.
pub(super) const TALEGAON_ROLES: &[(&str, &str)] = &[
    (OWNER, "OWNER"),
    (ADMIN, "ADMIN"),
    (MANAGER, "FARM_MANAGER"),
    (VIEWER, "VIEWER"),
];

/// Everybody of the second farm.
pub(super) const BARAMATI_ROLES: &[(&str, &str)] = &[(OWNER, "OWNER"), (ADMIN, "FARM_MANAGER")];
