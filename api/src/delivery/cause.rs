//! Why several things are told in one message. A cause is data: what the engine and the farm's documents say of sensors,
//! controllers, reservoirs and places, never what a text says ([decision 30](../../../docs/decisions/0030-one-cause-one-message.md)).

use serde::{Deserialize, Serialize};

use crate::language::Language::{self, En, Hi, Mr};
use crate::records::Step;

/// A controller that is offline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lost {
    pub mac: String,
    pub name: String,
    /// How many of its sensors had said something.
    pub sensors: usize,
}

/// What things that are told together have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Cause {
    /// Controllers are offline; several within a short time are a power cut as far as anybody can know.
    Outage { controllers: Vec<Lost> },
    /// What is measured is a reservoir's, of whose devices so many are locked.
    Reservoir {
        id: String,
        name: String,
        locked: usize,
    },
    /// They are of one house, or of the whole farm.
    Place {
        id: Option<String>,
        name: Option<String>,
    },
}

impl Cause {
    /// That they are of one farm, which is all that much of what comes at once has in common.
    pub(crate) const FARM: Self = Self::Place {
        id: None,
        name: None,
    };

    /// What things of one cause have in common, as a word. All that is offline in a farm is one outage.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Outage { .. } => "outage".to_owned(),
            Self::Reservoir { id, .. } => format!("reservoir/{id}"),
            Self::Place { id, .. } => format!("place/{}", id.as_deref().unwrap_or_default()),
        }
    }

    /// Takes in what is known later of the same cause.
    pub(crate) fn absorb(&mut self, other: Self) {
        match (self, other) {
            (Self::Outage { controllers }, Self::Outage { controllers: more }) => {
                for lost in more {
                    if !controllers.iter().any(|c| c.mac == lost.mac) {
                        controllers.push(lost);
                    }
                }
            }
            (mine @ Self::Reservoir { .. }, other @ Self::Reservoir { .. }) => *mine = other,
            _ => {}
        }
    }

    /// Whether it stands for so much that a single thing is told by it too.
    pub(super) const fn tells_one(&self) -> bool {
        match self {
            Self::Outage { .. } => true,
            Self::Reservoir { locked, .. } => *locked > 0,
            Self::Place { .. } => false,
        }
    }

    /// In one sentence what the cause is and how many follow: `alerts` of them are told with it.
    pub(super) fn say(&self, language: Language, step: Step, alerts: usize) -> String {
        match self {
            Self::Outage { controllers } if step == Step::Over => online(language, controllers),
            Self::Outage { controllers } => offline(language, controllers),
            Self::Reservoir { name, locked, .. } => {
                let said = counted(language, name, step, alerts);
                if *locked == 0 || step == Step::Over {
                    return said;
                }
                let n = language.digits(&locked.to_string());
                match language {
                    En if *locked == 1 => format!("{said}, 1 of its devices is locked"),
                    En => format!("{said}, {n} of its devices are locked"),
                    Hi if *locked == 1 => format!("{said}, इसके एक उपकरण पर ताला लगा है"),
                    Hi => format!("{said}, इसके {n} उपकरणों पर ताला लगा है"),
                    Mr if *locked == 1 => format!("{said}, त्याचे एक उपकरण कुलूपबंद आहे"),
                    Mr => format!("{said}, त्याची {n} उपकरणे कुलूपबंद आहेत"),
                }
            }
            Self::Place { name, .. } => {
                let farm = match language {
                    En => "Whole farm",
                    Hi => "पूरा फ़ार्म",
                    Mr => "संपूर्ण शेत",
                };
                counted(language, name.as_deref().unwrap_or(farm), step, alerts)
            }
        }
    }
}

fn counted(language: Language, place: &str, step: Step, alerts: usize) -> String {
    let n = language.digits(&alerts.to_string());
    let one = alerts == 1;
    let said = match (language, step) {
        (En, Step::Raised) if one => "1 alert".to_owned(),
        (En, Step::Raised) => format!("{n} alerts"),
        (En, Step::Repeated) if one => "1 alert still raised".to_owned(),
        (En, Step::Repeated) => format!("{n} alerts still raised"),
        (En, Step::Over) if one => "1 alert is over".to_owned(),
        (En, Step::Over) => format!("{n} alerts are over"),
        (Hi, Step::Raised) if one => format!("{n} चेतावनी"),
        (Hi, Step::Raised) => format!("{n} चेतावनियाँ"),
        (Hi, Step::Repeated) if one => format!("{n} चेतावनी जारी है"),
        (Hi, Step::Repeated) => format!("{n} चेतावनियाँ जारी हैं"),
        (Hi, Step::Over) if one => format!("{n} चेतावनी ख़त्म हुई"),
        (Hi, Step::Over) => format!("{n} चेतावनियाँ ख़त्म हुईं"),
        (Mr, Step::Raised) if one => format!("{n} इशारा"),
        (Mr, Step::Raised) => format!("{n} इशारे"),
        (Mr, Step::Repeated) if one => format!("{n} इशारा अजून जारी आहे"),
        (Mr, Step::Repeated) => format!("{n} इशारे अजून जारी आहेत"),
        (Mr, Step::Over) if one => format!("{n} इशारा संपला"),
        (Mr, Step::Over) => format!("{n} इशारे संपले"),
    };
    format!("{place}: {said}")
}

