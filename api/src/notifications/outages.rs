//! Controllers that are offline, told to whom the farm's chain tells at once. Several that are lost within a short time are a power
//! cut, which is critical; so is one on whose sensors a critical alert rests.

use std::collections::HashSet;

use harit_engine::AlertSeverity;

use super::LookError;
use super::escalate::Plan;
use super::levels::{OFFLINE, controller_key};
use super::notice::Notice;
use super::picture::Picture;
use super::reach::{Sent, controller_to_tell};
use super::watched::{At, Watched};
use crate::delivery::{Cause, Lost};
use crate::records::{FarmRecords, ToTell};

/// Controllers that are lost within this time are lost together: that is how far apart their keep-alives end.
const TOGETHER_MS: i64 = 120_000;
/// Of so many that are lost at once each is told, and that it is back: each is a part of each person's message, which is written
/// anew with it. Of more the message has the number and the names.
const MOST_TOLD: usize = 100;

impl Watched {
    /// What is sent of controllers that went offline or are back.
    pub(super) async fn outages(
        &self,
        records: &FarmRecords,
        picture: &Picture,
        new: &[At],
    ) -> Result<Vec<ToTell>, LookError> {
        let mut changed = Vec::new();
        for At(at, notice) in new {
            match notice {
                Notice::ControllerOffline { controller, .. } => {
                    changed.push((controller, *at, None));
                }
                Notice::ControllerOnline { controller, .. } => {
                    let told = self.told.get(&controller_key(controller));
                    let since = told.filter(|t| t.state == OFFLINE).map(|t| t.at);
                    changed.extend(since.map(|since| (controller, since, Some(*at))));
                }
                _ => {}
            }
        }
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        let (lost, back): (Vec<_>, Vec<_>) =
            { changed.into_iter() }.partition(|(_, _, over_at)| over_at.is_none());
        let now: Vec<(&str, i64)> = { lost.iter() }
            .map(|(mac, since, _)| (mac.as_str(), *since))
            .collect();
        let together = self.lost_with(picture, &now);
        let are_many = together.len() > 1;
        let plan = Plan::of(records).await?;
        let ways = records.ways();
        let tell = |own: &Lost, since: i64, over_at: Option<i64>, controllers: Vec<Lost>| {
            let critical = (over_at.is_none() && are_many) || picture.blinds_critical(&own.mac);
            let severity = if critical {
                AlertSeverity::Critical
            } else {
                AlertSeverity::Warning
            };
            let people = plan.at_once(severity, ways, over_at.unwrap_or(since));
            let sent = Sent {
                farm: (records.farm(), &picture.farm_name),
                reach: None,
                cause: Cause::Outage { controllers },
                ways,
            };
            controller_to_tell(own, since, over_at, (people, critical), sent)
        };
        let mut all: Vec<ToTell> = { each_with(picture, &now, together).into_iter() }
            .map(|(own, since, controllers)| tell(&own, since, None, controllers))
            .collect();
        all.extend(back.into_iter().map(|(mac, since, over_at)| {
            let own = picture.lost(mac);
            tell(&own, since, over_at, vec![own.clone()])
        }));
        Ok(all)
    }

    /// The controllers that are lost together: now, each since then, and within a short time before.
    fn lost_with(&self, picture: &Picture, now: &[(&str, i64)]) -> Vec<Lost> {
        let Some(since) = now.iter().map(|(_, since)| *since).min() else {
            return Vec::new();
        };
        let macs: HashSet<&str> = now.iter().map(|(mac, _)| *mac).collect();
        let lately = { picture.levels.controllers.iter() }.filter(|c| {
            let told = self.told.get(&controller_key(&c.mac));
            let is_lost = told.is_some_and(|t| t.state == OFFLINE && t.at >= since - TOGETHER_MS);
            is_lost && !c.online && !macs.contains(c.mac.as_str())
        });
        let lately = lately.map(|c| c.mac.as_str());
        let all = { now.iter() }.map(|(mac, _)| *mac).chain(lately);
        all.map(|mac| picture.lost(mac)).collect()
    }
}

