use harit_engine::{AlertSeverity, Operator, SensorType};

use super::*;
use crate::notifications::notice::{Ended, Named, Ordered, Sensors, Stocked, Watch, Watched};

fn said(notice: &Notice, language: Language, times: i64) -> String {
    let Words { title, message } = notice.say(language, times);
    format!("{title} | {message}")
}

fn watch(
    conditions: &[(SensorType, Operator, &str)],
    place: Option<&str>,
    any: bool,
    hold_sec: i64,
) -> Watch {
    let watched = |(sensor, operator, value): &(SensorType, Operator, &str)| Watched {
        sensor: *sensor,
        operator: *operator,
        value: (*value).to_owned(),
    };
    Watch {
        alert: "a".into(),
        name: "Hot".into(),
        place: place.map(str::to_owned),
        conditions: conditions.iter().map(watched).collect(),
        any,
        hold_sec,
        severity: AlertSeverity::Warning,
        scope: None,
        raised_at: None,
        seen: Vec::new(),
    }
}

#[test]
fn an_alert_is_a_sentence() {
    let hot = watch(
        &[(SensorType::Temperature, Operator::Gt, "35")],
        Some("Polyhouse 1"),
        false,
        300,
    );
    let hot = Notice::AlertRaised { watch: hot };
    assert_eq!(
        said(&hot, En, 1),
        "Alert: Hot | Polyhouse 1: temperature above 35 °C for 5 min"
    );
    assert_eq!(
        said(&hot, Hi, 1),
        "चेतावनी: Hot | Polyhouse 1: तापमान 35 °C से ऊपर, 5 मिनट से"
    );
    assert_eq!(
        said(&hot, Mr, 3),
        "इशारा: Hot | Polyhouse 1: तापमान ३५ °C पेक्षा जास्त, ५ मिनिटांपासून (३ वेळा)"
    );
    let Notice::AlertRaised {
        watch: mut measured,
    } = hot
    else {
        unreachable!("it was made so");
    };
    measured.seen = vec![Some("36.5".into())];
    let seen = Notice::AlertRaised { watch: measured };
    assert_eq!(
        said(&seen, En, 1),
        "Alert: Hot | Polyhouse 1: temperature 36.5 °C (limit: above 35 °C) for 5 min"
    );
    assert_eq!(
        said(&seen, Mr, 1),
        "इशारा: Hot | Polyhouse 1: तापमान ३६.५ °C (मर्यादा: ३५ °C पेक्षा जास्त), ५ मिनिटांपासून"
    );
    let two = watch(
        &[
            (SensorType::Ph, Operator::Lt, "5.5"),
            (SensorType::ReservoirLevel, Operator::Lte, "20"),
        ],
        None,
        true,
        0,
    );
    let two = Notice::AlertRepeated {
        watch: two,
        no_data: false,
    };
    assert_eq!(
        said(&two, En, 2),
        "Alert still raised: Hot | Whole farm: pH below 5.5 or reservoir level at or below 20% (2 times)"
    );
    assert_eq!(
        said(&two, Mr, 1),
        "इशारा अजून जारी आहे: Hot | संपूर्ण शेत: पीएच ५.५ पेक्षा कमी किंवा टाकीतील पाणी २०% किंवा त्याहून कमी"
    );
}

#[test]
fn what_devices_say_is_quoted_and_bounded() {
    let device = Named {
        id: "d".into(),
        name: "Fan 1".into(),
        place: Some("North".into()),
    };
    let order = Ordered {
        device: device.clone(),
        action: "set_speed".into(),
        value: Some("60".into()),
        by: Some("Asha".into()),
        message: Some("relay\nstuck".repeat(100)),
    };
    let failed = said(&Notice::CommandFailed { order }, En, 1);
    assert!(
        failed.starts_with(
            "Fan 1 refused a command | North: “Speed 60%” by Asha was not carried out: relaystuck"
        ),
        "{failed}"
    );
    assert!(
        failed.ends_with('…') && failed.chars().count() < 300,
        "{failed}"
    );
    for (reason, why) in [
        ("max_on", "it was on for too long"),
        (
            "keeps stopping",
            "it keeps stopping by itself; look at the machine before you unlock it",
        ),
        (
            "keeps starting",
            "it keeps starting by itself; look at the machine before you unlock it",
        ),
    ] {
        let locked = Notice::DeviceLocked {
            device: device.clone(),
            reason: reason.into(),
        };
        assert_eq!(
            said(&locked, En, 1),
            format!(
                "Fan 1 is locked | North: until it is unlocked it can only be switched off. Reason: {why}"
            )
        );
    }
}

/// A raised alert that ended in every way but the usual one: by somebody, and by nobody knows whom.
fn every_end(watch: &Watch) -> Vec<Notice> {
    let ways = [
        Ended::Deleted,
        Ended::Disabled,
        Ended::Changed,
        Ended::Registry,
    ];
    let told = |how: Ended, name: &str, by: Option<&str>| Notice::AlertEnded {
        watch: Watch {
            name: name.into(),
            ..watch.clone()
        },
        how,
        by: by.map(str::to_owned),
    };
    let both = |how| [told(how, "Hot", Some("Asha")), told(how, "", None)];
    ways.into_iter().flat_map(both).collect()
}

