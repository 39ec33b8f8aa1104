//! Controllers that are offline, told to whom the farm's chain tells at once. Several that are lost within a short time are a power
//! cut, which is critical; so is one on whose sensors a critical alert rests.

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
        let plan = Plan::of(records).await?;
        let ways = records.ways();
        let mut all = Vec::new();
        for (mac, since, over_at) in &changed {
            let lost = picture.lost(mac);
            let together = if over_at.is_some() {
                vec![lost.clone()]
            } else {
                let now = { changed.iter() }.filter(|(_, _, over)| over.is_none());
                self.lost_with(picture, *since, now.map(|(mac, ..)| mac.as_str()))
            };
            let critical = together.len() > 1 || picture.blinds_critical(mac);
            let severity = if critical {
                AlertSeverity::Critical
            } else {
                AlertSeverity::Warning
            };
            let people = plan.at_once(severity, ways, over_at.unwrap_or(*since));
            let sent = Sent {
                farm: (records.farm(), &picture.farm_name),
                reach: None,
                cause: Cause::Outage {
                    controllers: together,
                },
                ways,
            };
            let who = (people, critical);
            all.push(controller_to_tell(&lost, *since, *over_at, who, sent));
        }
        Ok(all)
    }

    /// The controllers that are lost together: now, and within a short time before.
    fn lost_with<'a>(
        &self,
        picture: &Picture,
        since: i64,
        now: impl Iterator<Item = &'a str>,
    ) -> Vec<Lost> {
        let mut all: Vec<Lost> = now.map(|mac| picture.lost(mac)).collect();
        for controller in &picture.levels.controllers {
            let told = self.told.get(&controller_key(&controller.mac));
            let lately = |at: i64| (0..=TOGETHER_MS).contains(&(since - at));
            let is_lost = told.is_some_and(|t| t.state == OFFLINE && lately(t.at));
            if is_lost && !all.iter().any(|l| l.mac == controller.mac) {
                all.extend(picture.offline(&controller.mac));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};

    use super::*;
    use crate::notifications::levels::{ControllerLevel, Levels};
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
            controllers: all.map(controller).to_vec(),
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
        let lost = watched.lost_with(&picture, since, ["now"].into_iter());
        let macs: Vec<&str> = lost.iter().map(|l| l.mac.as_str()).collect();
        assert_eq!(macs, ["now", "before"]);
    }
}
