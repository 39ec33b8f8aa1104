//! Refuses variables that look like settings and are none: a limit that is misspelt does not limit.

use toml::Table;

use super::{Config, ConfigError};

/// Variables that other commands and the command line read.
const OTHER_NAMES: [&str; 7] = [
    "HARIT_CONFIG",
    "HARIT_DEMO",
    "HARIT_DEMO_HISTORY_DAYS",
    "HARIT_DEMO_LANGUAGE",
    "HARIT_DATA_DIR",
    "HARIT_HTTP",
    "HARIT_MQTT",
];
/// How many letters may differ between a name and what was meant by it.
const MISSPELT: usize = 2;

/// Refuses such variables, and names the setting that was probably meant.
pub(crate) fn check_names(names: impl Iterator<Item = String>) -> Result<(), ConfigError> {
    let defaults =
        Table::try_from(Config::default()).map_err(|e| ConfigError::Value(e.to_string()))?;
    let mut known: Vec<String> = OTHER_NAMES.map(str::to_owned).to_vec();
    let mut sections = Vec::new();
    for (section, keys) in &defaults {
        sections.push(format!("HARIT_{section}_").to_uppercase());
        let keys = keys.as_table().into_iter().flat_map(Table::keys);
        known.extend(keys.map(|key| format!("HARIT_{section}_{key}").to_uppercase()));
    }
    for name in names.filter(|n| n.starts_with("HARIT_") && !known.contains(n)) {
        let nearest = known.iter().map(|k| (letters_between(&name, k), k)).min();
        let of_section = sections.iter().any(|s| name.starts_with(s));
        if let Some((apart, nearest)) = nearest
            && (of_section || apart <= MISSPELT)
        {
            return Err(ConfigError::Value(format!(
                "{name} is no setting; the nearest is {nearest}"
            )));
        }
    }
    Ok(())
}

/// How many letters must be put in, taken out or changed to make one of the other.
fn letters_between(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_misspelt_is_refused_with_the_nearest_name() {
        let check = |name: &str| check_names([name.to_owned()].into_iter());
        for name in [
            "HARIT_LIMITS_READS_PER_USER",
            "HARIT_DEMO",
            "HARIT_DEMO_HISTORY_DAYS",
            "HARIT_DEMO_LANGUAGE",
            "PATH",
            "HARIT_BIN",
        ] {
            assert!(check(name).is_ok(), "{name}");
        }
        for (name, nearest) in [
            ("HARIT_MQTT_LISEN", "HARIT_MQTT_LISTEN"),
            ("HARIT_SERVER_HTTPS", "HARIT_SERVER_HTTP"),
            ("HARIT_HTPP", "HARIT_HTTP"),
            (
                "HARIT_LIMITS_STOPS_PER_USERS",
                "HARIT_LIMITS_STOPS_PER_USER",
            ),
        ] {
            let said = check(name).unwrap_err().to_string();
            assert_eq!(
                said,
                format!("{name} is no setting; the nearest is {nearest}")
            );
        }
    }
}
