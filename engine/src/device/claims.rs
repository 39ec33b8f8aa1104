//! The claims of rules on a device, and which of them decides.

use std::cmp::{Ordering, Reverse};

use crate::id::RuleId;
use crate::setting::Setting;
use crate::status::ClaimStatus;
use crate::time::{Duration, Timestamp};
use crate::timer::NEVER;

/// A rule's hold on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) rule: u32,
    pub(crate) rule_id: RuleId,
    pub(crate) priority: u8,
    pub(crate) specificity: u8,
    pub(crate) at: Timestamp,
    pub(crate) setting: Setting,
    /// When it ends by itself; [`NEVER`] where it does not.
    pub(crate) until: Timestamp,
    /// How many seconds longer than the rule it goes on.
    pub(crate) linger: u8,
    /// What its setting follows.
    pub(crate) curve: Option<u32>,
}

impl Claim {
    pub(crate) fn by_strength(&self, other: &Self) -> Ordering {
        let key = |c: &Self| (Reverse(c.priority), Reverse(c.specificity), c.at);
        key(self)
            .cmp(&key(other))
            .then_with(|| match planted!(UnstableTieBreak) {
                true => other.rule_id.cmp(&self.rule_id),
                false => self.rule_id.cmp(&other.rule_id),
            })
    }
}

impl From<&Claim> for ClaimStatus {
    fn from(c: &Claim) -> Self {
        Self {
            rule: c.rule_id.to_string(),
            priority: c.priority,
            at: c.at,
            setting: c.setting,
        }
    }
}

/// All claims on a device: at most one a rule.
///
/// A thousand rules may be about one device: what is kept in order is short, and a claim moves only into the place of one that goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claims {
    /// In no order.
    all: Vec<Claim>,
    /// The rules' numbers in order, each with its claim's place.
    by_rule: Vec<(u32, u32)>,
    /// Which of them decides; 0 without any.
    winner: usize,
    /// How many of them end by themselves.
    timed: usize,
}

impl Claims {
    /// The claim that decides: the highest priority, then the narrower scope, the earlier claim, the smaller rule id.
    pub(crate) fn winner(&self) -> Option<&Claim> {
        self.all.get(self.winner)
    }

    /// All claims, the winner first.
    pub(crate) fn by_strength(&self) -> Vec<&Claim> {
        let mut claims: Vec<&Claim> = self.all.iter().collect();
        claims.sort_by(|a, b| a.by_strength(b));
        claims
    }

    /// Adds a claim. Of the rule's own one only the setting and the end change. Returns whether what it sets has.
    pub(crate) fn put(&mut self, claim: Claim) -> bool {
        match self.find(claim.rule) {
            Ok(at) => {
                let own = &mut self.all[self.by_rule[at].1 as usize];
                self.timed -= usize::from(own.until != NEVER);
                self.timed += usize::from(claim.until != NEVER);
                (own.until, own.linger, own.curve) = (claim.until, claim.linger, claim.curve);
                std::mem::replace(&mut own.setting, claim.setting) != claim.setting
            }
            Err(at) => {
                let place = self.all.len();
                if self.winner().is_none_or(|w| claim.by_strength(w).is_lt()) {
                    self.winner = place;
                }
                self.timed += usize::from(claim.until != NEVER);
                self.by_rule.insert(at, (claim.rule, number(place)));
                self.all.push(claim);
                true
            }
        }
    }

    /// Drops a rule's claim. Returns whether it had one.
    pub(crate) fn drop(&mut self, rule: u32) -> bool {
        let Ok(at) = self.find(rule) else {
            return false;
        };
        let (_, place) = self.by_rule.remove(at);
        let place = place as usize;
        let gone = self.all.swap_remove(place);
        self.timed -= usize::from(gone.until != NEVER);
        // The last one came to stand there.
        let moved = self.all.get(place).map(|c| self.find(c.rule));
        if let Some(Ok(moved)) = moved {
            self.by_rule[moved].1 = number(place);
        }
        if place == self.winner {
            let all = self.all.iter().enumerate();
            let winner = all.min_by(|(_, a), (_, b)| a.by_strength(b));
            self.winner = winner.map_or(0, |(at, _)| at);
        } else if self.winner == self.all.len() {
            self.winner = place;
        }
        true
    }