/// What is told of each that is lost now: itself, since when, and who else its message names. The first one tells of all; the others join
/// its message, and would write the same once more each.
fn each_with(
    picture: &Picture,
    now: &[(&str, i64)],
    together: Vec<Lost>,
) -> Vec<(Lost, i64, Vec<Lost>)> {
    let mut together = Some(together);
    let told = now.iter().take(MOST_TOLD);
    told.map(|(mac, since)| {
        let own = picture.lost(mac);
        let with = together.take().unwrap_or_else(|| vec![own.clone()]);
        (own, *since, with)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};
    use std::time::Duration;

    use super::*;
    use crate::notifications::levels::{ControllerLevel, Levels, ONLINE, SensorLevel, compare};
    use crate::records::Told;

    #[test]
    fn controllers_that_are_lost_within_two_minutes_are_lost_together() {
        let controller = |mac: &str| ControllerLevel {
            mac: mac.to_owned(),
            name: mac.to_owned(),
            online: mac == "back",
        };
        let all = ["now", "before", "long", "back"];
        let levels = Levels {
            controllers: all.map(controller).into_iter().collect(),
            ..Levels::default()
        };
        let picture = Picture::of(levels, &[], &[], &[]);
        let since = 10_000_000;
        let told = |mac: &str, at| {
            let state = OFFLINE.to_owned();
            (controller_key(mac), Told { state, at })
        };
        let watched = Watched {
            event: 0,
            told: BTreeMap::from([
                told("before", since - TOGETHER_MS),
                told("long", since - TOGETHER_MS - 1),
                told("back", since - 1),
            ]),
            raised: BTreeMap::new(),
            lately: VecDeque::new(),
        };
        let lost = watched.lost_with(&picture, &[("now", since)]);
        let macs: Vec<&str> = lost.iter().map(|l| l.mac.as_str()).collect();
        assert_eq!(macs, ["now", "before"]);
    }

    #[test]
    fn a_farm_of_many_controllers_that_loses_power_costs_what_it_has() {
        const MANY: usize = 20_000;
        let mac = |n: usize| format!("{n:012X}");
        let controllers = (0..MANY).map(|n| ControllerLevel {
            mac: mac(n),
            name: mac(n),
            online: false,
        });
        let sensor = |n: usize| SensorLevel {
            id: format!("s{n}"),
            name: String::new(),
            controller: Some(mac(n / 3)),
            has_spoken: true,
            stale: true,
        };
        let levels = Levels {
            controllers: controllers.collect(),
            sensors: (0..3 * MANY).map(sensor).collect(),
            ..Levels::default()
        };
        let picture = Picture::of(levels, &[], &[], &[]);
        let online = |n| {
            let state = ONLINE.to_owned();
            (controller_key(&mac(n)), Told { state, at: 0 })
        };
        let told: BTreeMap<String, Told> = (0..MANY).map(online).collect();
        let began = std::time::Instant::now();
        let changes = compare(&picture.levels, &told, 1);
        assert_eq!(changes.notices.len(), MANY);
        let watched = Watched {
            event: 0,
            told,
            raised: BTreeMap::new(),
            lately: VecDeque::new(),
        };
        let all: Vec<String> = (0..MANY).map(mac).collect();
        let now: Vec<(&str, i64)> = all.iter().map(|mac| (mac.as_str(), 1)).collect();
        let lost = watched.lost_with(&picture, &now);
        assert_eq!(lost.iter().map(|l| l.sensors).sum::<usize>(), 3 * MANY);
        let told = each_with(&picture, &now, lost);
        assert_eq!(told.len(), MOST_TOLD);
        let named: Vec<usize> = told.iter().map(|(.., with)| with.len()).collect();
        assert_eq!((named[0], named.iter().skip(1).max()), (MANY, Some(&1)));
        // Its pairs would take minutes.
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{:?}",
            began.elapsed()
        );
    }
}
