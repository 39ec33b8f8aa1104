//! The stories of `testdata/scenarios`, each played to an engine in three manners, and the player's own tests.

use std::fs;

use harit_scenarios::{Manner, Wrong, files, play, read};

/// Fewer would mean that stories got lost.
const AT_LEAST: usize = 150;

/// All that is wrong with a scenario, each with file and line.
fn judge(name: &str, text: &str) -> Vec<String> {
    let at = |w: &Wrong| format!("{name}:{}: {}", w.line, w.what);
    let story = match read(text) {
        Ok(story) => story,
        Err(wrong) => return vec![at(&wrong)],
    };
    for manner in Manner::ALL {
        let wrong = play(&story, manner, &mut |_, _| {});
        if !wrong.is_empty() {
            return wrong
                .iter()
                .map(|w| format!("{} ({manner:?})", at(w)))
                .collect();
        }
    }
    vec![]
}

#[test]
fn every_story_comes_out_as_told() {
    let files = files().unwrap();
    assert!(files.len() >= AT_LEAST, "only {} scenarios", files.len());
    let mut wrong = vec![];
    for file in &files {
        let name = format!("testdata/scenarios/{}", file.file_name().unwrap().display());
        wrong.extend(judge(&name, &fs::read_to_string(file).unwrap()));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// A story that still comes out when one of its expectations is taken away or comes a millisecond later shows nothing.
#[test]
fn every_expectation_counts() {
    let mut counted = 0;
    for file in files().unwrap() {
        let text = fs::read_to_string(&file).unwrap();
        let mut story = read(&text).unwrap_or_else(|w| panic!("{}: {}", w.line, w.what));
        for ix in 0..story.expected.len() {
            story.expected[ix].at.0 += 1;
            let late = play(&story, Manner::Plain, &mut |_, _| {});
            story.expected[ix].at.0 -= 1;
            let taken = story.expected.remove(ix);
            let missing = play(&story, Manner::Plain, &mut |_, _| {});
            let what = format!("{}:{}: {}", file.display(), taken.line, taken.event);
            assert!(!late.is_empty() && !missing.is_empty(), "{what}");
            story.expected.insert(ix, taken);
            counted += 1;
        }
    }
    assert!(counted > 200, "only {counted} expectations");
}

const COOL: &str = "sensor t1 temperature
device fan-1 fan
rule cool: temperature > 35 for 5m -> fan-1 on; stop < 32 for 60s
from 00:00 to 10:00 every 1m t1 36
";

#[test]
fn a_story_that_is_right_has_nothing_wrong() {
    let told = "at 05:00 expect rule_fired cool, command fan-1 on cause cool";
    assert_eq!(judge("s", &format!("{COOL}{told}")), Vec::<String>::new());
}

#[test]
fn what_differs_is_found_with_its_line() {
    for (told, expected) in [
        (
            "",
            "s:1: after all that is expected came at 05:00 rule_fired cool",
        ),
        (
            "at 05:00 expect rule_fired cool",
            "s:5: after all that is expected came at 05:00 command fan-1 on cause cool",
        ),
        (
            "at 05:01 expect rule_fired cool",
            "s:5: expected at 05:01 rule_fired cool, but at 05:00 rule_fired cool",
        ),
        (
            "at 05:00 expect command fan-1 on cause cool, rule_fired cool",
            "s:5: expected at 05:00 command fan-1 on cause cool, but at 05:00 rule_fired cool",
        ),
        (
            "at 05:00 expect rule_fired cool, command fan-1 on cause cool
             at 07:00 expect rule_stopped cool because stop_condition",
            "s:6: expected at 07:00 rule_stopped cool because stop_condition, but nothing came",
        ),
        (
            "at 04:00 expect rule cool pending\nexpect nothing until 12:00",
            "s:6: expected nothing until 12:00, but at 05:00 rule_fired cool",
        ),
        (
            "ignore rule_fired\nignore command\nat 01:00 expect rule cool idle",
            "s:7: expected cool idle, found cool pending",
        ),
        (
            "at 01:00 rejected save rule warm: temperature > 20 -> fan-1 on",
            "s:5: it was accepted",
        ),
        (
            "at 01:00 device fan-9 offline",
            "s:5: the engine refuses it",
        ),
        ("at 01:00 stop house by asha", "s:5: the engine refuses it"),
        (
            "at 01:00 almanac 1970-01-01
             at 01:00 save rule fog: starts 00:03 -> fan-1 off; run 1s
             at 03:01 expect rule_fired fog",
            "s:7: expected at 03:01 rule_fired fog, but at 03:00 rule_fired fog",
        ),
        (
            "at 01:00 expect start_skipped cool of 00:30 because missed count 2",
            "s:5: expected at 01:00 start_skipped cool of 00:30 because missed count 2, but at 05:00",
        ),
        (
            "ignore rule_fired\nignore command\nat 01:00 expect device fan-1 locked by asha and max_on",
            "s:7: expected fan-1 locked by asha and max_on, found fan-1 not locked",
        ),
    ] {
        let found = judge("s", &format!("{COOL}{told}"));
        assert!(
            found.first().is_some_and(|w| w.starts_with(expected)),
            "{told}\n{found:?}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    for (line, expected) in [
        ("at noon t1 36", r#""noon" is no time"#),
        ("at 01:00 t9 36", r#"there is no sensor "t9""#),
        ("at 01:00 t1 warm", r#""warm" is no number"#),
        (
            "at 01:00 expect rule_fried cool",
            r#""rule_fried" is nothing that can be expected"#,
        ),
        (
            "at 01:00 override fan-1 off for 10 by manager",
            r#""10" is no duration"#,
        ),
        (
            "at 01:00 override fan-1 off for 10m by me",
            r#""me" is none of owner"#,
        ),
        (
            "at 01:00 device fan-1 sleeping",
            "expected \"online, offline",
        ),
        ("at 01:00 stop fan-1", r#"the line ends where "by""#),
        (
            "at 01:00 device fan-1 lock of asha shut",
            r#"expected "opened", found "shut""#,
        ),
        (
            "at 01:00 save rule x in p9: ph > 3 -> fan-1 on",
            r#"there is no place "p9""#,
        ),
        (
            "at 01:00 save rule x: temperature > 99 -> fan-1 on",
            "99 is outside",
        ),
        (
            "from 01:00 to 00:00 every 30s t1 36",
            "a series has at least two readings",
        ),
        (
            "from 01:00 to 05:00 t1 silent",
            "t1 speaks at 02:00 in line 4",
        ),
        (
            "power cut at 05:00 back at 04:00",
            "it is back before it went",
        ),
        (
            "device fan-2 fan",
            "the farm is described before anything happens",
        ),
        ("ignore sensors", r#""sensors" is no event"#),
        (
            "begins wed 2026-11-25 00:00 +05:30",
            "when it begins is the first line",
        ),
        ("at 01:00 almanac 2026-02-30", r#""2026-02-30" is no date"#),
        (
            "at 01:00 almanac 2026-03-29 clock 2 -> 3",
            r#""2" is no time of day"#,
        ),
        ("at +1d noon t1 36", r#""noon" is no time"#),
        (
            "at 01:00 device fan-1 reported sleeping",
            r#""sleeping" is none of on, off, unknown"#,
        ),
        (
            "at 01:00 save rule x: ph > 3 and ph < 9 or on mon -> fan-1 on",
            "`and` beside `or` needs brackets",
        ),
        (
            "at 01:00 save rule x: (ph > 3 and on mon -> fan-1 on",
            r#"expected ")", found "->""#,
        ),
        (
            "at 01:00 save rule x: on mon -> fan-1 on; stop < 3",
            "the trigger has no sensor type of its own",
        ),
        ("at 01:00 save rule x: starts 06:00 -> fan-1 on", "run_sec"),
        (
            "at 01:00 save rule x: starts 06:00 if ph > 3, unknown waits -> fan-1 on; run 1m",
            r#""waits" is none of runs, skips"#,
        ),
        (
            "at 01:00 save rule x: starts 30m around sunset -> fan-1 on; run 1m",
            r#"expected "after", found "around""#,
        ),
        ("at 01:00 t1 36 warm", r#""warm" is not expected here"#),
        ("wait", r#""wait" is no statement"#),
    ] {
        let found = judge("s", &format!("{COOL}{line}"));
        assert!(
            found
                .first()
                .is_some_and(|w| w.starts_with("s:5: ") && w.contains(expected)),
            "{line}\n{found:?}"
        );
    }
}