#[test]
fn every_kind_is_said_in_every_language() {
    let device = Named {
        id: "d".into(),
        name: "Fan 1".into(),
        place: None,
    };
    let order = Ordered {
        device: device.clone(),
        action: "on".into(),
        value: None,
        by: None,
        message: None,
    };
    let hot = watch(&[(SensorType::Ec, Operator::Eq, "1.2")], None, false, 7_200);
    let sensors = |count: usize| Sensors {
        controller: Some("AABBCCDDEE01".into()),
        of: Some("House".into()),
        names: (0..count.min(3)).map(|n| format!("S{n}")).collect(),
        count,
    };
    let (controller, name) = ("AABBCCDDEE01".to_owned(), "House".to_owned());
    let all = [
        Notice::AlertRaised { watch: hot.clone() },
        Notice::AlertRepeated {
            watch: hot.clone(),
            no_data: true,
        },
        Notice::AlertResolved { watch: hot.clone() },
        Notice::AlertUnknown {
            watch: hot.clone(),
            silent: vec!["T1".into(), "T2".into()],
            count: 3,
        },
        Notice::AlertUnknown {
            watch: Watch {
                name: "Cold".into(),
                ..hot.clone()
            },
            silent: vec![],
            count: 0,
        },
        Notice::DeviceLocked {
            device: device.clone(),
            reason: "interlock".into(),
        },
        Notice::DeviceUnlocked { device },
        Notice::CommandFailed {
            order: order.clone(),
        },
        Notice::CommandTimedOut { order },
        Notice::ControllerOffline {
            controller: controller.clone(),
            name: name.clone(),
        },
        Notice::ControllerOnline { controller, name },
        Notice::SensorsStale {
            sensors: sensors(1),
        },
        Notice::SensorsStale {
            sensors: sensors(9),
        },
        Notice::SensorsFresh {
            sensors: sensors(1),
        },
        Notice::SensorsFresh {
            sensors: sensors(9),
        },
        Notice::StockLow {
            item: Stocked {
                id: "i".into(),
                name: "Seed".into(),
                left: "2.5".into(),
                unit: "BAG".into(),
            },
        },
        Notice::Digest,
        Notice::LetterReady {
            day: "2026-11-05".into(),
        },
    ];
    let all: Vec<Notice> = all.into_iter().chain(every_end(&hot)).collect();
    let mut seen = std::collections::BTreeSet::new();
    for notice in &all {
        for language in [En, Hi, Mr] {
            let text = said(notice, language, 4);
            let devanagari = text.chars().any(|c| ('\u{900}'..='\u{97f}').contains(&c));
            assert_eq!(devanagari, language != En, "{text}");
            assert!(seen.insert(text.clone()), "said twice: {text}");
        }
        let stored = serde_json::to_string(notice).expect("JSON");
        assert_eq!(
            &serde_json::from_str::<Notice>(&stored).expect("a notice"),
            notice
        );
    }
    assert_eq!(
        said(&all[12], En, 1),
        "No readings from 9 sensors | S0, S1, S2 and 6 more (House)"
    );
}

#[test]
fn a_letter_is_called_by_its_day() {
    let ready = Notice::LetterReady {
        day: "2026-11-05".into(),
    };
    let titles = [En, Hi, Mr].map(|language| ready.say(language, 1).title);
    assert_eq!(
        titles,
        [
            "The evening letter of 5 November is ready",
            "5 नवंबर की शाम की चिट्ठी तैयार है",
            "५ नोव्हेंबरचे संध्याकाळचे पत्र तयार आहे"
        ]
    );
}

#[test]
fn what_is_left_of_a_unit_is_one_or_several() {
    let low = |left: &str, language| {
        let item = Stocked {
            id: "i".into(),
            name: "Seed".into(),
            left: left.into(),
            unit: "BAG".into(),
        };
        said(&Notice::StockLow { item }, language, 1)
    };
    assert_eq!(
        low("1", En),
        "Stock is low: Seed | Only 1 bag left. Time to order more."
    );
    assert!(low("2.5", En).ends_with("Only 2.5 bags left. Time to order more."));
    assert!(low("1", Mr).ends_with("फक्त १ पोते शिल्लक. आणखी मागवा."));
    assert!(low("0", Mr).ends_with("फक्त ० पोती शिल्लक. आणखी मागवा."));
}

/// A text of the console, by its file and the parts of its key.
fn on_screen(language: Language, file: &str, key: &[&str]) -> String {
    let at = format!(
        "{}/../console/src/i18n/{}/{file}.json",
        env!("CARGO_MANIFEST_DIR"),
        language.as_str()
    );
    let texts = std::fs::read_to_string(&at).expect(&at);
    let texts: serde_json::Value = serde_json::from_str(&texts).expect(&at);
    let text = key.iter().fold(&texts, |of, part| &of[part]).as_str();
    text.unwrap_or_else(|| panic!("{at}: {key:?}")).to_owned()
}

#[test]
fn messages_say_the_words_of_the_screens() {
    // labels have an abbreviation more, and pH and EC those of the soil card (docs/glossary.tsv)
    let short = |text: &str| text.split(" (").next().unwrap_or("").to_lowercase();
    for language in [En, Hi, Mr] {
        for sensor in SensorType::ALL {
            let said = quantity(language, sensor);
            let shown = on_screen(language, "domain", &["domain", "quantity", sensor.as_str()]);
            let has_label = matches!(sensor, SensorType::Ph | SensorType::Ec);
            assert!(
                has_label || short(said) == short(&shown),
                "{language:?} {sensor:?}: {said} in messages, {shown} on screens"
            );
        }
        for role in crate::role::Role::ALL {
            let shown = on_screen(language, "app", &["role", role.as_str()]);
            assert_eq!(role.say(language), shown);
        }
    }
}
