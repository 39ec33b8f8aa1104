//! Words of the protocol: names of types and units, ids that can be used; and how deep JSON may be.

use harit_engine::{MAX_ID_BYTES, SensorType};

use crate::{MAX_NESTING, Reject};

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

/// Refuses JSON that begins otherwise than with that bracket (serde would read a list as an object), or is nested too deep.
pub(crate) fn check_depth(payload: &[u8], first: u8) -> Result<(), Reject> {
    if payload.trim_ascii_start().first() != Some(&first) {
        return Err(Reject::Malformed);
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for b in payload {
        match b {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(Reject::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}