    /// Lets a rule's claim end when it is to, after the rule has stopped. Returns whether it ended at once.
    pub(crate) fn let_go(&mut self, rule: u32, now: Timestamp) -> bool {
        let Some(claim) = self.of(rule) else {
            return false;
        };
        if claim.linger == 0 {
            return self.drop(rule);
        }
        claim.curve = None;
        let end = now + Duration::from_secs(claim.linger.into());
        let had_none = claim.until == NEVER;
        claim.until = claim.until.min(end);
        self.timed += usize::from(had_none);
        false
    }

    /// What a rule's claim follows.
    pub(crate) fn curve_of(&self, rule: u32) -> Option<u32> {
        let (_, place) = self.by_rule[self.find(rule).ok()?];
        self.all[place as usize].curve
    }

    /// Has a rule's claim follow a curve.
    pub(crate) fn follow(&mut self, rule: u32, curve: Option<u32>) {
        if let Some(claim) = self.of(rule) {
            claim.curve = curve;
        }
    }

    /// Changes what a rule's claim sets. Returns whether that is another.
    pub(crate) fn set(&mut self, rule: u32, setting: Setting) -> bool {
        self.of(rule)
            .is_some_and(|claim| std::mem::replace(&mut claim.setting, setting) != setting)
    }

    /// When the first of them ends by itself.
    pub(crate) fn first_end(&self) -> Option<Timestamp> {
        if self.timed == 0 {
            return None;
        }
        self.all.iter().map(|c| c.until).min()
    }

    /// Drops those that are over. Returns whether there were any.
    pub(crate) fn end_due(&mut self, now: Timestamp) -> bool {
        let over = |c: &&Claim| c.until <= now;
        let rules: Vec<u32> = self.all.iter().filter(over).map(|c| c.rule).collect();
        for rule in &rules {
            self.drop(*rule);
        }
        !rules.is_empty()
    }

    /// A rule's own.
    fn of(&mut self, rule: u32) -> Option<&mut Claim> {
        let (_, place) = self.by_rule[self.find(rule).ok()?];
        self.all.get_mut(place as usize)
    }

    fn find(&self, rule: u32) -> Result<usize, usize> {
        self.by_rule.binary_search_by_key(&rule, |(rule, _)| *rule)
    }
}

/// Each has a rule, whose number is one of 32 bits.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever comes and goes, the winner is the strongest.
    #[test]
    fn the_winner_is_the_strongest() {
        let mut state: u64 = 5;
        let mut random = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut claims = Claims::default();
        let mut most = 0;
        for step in 0..20_000 {
            let rule = u32::try_from(random(40)).unwrap();
            if random(2) == 0 {
                claims.put(Claim {
                    rule,
                    rule_id: RuleId::new(format!("r{}", rule ^ 21)),
                    priority: u8::try_from(random(3)).unwrap(),
                    specificity: u8::try_from(random(2)).unwrap(),
                    at: Timestamp::from_millis(step / 100),
                    setting: Setting::Off,
                    until: NEVER,
                    linger: 0,
                    curve: None,
                });
            } else {
                claims.drop(rule);
            }
            let all = claims.by_strength();
            most = most.max(all.len());
            assert_eq!(claims.winner(), all.first().copied(), "step {step}");
            let placed = claims.by_rule.iter();
            assert!(
                placed
                    .clone()
                    .all(|(rule, at)| claims.all[*at as usize].rule == *rule)
            );
            assert!(placed.map(|(rule, _)| rule).is_sorted());
            assert_eq!(claims.by_rule.len(), claims.all.len());
        }
        assert!(most > 20);
    }
}
