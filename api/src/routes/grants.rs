//! What a worker is given: houses to see and devices to switch.

use std::collections::BTreeSet;

use harit_engine::Engine;

use super::wrong::Wrong;
use crate::access::{FarmAccess, ManagePeople};
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{Grants, MAX_GRANTS};
use crate::role::Role;

/// What somebody is to be given: nobody but workers is given anything.
pub(super) async fn grants(
    access: &FarmAccess<ManagePeople>,
    wrong: &mut Wrong,
    (polyhouses, devices): (Option<Vec<String>>, Option<Vec<String>>),
    role: Option<Role>,
    before: &Grants,
) -> Result<Grants, ApiError> {
    let given = Grants::default();
    if !role.is_some_and(Role::is_given) {
        for (field, list) in [("polyhouses", &polyhouses), ("devices", &devices)] {
            if list.as_ref().is_some_and(|l| !l.is_empty()) {
                wrong.say(field, "no_value", Text::FieldOnlyOfWorkers);
            }
        }
        return Ok(given);
    }
    let question = |engine: &Engine| {
        let houses = engine.document().polyhouses.into_iter();
        let devices = engine.devices().map(|d| d.spec.id.to_string());
        (
            houses.map(|p| p.id.to_string()).collect(),
            devices.collect(),
        )
    };
    let (houses, machines): (BTreeSet<String>, BTreeSet<String>) =
        access.hub().read(question).await?;
    let mut read =
        |field: &str, list: Option<Vec<String>>, had: &[String], there: &BTreeSet<String>| {
            let Some(list) = list else {
                return had.to_vec();
            };
            let list: BTreeSet<String> = list.into_iter().collect();
            if list.len() > MAX_GRANTS {
                wrong.say(field, "too_many", Text::FieldTooMany);
            }
            // what is gone since may stay in the list that a form sends back
            if list
                .iter()
                .any(|id| !there.contains(id) && !had.contains(id))
            {
                wrong.say(field, "unknown", Text::FieldUnknown);
            }
            list.into_iter().collect()
        };
    Ok(Grants {
        polyhouses: read("polyhouses", polyhouses, &before.polyhouses, &houses),
        devices: read("devices", devices, &before.devices, &machines),
    })
}
