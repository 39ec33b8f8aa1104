//! Words of the protocol: names of types and units, and ids that can be used.

use harit_engine::{MAX_ID_BYTES, SensorType};

/// The longest text of a name, a lock reason or a message that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 256;

/// The type of that name. People's spelling ("pH", "EC") is understood too.
#[must_use]
pub fn sensor_type(word: &str) -> Option<SensorType> {
    SensorType::parse(word).or_else(|| {
        SensorType::ALL
            .into_iter()
            .find(|t| t.as_str().eq_ignore_ascii_case(word))
    })
}

/// Whether the unit is the type's. pH has none, or its own name.
#[must_use]
pub fn unit_matches(sensor_type: SensorType, unit: &str) -> bool {
    unit == sensor_type.unit() || (sensor_type == SensorType::Ph && unit == "pH")
}

/// Whether a controller's own id can become one of the farm.
#[must_use]
pub fn usable_id(id: &str) -> bool {
    // Room for "{mac}/" before it.
    !id.is_empty() && id.len() + 13 <= MAX_ID_BYTES && !id.chars().any(char::is_control)
}

/// Cuts a text to [`MAX_TEXT_BYTES`].
pub(crate) fn short(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    text
}
