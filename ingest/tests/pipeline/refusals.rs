//! What the endpoint refused, as the farm's people find it.

use std::net::IpAddr;
use std::time::Duration;

use harit_ingest::mqtt::{Principal, Refused};
use harit_protocol::Reject;

use crate::world::{FARM, MAC, World, mac};

/// The farm's letters, as soon as so many are stored.
async fn letters(w: &World, farm: &str, count: usize) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for _ in 0..100 {
        found = w.hub.dead_letters(&farm.into(), 100).await.unwrap();
        if found.len() >= count {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let of = |l: harit_ingest::dead_letter::DeadLetter| (l.topic, l.reason, text(l.payload));
    found.into_iter().map(of).collect()
}

#[tokio::test]
async fn a_farm_finds_why_its_controller_does_not_connect() {
    let w = World::new().await;
    let controller = Principal::Controller {
        farm: FARM.into(),
        mac: mac(MAC),
    };
    let stranger = Refused {
        reason: Reject::BadCredentials,
        from: None,
        username: "a4:cf:12:0b:9e:01",
        client_id: "esp\n32",
        address: IpAddr::from([10, 0, 0, 7]),
        topic: None,
        payload: b"",
        detail: "",
    };
    let uplink = w.hub.uplink();
    uplink.refused(&stranger);
    // A name that no controller has is no farm's, and an address alone is nobody's.
    for username in ["", "nobody"] {
        uplink.refused(&Refused {
            username,
            ..stranger
        });
    }
    uplink.refused(&Refused {
        reason: Reject::Certificate,
        detail: "it ended",
        ..stranger
    });
    uplink.refused(&Refused {
        reason: Reject::ForeignWill,
        from: Some(&controller),
        topic: Some("tele/x/LWT"),
        payload: b"Offline",
        ..stranger
    });
    uplink.refused(&Refused {
        reason: Reject::ForeignFilter,
        from: Some(&controller),
        topic: Some("cmnd/x/#"),
        ..stranger
    });
    let own = format!("harit/1/{FARM}/{MAC}");
    let mut all = letters(&w, FARM, 4).await;
    all.sort();
    let expected = [
        (
            "(connect)",
            "bad_credentials",
            r#"client id "esp\n32" from 10.0.0.7"#,
        ),
        (
            "(connect)",
            "certificate",
            r#"client id "esp\n32" from 10.0.0.7: it ended"#,
        ),
        ("cmnd/x/#", "foreign_filter", ""),
        ("tele/x/LWT", "foreign_will", "Offline"),
    ];
    let expected = expected.map(|(topic, reason, said)| {
        (
            format!("{own} -> {topic}"),
            reason.to_owned(),
            said.to_owned(),
        )
    });
    assert_eq!(all, expected);
    let nobodys = letters(&w, "", 1).await;
    assert_eq!(nobodys.len(), 1, "{nobodys:?}");
    assert_eq!(nobodys[0].0, "nobody -> (connect)");
}
