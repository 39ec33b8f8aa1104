//! What of rules is said by the clock, as the OpenAPI document describes it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::NodeDocument;

/// A weekday.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Weekday)]
#[allow(missing_docs, reason = "each is the day that it names")]
pub enum WeekdayDocument {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}
/// A moment of a day: a time of day (`HH:MM`), or so long after the sun rises or sets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Moment)]
pub enum MomentDocument {
    /// `HH:MM`, by the farm's clock.
    Clock(String),
    /// By the sun.
    Sun(SunMomentDocument),
}
/// So many minutes after the sun rises or sets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SunMoment)]
pub struct SunMomentDocument {
    /// Which.
    pub sun: SunEventDocument,
    /// How many; before it where below zero.
    #[schema(default = 0, minimum = -720, maximum = 720)]
    pub offset_min: i16,
}
/// Sunrise or sunset.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SunEvent)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum SunEventDocument {
    Sunrise,
    Sunset,
}
/// From a moment of a day to the next other one; it may pass midnight.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TimeWindow)]
pub struct WindowDocument {
    /// When it begins.
    pub from: MomentDocument,
    /// When it is over.
    pub to: MomentDocument,
}
/// A part of the year, both ends included; it may pass the new year.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DateRange)]
pub struct DatesDocument {
    /// `MM-DD`
    pub from: String,
    /// `MM-DD`
    pub to: String,
}
/// A trigger by the clock.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Scheduled)]
pub struct ScheduledDocument {
    /// When it starts.
    pub schedule: ScheduleDocument,
}
/// When a rule starts: `at`, `every`, or both.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Schedule)]
pub struct ScheduleDocument {
    /// At these moments.
    #[schema(max_items = 24)]
    pub at: Option<Vec<MomentDocument>>,
    /// Every so many minutes.
    pub every: Option<EveryDocument>,
    /// On these weekdays; on all by default.
    pub days: Option<Vec<WeekdayDocument>>,
    /// In this part of the year.
    pub dates: Option<DatesDocument>,
    /// Only while this is true.
    pub guard: Option<NodeDocument>,
    /// What it does while the guard is unknown; required with a guard.
    pub if_unknown: Option<IfUnknownDocument>,
    /// How late, in seconds, a start that was missed is still made up for; 0 by default: not at all.
    #[schema(default = 0, minimum = 0, maximum = 86400)]
    pub catch_up_sec: i64,
}
/// Every so many minutes, from a time of day to a later one, both included.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Every)]
pub struct EveryDocument {
    /// How many.
    #[schema(minimum = 1, maximum = 720)]
    pub minutes: u16,
    /// `HH:MM`
    pub from: String,
    /// `HH:MM`
    pub to: String,
}
/// What a schedule does while its guard is unknown.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = IfUnknown)]
#[allow(missing_docs, reason = "each is what it names")]
pub enum IfUnknownDocument {
    Run,
    Skip,
}
