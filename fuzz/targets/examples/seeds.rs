//! Writes the first corpora, `fuzz/corpus/TARGET/seed-*`: from there on the fuzzer finds its way.

use std::path::Path;
use std::{fs, io};

use harit_engine::{Engine, FarmDocument};

const TEXTS: [(&str, &[&str]); 10] = [
    (
        "topic",
        &[
            "harit/1/f1/A4CF120B9E01/telemetry",
            "harit/1/f1/A4CF120B9E01/command",
            "harit/1//a4cf120b9e01/state",
            "harit/2/f1/x",
        ],
    ),
    (
        "telemetry",
        &[
            r#"{"ts":1700000000000,"sensors":[{"id":"t1","type":"temperature","unit":"°C","latestValue":27.4},{"type":"ph","latestValue":null}]}"#,
            r#"[{"sensors":[{"id":"a\n\u00e9","latestValue":-27.4e-3,"x":[[{"a":1}]]}]},{"sensors":[]}]"#,
            r#"{"sensors":[{"id":"t1","type":"temperature","latestValue":"NaN"},{"id":"","latestValue":1e400}]}"#,
        ],
    ),
    (
        "state",
        &[
            r#"{"online":true,"firmware":"1.2","sensors":[{"id":"t1","type":"temperature"}],"devices":[{"id":"fan-1","type":"fan","on":true,"value":40,"lock":null,"safety":false}]}"#,
            r#"{"online":false}"#,
            r#"{"online":true,"devices":[{"id":"dose-1","type":"dosing_pump","lock":"empty tank"},7,{"id":""}]}"#,
        ],
    ),
    (
        "ack",
        &[
            r#"{"command_id":"f1-1","status":"ack"}"#,
            r#"{"command_id":"f1-2","status":"failure","message":"relay stuck"}"#,
            r#"{"command_id":7,"status":"later"}"#,
        ],
    ),
    (
        "number",
        &[
            "27.4",
            "-0.0000005",
            "1e308",
            "0.00000049999999999",
            "100.0000001",
            "NaN",
            "1.5E-3",
            "99.9999999",
        ],
    ),
    (
        "jsonl",
        &[
            "{\"at\":1,\"input\":\"reading\",\"sensor\":\"t1\",\"value\":27.4}\n{\"at\":2,\"input\":\"tick\"}\n{\"at\":3,\"input\":\"resumed\"}",
            r#"{"at":1,"input":"manual","device":"d","cmd_type":"override","action":"on","duration_sec":5,"admin":true,"owner":{"user_id":"u","name":"N"}}"#,
            r#"{"at":1,"input":"device","device":"d","lock":null,"online":true,"safety":false}"#,
            r#"{"at":1,"input":"rule","rule":{"id":"r","name":"R","scope":{"type":"farm"},"trigger":{"sensor_type":"ph","operator":"gt","value":7},"actions":[]}}"#,
            r#"{"at":1,"input":"registry","changes":[{"delete_sensor":"s"},{"settings":{"min_samples":3}}]}"#,
            "{\"at\":1,\"input\":\"controller\",\"mac\":\"A4CF120B9E01\",\"scope\":{\"type\":\"farm\"}}\n{\"at\":2,\"input\":\"gone\",\"mac\":\"a4:cf:12:0b:9e:01\"}\n{\"at\":3,\"input\":\"unsent\",\"commands\":[1,2]}\n{\"at\":4,\"input\":\"way_out\"}",
            r#"{"at":1,"input":"telemetry","mac":"A4CF120B9E01","ts":0,"backlog":true,"seq":7,"crc":8,"sensors":[{"id":"t1","type":"temperature","unit":"°C","value":27.4},{"type":"salt","value":null},{"value":"NaN"}]}"#,
            r#"{"at":1,"input":"report","mac":"A4CF120B9E01","report":{"online":true,"firmware":"1","sensors":[{"id":"t","type":"ph"}],"devices":[{"id":"f","type":"fan","supportedActions":["on",1.5],"on":true,"value":40.25,"lock":null,"lease_over":true}]}}"#,
            r#"{"at":1,"input":"ack","mac":"A4CF120B9E01","command":7,"status":"failure","message":"dry"}"#,
        ],
    ),
    (
        "replay_csv",
        &[
            "at,sensor,value\n1576450800000,t1,27.4\n2019-12-15T23:00:00Z,t1,-0.5\r\n2019-12-16T04:30:00.000+05:30,t2,1e-3\n",
            "\u{feff}at,sensor,value\r\n0,t1,\n-1,t1,NaN\n5,\"t1,-Infinity\n\n",
            "1,t1\n1,t1,2,3\nyesterday,t1,2\n1,,2\n1,t1,warm\n1,t\\1,+5\n1,t1,.5\n9223372036854775807,t1,1E400\n",
        ],
    ),
    (
        "rule_document",
        &[
            r#"{"id":"r","name":"R","deployed":true,"scope":{"type":"zone","zoneId":"z1"},"trigger":{"sensor_type":"temperature","operator":"between","value":20,"value_max":25.5},"stop_condition":{"sensor_type":"ph","operator":"lt","value":5,"duration_sec":60},"actions":[{"device_id":"fan-1","command":{"action":"on"}},{"device_id":"dose-1","command":{"action":"pulse","value":5},"delay_sec":7}],"on_signal_lost":"hold","priority":10}"#,
            r#"{"id":"rest","name":"","scope":{"type":"zone"},"trigger":{"sensor_type":"heat","operator":"gt","value":1e9},"actions":[{"command":{"action":"fly"}}]}"#,
            r#"{"id":"cool","name":"Cool","scope":{"type":"farm"},"trigger":{"sensor_type":"light_intensity","operator":"eq","value":5},"actions":[{"device_id":"nobody","command":{"action":"off"}}]}"#,
        ],
    ),
    (
        "alert_document",
        &[
            r#"{"id":"hot","name":"Hot","repeatsIn":1,"repeatUnit":"hours","match":"any","conditions":[{"id":1,"sensor":"Temperature","operator":">","value":38,"unit":"°C"},{"sensor":"pH","operator":"<=","value":5}],"hold_sec":60,"lastTriggered":"2026-01-01T00:00:00Z","channels":["email"]}"#,
            r#"{"id":"a","name":"A","repeatsIn":0,"repeatUnit":"weeks","conditions":[]}"#,
            r#"{"id":"a","name":"A","repeatsIn":3,"repeatUnit":"days","lastTriggered":-5,"conditions":[{"sensor":"EC","operator":"=","value":2}],"isActive":false}"#,
            r#"{"id":"worst","name":"W","repeatsIn":3,"repeatUnit":"minutes","evidence":"worst","severity":"critical","conditions":[{"sensor":"Temperature","operator":">=","value":38},{"sensor":"pH","operator":"=","value":7}]}"#,
        ],
    ),
    (
        "farm_document",
        &[
            include_str!("../src/farm.json"),
            r#"{"farm":{"id":"f","name":"F"}}"#,
            r#"{"farm":{"id":"","name":"F","settings":{"min_samples":11}},"polyhouses":[{"id":"p","name":"P"},{"id":"p","name":"P"}],"devices":[{"id":"d","type":"dosing_pump","rest":{"action":"on"},"max_on_sec":null}]}"#,
        ],
    ),
];

