//! A message to oneself.

use super::super::{OwnWrite, Records, Write, new_id, now_ms, push};
use super::{Content, MessageKind, NewRow};
use crate::delivery::Channel;
use crate::language::Language;
use crate::records::sql;

impl Write {
    /// Writes a message that tries a way.
    pub(crate) async fn send_test(
        &mut self,
        user: &str,
        to: &str,
        channel: Channel,
        language: Language,
        content: &Content,
    ) -> Result<(), sqlx::Error> {
        let records = self.records().records.clone();
        let (farm, tx) = self.parts();
        let test = Test {
            farm: Some(farm),
            user,
            to,
            channel,
            language,
            content,
        };
        records.put_test(tx, &test).await?;
        self.after(|records| records.ways().wake());
        Ok(())
    }
}

impl OwnWrite {
    /// The same to a browser of the user's; false where it is none of theirs. Who sends is woken once it is durable.
    pub(crate) async fn send_browser_test(
        &mut self,
        records: &Records,
        browser: &str,
        language: Language,
        content: &Content,
    ) -> Result<bool, sqlx::Error> {
        let (user, tx) = self.parts();
        if !push::is_browser_of(&mut *tx, user, browser).await? {
            return Ok(false);
        }
        let test = Test {
            farm: None,
            user,
            to: browser,
            channel: Channel::Push,
            language,
            content,
        };
        records.put_test(tx, &test).await?;
        Ok(true)
    }
}

struct Test<'a> {
    farm: Option<&'a str>,
    user: &'a str,
    to: &'a str,
    channel: Channel,
    language: Language,
    content: &'a Content,
}

impl Records {
    async fn put_test(&self, tx: &mut sql::Connection, test: &Test<'_>) -> Result<(), sqlx::Error> {
        let row = NewRow {
            id: new_id(),
            cause: format!("TEST/{}/{}", new_id(), test.channel.as_str()),
            farm: test.farm,
            user: Some(test.user),
            recipient: test.to,
            channel: test.channel,
            kind: MessageKind::Test,
            language: test.language,
            content: test.content,
            about: "",
            incident: (None, None),
            critical: false,
            times: 1,
            not_before: None,
            given_up: None,
            join: None,
        };
        self.insert(tx, row, now_ms()).await
    }
}
