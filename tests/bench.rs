//! `harit bench --self`, small: every way to send, nothing lost, commands measured; and `harit bench-history`, small.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;

#[test]
fn a_small_load_is_taken_whole() {
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("results.csv");
    let runs: [&[&str]; 5] = [
        &["--window", "32", "--seconds", "3", "--warm-up", "1"],
        &["--rate", "200", "--seconds", "1", "--warm-up", "0"],
        &[
            "--qos",
            "0",
            "--rate",
            "100",
            "--seconds",
            "1",
            "--shape",
            "short",
            "--wander",
            "0",
        ],
        &[
            "--rate",
            "200",
            "--seconds",
            "1",
            "--warm-up",
            "0",
            "--shape",
            "tasmota",
        ],
        &[
            "--idle",
            "30",
            "--reconnects",
            "10",
            "--seconds",
            "2",
            "--warm-up",
            "0",
        ],
    ];
    for run in runs {
        let output = Command::new(env!("CARGO_BIN_EXE_harit"))
            .args(["bench", "--self", "--connections", "4", "--farms", "2"])
            .args(run)
            .arg("--dir")
            .arg(dir.path())
            .arg("--csv")
            .arg(&csv)
            .output()
            .unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{table}{log}");
        assert!(table.contains("nothing lost"), "{table}{log}");
    }
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let lines: Vec<Vec<&str>> = lines.map(|l| l.split(',').collect()).collect();
    assert_eq!(lines.len(), runs.len());
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    for line in &lines {
        assert_eq!(line[column("readings")], line[column("counted")]);
    }
    assert_ne!(lines[0][column("commands")], "0", "{text}");
    for counted in ["rules_fired", "commands_made", "commands_confirmed"] {
        assert_ne!(lines[0][column(counted)], "0", "{text}");
    }
    let idle = &lines[runs.len() - 1];
    assert_eq!(idle[column("reconnected")], "20", "{text}");
    for memory in ["server_memory_without_idle", "server_memory_with_idle"] {
        assert!(idle[column(memory)].parse::<u64>().unwrap() > 0, "{text}");
    }
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 1, "only the CSV is left");
}

#[test]
fn what_does_not_fit_the_limit_of_open_files_is_said_at_once() {
    let limited = r#"ulimit -n 600 && exec "$0" bench --self --connections 10 --idle 1000"#;
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_harit")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(
        said.trim_end(),
        "harit bench: 1010 connections need 1522 open files, and 600 may be open: raise the hard limit (ulimit -Hn 1522)"
    );
}

#[test]
fn a_small_year_is_put_into_each_store() {
    let dir = tempfile::tempdir().unwrap();
    let (temporary, kept) = (dir.path().join("temporary"), dir.path().join("kept"));
    std::fs::create_dir(&temporary).unwrap();
    let run = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_harit"))
            .arg("bench-history")
            .args(args)
            .env("TMPDIR", &temporary)
            .output()
            .unwrap()
    };
    let output = run(&["--days", "2", "--sensors", "3"]);
    let table = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{table}{log}");
    assert!(
        table.starts_with("year     8640 readings: 3 sensors"),
        "{table}"
    );
    let stores = ["history ", "a row a reading", "journal", "archive, Parquet"];
    for store in stores {
        assert!(table.lines().any(|l| l.starts_with(store)), "{table}");
    }
    let left = std::fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 0, "nothing is left");

    let kept_in = kept.to_str().unwrap();
    let keep = ["--days", "1", "--sensors", "1", "--dir", kept_in];
    assert!(run(&keep).status.success());
    for file in ["history.db", "rows.db", "journal", "archive"] {
        assert!(kept.join(file).exists(), "{file}");
    }
    let again = run(&keep);
    assert_eq!(again.status.code(), Some(2));
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("is not empty"), "{said}");
    for (refused, why) in [
        (["--days", "0"], "0 is not in 1..=3660"),
        (["--sensors", "501"], "501 is not in 1..=500"),
        (
            ["--postgres", "http://127.0.0.1"],
            "it must begin with postgres://",
        ),
        (
            ["--questdb", "http://127.0.0.1:1"],
            "QuestDB at http://127.0.0.1:1",
        ),
    ] {
        let output = run(&refused);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    }
}
