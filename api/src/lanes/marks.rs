//! What devices' runs came to, as a lane of each device: each mark from the beginning of its run to its end.

use super::stored::{Stored, lane, span};
use super::{LaneBody, LaneKindName, LaneSpanBody, LaneStateName};
use crate::effects::MarkBody;
use crate::records::EffectMark;
use harit_engine::Timestamp;

/// The lanes of the marks that were stored, beside what the devices are reported to do.
pub(super) fn lanes(
    stored: &Stored,
    lanes: &[LaneBody],
    (from, to): (Timestamp, Timestamp),
) -> Vec<LaneBody> {
    let mut all = Vec::new();
    for (device, name) in &stored.own.devices {
        let own = |l: &&LaneBody| {
            l.kind == LaneKindName::Reported && l.of.as_deref() == Some(device.as_str())
        };
        let reported = lanes.iter().find(own).map_or(&[][..], |l| &l.spans);
        let marks = stored.marks.iter().filter(|m| m.device_id == *device);
        let spans: Vec<LaneSpanBody> = marks
            .filter_map(|mark| told(mark, reported, (from, to)))
            .collect();
        if !spans.is_empty() {
            all.push(lane(LaneKindName::Effect, device, name.clone(), spans));
        }
    }
    all
}

fn told(
    mark: &EffectMark,
    reported: &[LaneSpanBody],
    (from, to): (Timestamp, Timestamp),
) -> Option<LaneSpanBody> {
    let begins = mark.started_at.max(from.as_millis());
    let ends = { mark.ended_at }
        .or_else(|| end_of(reported, begins))
        .unwrap_or(mark.looked_at)
        .min(to.as_millis());
    let state = match mark.mark.as_str() {
        "worked" => LaneStateName::Worked,
        "no_effect" => LaneStateName::NoEffect,
        _ => LaneStateName::CannotTell,
    };
    let [begins, ends] = [begins, ends].map(Timestamp::from_millis);
    (begins < ends).then(|| LaneSpanBody {
        effect: Some(MarkBody::from(mark.clone())),
        ..span(begins, ends, state, None)
    })
}

/// Until when a device that was on at an instant stayed on, whatever its value.
fn end_of(reported: &[LaneSpanBody], at: i64) -> Option<i64> {
    let mut ends = None;
    for span in reported.iter().filter(|s| s.to > at) {
        let goes_on = span.from <= ends.unwrap_or(at);
        if !goes_on || span.state != LaneStateName::On {
            break;
        }
        ends = Some(span.to);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn mark(started_at: i64, ended_at: Option<i64>, mark: &str) -> EffectMark {
        EffectMark {
            device_id: "fan".into(),
            started_at,
            ended_at,
            mark: mark.into(),
            reason: None,
            seen: true,
            looks: 1,
            looked_at: started_at + 10,
            is_open: ended_at.is_none(),
            company: "[]".into(),
            numbers: None,
        }
    }

    #[test]
    fn a_mark_lasts_as_long_as_its_run_and_not_beyond_what_is_asked() {
        use LaneStateName::{CannotTell, NoEffect, Off, On, Worked};
        let reported = [
            span(at(100), at(150), On, None),
            // another speed, the same run
            span(at(150), at(300), On, None),
            span(at(300), at(400), Off, None),
            span(at(400), at(500), On, None),
        ];
        let of = |m: &EffectMark| {
            let told = told(m, &reported, (at(120), at(450)))?;
            Some((told.from, told.to, told.state))
        };
        assert_eq!(of(&mark(100, None, "worked")), Some((120, 300, Worked)));
        assert_eq!(
            of(&mark(200, Some(250), "no_effect")),
            Some((200, 250, NoEffect))
        );
        assert_eq!(
            of(&mark(400, None, "cannot_tell")),
            Some((400, 450, CannotTell))
        );
        // Nothing is reported of that time: as far as it was looked at.
        assert_eq!(of(&mark(310, None, "worked")), Some((310, 320, Worked)));
        assert_eq!(of(&mark(20, Some(110), "worked")), None);
    }
}