/// "Controller X is offline: 12 sensors are silent"
fn offline(language: Language, controllers: &[Lost]) -> String {
    let sensors: usize = controllers.iter().map(|c| c.sensors).sum();
    let who = match (language, controllers) {
        (En, [one]) => format!("Controller {} is offline", one.name),
        (Hi, [one]) => format!("कंट्रोलर {} से संपर्क टूटा", one.name),
        (Mr, [one]) => format!("कंट्रोलर {} शी संपर्क तुटला", one.name),
        (_, many) => {
            let k = language.digits(&many.len().to_string());
            match language {
                En => format!("{k} controllers are offline, perhaps a power cut"),
                Hi => format!("{k} कंट्रोलरों से संपर्क टूटा, शायद बिजली गई है"),
                Mr => format!("{k} कंट्रोलरशी संपर्क तुटला, कदाचित वीज गेली आहे"),
            }
        }
    };
    let n = language.digits(&sensors.to_string());
    match language {
        _ if sensors == 0 => who,
        En if sensors == 1 => format!("{who}: 1 sensor is silent"),
        En => format!("{who}: {n} sensors are silent"),
        Hi if sensors == 1 => format!("{who}: {n} सेंसर से रीडिंग नहीं आ रही"),
        Hi => format!("{who}: {n} सेंसरों से रीडिंग नहीं आ रही"),
        Mr => format!("{who}: {n} सेन्सरकडून रीडिंग येत नाही"),
    }
}

fn online(language: Language, controllers: &[Lost]) -> String {
    let k = language.digits(&controllers.len().to_string());
    match (language, controllers) {
        (En, [one]) => format!("Controller {} is online again", one.name),
        (Hi, [one]) => format!("कंट्रोलर {} से फिर संपर्क हुआ", one.name),
        (Mr, [one]) => format!("कंट्रोलर {} शी पुन्हा संपर्क झाला", one.name),
        (En, _) => format!("{k} controllers are online again"),
        (Hi, _) => format!("{k} कंट्रोलरों से फिर संपर्क हुआ"),
        (Mr, _) => format!("{k} कंट्रोलरशी पुन्हा संपर्क झाला"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(mac: &str, sensors: usize) -> Lost {
        Lost {
            mac: mac.to_owned(),
            name: format!("North {mac}"),
            sensors,
        }
    }

    fn outage(controllers: &[Lost]) -> Cause {
        Cause::Outage {
            controllers: controllers.to_vec(),
        }
    }

    #[test]
    fn a_cause_says_what_it_is_and_how_many_follow() {
        let one = outage(&[lost("1", 12)]);
        assert_eq!(
            one.say(En, Step::Raised, 0),
            "Controller North 1 is offline: 12 sensors are silent"
        );
        assert!(one.say(Hi, Step::Raised, 0).contains("12 सेंसरों"));
        assert!(one.say(Mr, Step::Raised, 0).contains("१२ सेन्सर"));
        let mut cut = one.clone();
        cut.absorb(outage(&[lost("2", 3), lost("1", 12)]));
        assert_eq!(
            cut.say(En, Step::Raised, 0),
            "2 controllers are offline, perhaps a power cut: 15 sensors are silent"
        );
        assert_eq!(cut.say(En, Step::Over, 0), "2 controllers are online again");
        assert_eq!(cut.key(), one.key());
        let mut tank = Cause::Reservoir {
            id: "r1".into(),
            name: "Tank".into(),
            locked: 0,
        };
        assert!(!tank.tells_one());
        tank.absorb(Cause::Reservoir {
            id: "r1".into(),
            name: "Tank".into(),
            locked: 2,
        });
        assert_eq!(
            tank.say(En, Step::Raised, 1),
            "Tank: 1 alert, 2 of its devices are locked"
        );
        let farm = Cause::FARM;
        assert_eq!(
            farm.say(En, Step::Repeated, 3),
            "Whole farm: 3 alerts still raised"
        );
        assert_eq!(farm.say(Mr, Step::Over, 3), "संपूर्ण शेत: ३ इशारे संपले");
    }
}