/// Rows of records: who reads `farm_records/source.rs` reads them. In most, controller 0 is born with its fan and vent, and its
/// fan is switched on.
const RECORDS: [(&str, &[u8]); 16] = [
    (
        "rule-fires-and-is-confirmed",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x00, 0, 0x00, 0x00, 0x08, 0x08, 0x06, 0, 0x09, 0x53, 0,
            0x90, 0x04, 0x01, 0x0f, 0, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
        ],
    ),
    (
        "lease-ran-out",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x56, 0, 0x09, 0x53, 0, 0x90, 0x04, 0x01,
            0xc8, 0x0f, 0, 0x53, 0, 0x90, 0x41, 0x01, 0x0f, 0, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08,
            0x08, 0x53, 0, 0x90, 0x04, 0x01,
        ],
    ),
    (
        "keeps-stopping",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x56, 0, 0x09, 0x53, 0, 0x90, 0x04, 0x01,
            0xc3, 0, 0x90, 0x01, 0x01, 0x13, 0, 0x90, 0x04, 0x01, 0xc3, 0, 0x90, 0x01, 0x01, 0x13,
            0, 0x90, 0x04, 0x01, 0x0f, 0, 0xc3, 0, 0x90, 0x01, 0x01, 0x13, 0, 0x90, 0x04, 0x01,
            0xc3, 0, 0x90, 0x01, 0x01, 0x0f, 0, 0x08, 0x08, 0x0c, 0, 0x35, 0x08, 0x08,
        ],
    ),
    (
        "keeps-starting-after-a-pulse",
        &[
            0x03, 1, 0x20, 0x01, 0x0c, 1, 0x52, 0x56, 1, 0x09, 0x53, 1, 0x20, 0x00, 0x93, 1, 0x20,
            0x01, 0xb3, 1, 0x20, 0x00, 0x08, 0x0f, 0, 0x08, 0x08, 0x13, 1, 0x20, 0x01, 0xc3, 1,
            0x20, 0x00, 0x08, 0x08, 0x13, 1, 0x20, 0x01, 0xc3, 1, 0x20, 0x00, 0x08, 0x08, 0x08,
        ],
    ),
    (
        "release-and-what-follows",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x56, 0, 0x09, 0x53, 0, 0x90, 0x04, 0x01,
            0x5c, 0, 0x03, 0x0f, 0, 0x06, 0, 0x0a, 0x56, 0, 0x09, 0x0f, 0, 0x53, 0, 0x90, 0x01,
            0x01, 0x08,
        ],
    ),
    (
        "unsent-until-there-is-a-way-out",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x0b, 0x05, 0x0f, 0, 0x08, 0x0b, 0x05, 0x5b,
            0x00, 0x0c, 0, 0x03, 0x0b, 0x0d, 0x0f, 0, 0x9b, 0x00, 0x08, 0x08,
        ],
    ),
    (
        "given-up-and-begun-anew",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x08, 0x08, 0x08, 0x08, 0x0f, 0, 0x53, 0,
            0x90, 0x01, 0x01, 0x08, 0x0f, 0, 0x93, 0, 0x90, 0x01, 0x01, 0x0f, 0, 0x08, 0x06, 0,
            0x09, 0x08, 0x08,
        ],
    ),
    (
        "panel-lets-go-of-what-a-person-locked",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x53, 0, 0x90, 0x15, 0x01, 0x0c, 0, 0x06,
            0x0f, 0, 0x53, 0, 0x90, 0x24, 0x01, 0x08, 0x08, 0x08, 0x0c, 0, 0x05, 0x08,
        ],
    ),
    (
        "adopted-renamed-refused",
        &[
            0x00, 1, 0x18, 0x05, 0x00, 0x04, 0x0d, 0x0f, 0, 0x00, 1, 0x18, 0x01, 0x01, 0x0e, 0x08,
            0x00, 0, 0x18, 0x01, 0x05, 0x0a, 0x0b, 0x0f, 0, 0x0e, 0x00, 2, 0x00, 1, 0x08, 0x05,
            0x06, 0x00, 0, 0x08, 0x0c, 0x07,
        ],
    ),
    (
        "carried-to-another-controller",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x56, 0, 0x09, 0x0e, 0x15, 0, 0x0f, 0, 0x08,
            0x06, 1, 0x09, 0x53, 1, 0x30, 0x01, 0x01, 0x08, 0x0e, 0x05, 0, 0x0f, 0, 0x0c, 0, 0x60,
            0x08,
        ],
    ),
    (
        "deleted-with-what-is-under-way",
        &[
            0x03, 1, 0x20, 0x01, 0x0c, 1, 0x60, 0x5c, 1, 0x03, 0x0f, 6, 0x0f, 0x0e, 0x0e, 0x23, 0,
            0x0f, 0, 0x06, 1, 0x09, 0x08, 0x03, 1, 0x20, 0x01,
        ],
    ),
    (
        "drifting-over-a-restart",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x0c, 0, 0x60, 0x56, 0, 0x09, 0xb8, 0x0f, 0, 0x0f, 2, 0x08,
            0x08, 0x08, 0x0f, 2, 0x0f, 0, 0x08, 0x08, 0x08, 0x53, 0, 0x90, 0x04, 0x01, 0x08,
        ],
    ),
    (
        "stopped-and-let-go",
        &[
            0x03, 0, 0x90, 0x00, 0x00, 0x0c, 0, 0x0c, 0x0f, 0, 0x56, 0, 0x09, 0xb8, 0x0c, 0, 0x15,
            0x08, 0x08, 0x0c, 2, 0x15, 0x08, 0x5f, 3, 0, 0x53, 0, 0x90, 0x01, 0x01,
        ],
    ),
    (
        "delivered-twice",
        &[
            0x00, 0, 0x80, 0x00, 0x00, 0, 0x80, 0x00, 0x0f, 0, 0x00, 0, 0x80, 0x10, 0x00, 1, 0x80,
            0x04, 0x00, 0, 0xa0, 0x00, 0x08, 0x00, 0, 0xa0, 0x10,
        ],
    ),
    (
        "other-types",
        &[
            0x03, 0, 0x92, 0x07, 0x01, 0x01, 0x03, 0, 0x92, 0x87, 0x81, 0xc0, 0x01, 0x0f, 0, 0x00,
            0, 0x18, 0x00, 0x01, 0x02, 0x0c, 0x03, 0, 0x92, 0x01, 0x01, 0x01, 0x00, 0, 0x08, 0x03,
            0x01,
        ],
    ),
    (
        "late-ticks",
        &[
            0x03, 0, 0x90, 0x01, 0x01, 0x00, 0, 0x00, 0x10, 0xca, 0x00, 0, 0x00, 0x10, 0x8a, 0x06,
            0, 0x0a, 0xda, 0x0f, 0, 0xfa, 0xfa,
        ],
    ),
];

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let write = |target: &str, n: usize, bytes: &[u8]| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("seed-{n}")), bytes)
    };
    for (target, texts) in TEXTS {
        for (n, text) in texts.iter().enumerate() {
            write(target, n, text.as_bytes())?;
        }
    }
    let folder = corpus.join("farm_records");
    fs::create_dir_all(&folder)?;
    for (name, bytes) in RECORDS {
        fs::write(folder.join(name), bytes)?;
    }
    // A multiplicative generator is enough to begin with, and gives the same bytes each time.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bytes = |n: usize| -> Vec<u8> {
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        (0..n).map(next).collect()
    };
    for n in 0..6 {
        write("engine_inputs", n, &bytes(100 + 150 * n))?;
        write("journal_batch", n, &bytes(64 + 32 * n))?;
    }
    for n in 0..6 {
        write("program_inputs", n, &bytes(101 + 150 * n))?;
    }
    let farm: FarmDocument = serde_json::from_str(include_str!("../src/farm.json"))?;
    let engine = Engine::new(&farm).map_err(|e| io::Error::other(e.to_string()))?;
    let stored = engine.snapshot();
    let body = stored.iter().position(|b| *b == b'\n').map_or(0, |i| i + 1);
    write("snapshot", 0, &stored)?;
    write("snapshot", 1, &stored[body..])?;
    write("snapshot", 2, &stored[..stored.len() / 2])
}
