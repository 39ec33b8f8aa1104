//! Whether the time of an answer tells that an account exists. It measures, so it is run by hand on a quiet machine:
//! `HARIT_N=1000 cargo test --release -p harit-api --test api -- timing --ignored --nocapture`.

use std::time::{Duration, Instant};

use harit_api::{ApiConfig, Language, NewUser, NoProvider};
use serde_json::{Value, json};

use crate::support::{App, PASSWORD};

/// The medians may differ by so much.
const MEDIAN: Duration = Duration::from_millis(5);
/// Of a pair of times, one with and one without an account, a guess by the times is right so often at most.
const AREA: f64 = 0.55;

/// The body of a request about a contact.
type Ask = fn(&str) -> Value;

/// How often a time of the first is the longer one, of all pairs: 0.5 where they are the same.
fn area_under_curve(first: &[Duration], second: &[Duration]) -> f64 {
    let mut all: Vec<(Duration, bool)> = first.iter().map(|t| (*t, true)).collect();
    all.extend(second.iter().map(|t| (*t, false)));
    all.sort_unstable();
    let (mut below, mut wins) = (0_u32, 0.0);
    for (_, is_first) in all {
        if is_first {
            wins += f64::from(below);
        } else {
            below += 1;
        }
    }
    wins / (f64::from(u32::try_from(first.len()).expect("few")) * f64::from(below))
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn the_measure_measures() {
    let ms = |n: std::ops::Range<u64>| n.map(Duration::from_millis).collect::<Vec<_>>();
    assert!((area_under_curve(&ms(10..20), &ms(0..10)) - 1.0).abs() < 1e-9);
    assert!(area_under_curve(&ms(0..10), &ms(10..20)) < 1e-9);
    let even: Vec<_> = (0..1_000).step_by(2).map(Duration::from_millis).collect();
    let odd: Vec<_> = (1..1_000).step_by(2).map(Duration::from_millis).collect();
    assert!((area_under_curve(&even, &odd) - 0.5).abs() < 0.01);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures time: run by hand on a quiet machine"]
async fn no_answer_tells_by_its_time_that_an_account_exists() {
    let n: usize = std::env::var("HARIT_N").map_or(200, |n| n.parse().expect("a number"));
    let many = u32::MAX;
    let config = ApiConfig {
        sign_ins_per_contact: many,
        sign_ins_per_address: many,
        codes_per_address: many,
        ..ApiConfig::default()
    };
    let app = App::with(config, std::sync::Arc::new(NoProvider)).await;
    // a contact has one code a minute, so each is asked once; one hash serves all accounts
    let known = |i: usize| format!("known-{i:05}@kheti.test");
    let unknown = |i: usize| format!("other-{i:05}@kheti.test");
    for i in 0..n {
        let user = NewUser {
            contact: &known(i),
            phone: None,
            name: "Asha Patil",
            password: Some(PASSWORD),
            language: Language::En,
            onboarding_completed: true,
        };
        app.records.create_user(user).await.expect("a user");
    }
    let routes: [(&str, Ask); 5] = [
        (
            "/auth/login",
            |c| json!({"contact": c, "password": "a wrong one"}),
        ),
        ("/auth/send-otp", |c| json!({"contact": c})),
        (
            "/auth/verify-otp",
            |c| json!({"contact": c, "otp": "000000"}),
        ),
        (
            "/api/auth/verify-email-otp",
            |c| json!({"email": c, "code": "000000"}),
        ),
        ("/api/auth/request-email-otp", |c| json!({"email": c})),
    ];
    for (path, body) in routes {
        app.meddle("UPDATE codes SET created_at = created_at - 61000")
            .await;
        let mut times = [Vec::new(), Vec::new()];
        let mut answers = [String::new(), String::new()];
        // the first ones warm up
        for i in 0..n {
            // in turn, and not always the same one first
            for which in [i % 2, 1 - i % 2] {
                let contact = if which == 0 { known(i) } else { unknown(i) };
                let body = body(&contact);
                let start = Instant::now();
                let answer = app.post(path, &body).await;
                if i >= n / 20 {
                    times[which].push(start.elapsed());
                }
                let masked = answer.text.replace("k***", "*").replace("o***", "*");
                answers[which] = format!("{} {masked}", answer.status);
            }
        }
        assert_eq!(answers[0], answers[1], "{path}: the answers");
        let [known, unknown] = &times;
        let (a, b) = (median(known), median(unknown));
        let area = area_under_curve(known, unknown);
        eprintln!("{path}: {n} each, medians {a:?} and {b:?}, area under the curve {area:.3}");
        assert!(a.abs_diff(b) < MEDIAN, "{path}: {a:?} and {b:?}");
        assert!((1.0 - AREA..=AREA).contains(&area), "{path}: {area}");
    }
}
