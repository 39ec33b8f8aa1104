//! Tasks. A task has a place in its column: ranks from 0 on without gaps, for each farm and status. Whatever moves a task
//! shifts its neighbours in the same transaction, and such transactions of a farm follow one another, so that everybody
//! sees the same order however many move at once.

use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{FarmRecords, Write, new_id, now_ms};
use crate::records::sql;

/// The most tasks of a farm, closed ones included.
pub(crate) const MAX_TASKS: i64 = 2_000;

/// A word of a closed list, as it is stored and spoken.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub(crate) enum $name { $($(#[$word_doc])* $word,)+ }

        impl $name {
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text,)+ }
            }

            pub(crate) fn parse(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$word),)+ _ => None }
            }
        }
    };
}

words! {
    /// The column of a task.
    TaskStatus {
        /// Nobody has begun.
        Open = "OPEN",
        /// Somebody is at it.
        InProgress = "IN_PROGRESS",
        /// It is done and somebody looks at it.
        InReview = "IN_REVIEW",
        /// It is over.
        Closed = "CLOSED",
    }
}

words! {
    /// How much a task presses.
    TaskPriority {
        /// Now.
        Urgent = "URGENT",
        /// Soon.
        High = "HIGH",
        /// As usual.
        Medium = "MEDIUM",
        /// When there is time.
        Low = "LOW",
    }
}

words! {
    /// What a task may be about.
    TaskAboutKind {
        /// A crop cycle.
        CropCycle = "CROP_CYCLE",
        /// A zone.
        Zone = "ZONE",
        /// A device.
        Device = "DEVICE",
    }
}

/// What a task is about, by kind and id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct TaskAbout {
    pub kind: TaskAboutKind,
    pub id: String,
}

/// How many tasks there are, by status; overdue ones are counted in their status too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromRow)]
pub(crate) struct TaskCounts {
    pub open: i64,
    pub in_progress: i64,
    pub in_review: i64,
    pub closed: i64,
    pub overdue: i64,
}

/// A task as stored.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
    /// What whoever does it says of it.
    pub note: Option<String>,
    /// When its photo was taken, if it has one.
    pub photo_at: Option<i64>,
    /// Who does it, by id and name, as long as the person belongs to the farm.
    pub assignee: Option<(String, String)>,
    pub category: Option<String>,
    pub about: Option<TaskAbout>,
    /// The crop cycle that it is about, if it is there.
    pub about_cycle: Option<String>,
    pub priority: TaskPriority,
    pub status: TaskStatus,
    /// YYYY-MM-DD
    pub due_date: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// Its place in its column.
    pub rank: i64,
}

#[derive(FromRow)]
struct Row {
    id: String,
    title: String,
    description: Option<String>,
    note: Option<String>,
    photo_at: Option<i64>,
    assignee_id: Option<String>,
    assignee_name: Option<String>,
    category: Option<String>,
    about_kind: Option<String>,
    about_id: Option<String>,
    about_cycle: Option<String>,
    priority: String,
    status: String,
    due_date: String,
    created_at: i64,
    updated_at: i64,
    rank: i64,
}

impl Row {
    fn read(self) -> Option<Task> {
        Some(Task {
            about: self.about_kind.zip(self.about_id).and_then(|(kind, id)| {
                let kind = TaskAboutKind::parse(&kind)?;
                Some(TaskAbout { kind, id })
            }),
            about_cycle: self.about_cycle,
            priority: TaskPriority::parse(&self.priority)?,
            status: TaskStatus::parse(&self.status)?,
            id: self.id,
            title: self.title,
            description: self.description.filter(|d| !d.is_empty()),
            note: self.note,
            photo_at: self.photo_at,
            assignee: self.assignee_id.zip(self.assignee_name),
            category: self.category.filter(|c| !c.is_empty()),
            due_date: self.due_date,
            created_at: self.created_at,
            updated_at: self.updated_at,
            rank: self.rank,
        })
    }
}

/// What people write in a task.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TaskText {
    pub title: String,
    pub description: Option<String>,
    pub assignee_id: Option<String>,
    pub category: Option<String>,
    pub about: Option<TaskAbout>,
    pub priority: TaskPriority,
    pub status: TaskStatus,
    pub due_date: String,
}

/// Why a task was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TaskError {
    #[error("no such task")]
    Gone,
    #[error("the farm has {MAX_TASKS} tasks")]
    TooMany,
    #[error("the records failed")]
    Records(#[from] sqlx::Error),
}

const TASKS: &str = "SELECT t.id, t.title, t.description, t.note, \
    (SELECT p.taken_at FROM task_photos p WHERE p.task_id = t.id) AS photo_at, m.user_id AS assignee_id, u.name AS assignee_name, t.category, t.priority, \
    t.status, t.due_date, t.created_at, t.updated_at, t.rank, t.about_kind, t.about_id, \
    c.crop || COALESCE(' ' || c.variety, '') AS about_cycle \
    FROM tasks t LEFT JOIN crop_cycles c ON t.about_kind = 'CROP_CYCLE' AND c.id = t.about_id AND c.farm_id = t.farm_id LEFT JOIN memberships m ON m.user_id = t.assignee_id AND m.farm_id = t.farm_id LEFT JOIN users u ON u.id = m.user_id \
    WHERE t.farm_id = $1";

/// Adds a task at the end of its column.
pub(super) const INSERT: &str = "INSERT INTO tasks (id, farm_id, title, description, assignee_id, category, priority, status, due_date, created_by, \
    created_at, about_kind, about_id, updated_at, rank) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $11, \
    (SELECT COUNT(*) FROM tasks o WHERE o.farm_id = $2 AND o.status = $8))";
/// Closes the gap that a task leaves.
const CLOSE: &str =
    "UPDATE tasks SET rank = rank - 1 WHERE farm_id = $1 AND status = $2 AND rank > $3";
/// Makes room for one that comes.
const OPEN: &str =
    "UPDATE tasks SET rank = rank + 1 WHERE farm_id = $1 AND status = $2 AND rank >= $3";
/// Puts a task at its place.
const PUT: &str =
    "UPDATE tasks SET status = $3, rank = $4, updated_at = $5 WHERE farm_id = $1 AND id = $2";

impl FarmRecords {
    /// Counts the tasks; `today` is the farm's, as YYYY-MM-DD.
    pub(crate) async fn task_counts(&self, today: &str) -> Result<TaskCounts, sqlx::Error> {
        const Q: &str = "SELECT \
             COUNT(CASE WHEN status = 'OPEN' THEN 1 END) AS open, \
             COUNT(CASE WHEN status = 'IN_PROGRESS' THEN 1 END) AS in_progress, \
             COUNT(CASE WHEN status = 'IN_REVIEW' THEN 1 END) AS in_review, \
             COUNT(CASE WHEN status = 'CLOSED' THEN 1 END) AS closed, \
             COUNT(CASE WHEN status <> 'CLOSED' AND due_date < $2 THEN 1 END) AS overdue \
             FROM tasks WHERE farm_id = $1";
        sql::query_as(Q)
            .bind(self.farm())
            .bind(today)
            .fetch_one(&self.db().readers)
            .await
    }

    /// The tasks, by column and place.
    pub(crate) async fn tasks(&self) -> Result<Vec<Task>, sqlx::Error> {
        let rows: Vec<Row> = sql::query_as(TASKS)
            .bind(self.farm())
            .fetch_all(&self.db().readers)
            .await?;
        let mut tasks: Vec<Task> = rows.into_iter().filter_map(Row::read).collect();
        tasks.sort_by(|a, b| (a.status, a.rank, &a.id).cmp(&(b.status, b.rank, &b.id)));
        Ok(tasks)
    }

    /// Who can be given a task: the active people of the farm, by name.
    pub(crate) async fn assignees(&self) -> Result<Vec<(String, String)>, sqlx::Error> {
        const Q: &str = "SELECT u.id, u.name FROM memberships m JOIN users u ON u.id = m.user_id \
                         WHERE m.farm_id = $1 AND m.is_active AND u.is_active ORDER BY u.name, u.id LIMIT $2";
        sql::query_as(Q)
            .bind(self.farm())
            .bind(super::people::MAX_PEOPLE)
            .fetch_all(&self.db().readers)
            .await
    }

    /// Whether a task can be about that crop cycle.
    pub(crate) async fn has_crop_cycle(&self, id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "SELECT 1 FROM crop_cycles WHERE farm_id = $1 AND id = $2";
        let query = sql::query(Q).bind(self.farm()).bind(id);
        Ok(query.fetch_optional(self.reader()).await?.is_some())
    }

    /// Whether somebody can be given a task.
    pub(crate) async fn is_assignee(&self, user_id: &str) -> Result<bool, sqlx::Error> {
        const Q: &str = "SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id \
                         WHERE m.farm_id = $1 AND m.user_id = $2 AND m.is_active AND u.is_active";
        let row: Option<(i32,)> = sql::query_as(Q)
            .bind(self.farm())
            .bind(user_id)
            .fetch_optional(&self.db().readers)
            .await?;
        Ok(row.is_some())
    }
}

impl Write {
    /// A task as it is in this change.
    pub(crate) async fn task(&mut self, id: &str) -> Result<Task, TaskError> {
        let q = sqlx::AssertSqlSafe(format!("{TASKS} AND t.id = $2"));
        let (farm, tx) = self.parts();
        let row: Option<Row> = sql::query_as(q)
            .bind(farm)
            .bind(id)
            .fetch_optional(tx)
            .await?;
        row.and_then(Row::read).ok_or(TaskError::Gone)
    }

    /// Adds a task at the end of its column and returns its id.
    pub(crate) async fn add_task(
        &mut self,
        task: &TaskText,
        by: &str,
    ) -> Result<String, TaskError> {
        const COUNT: &str = "SELECT COUNT(*) FROM tasks WHERE farm_id = $1";
        let id = new_id();
        let (farm, tx) = self.parts();
        let (count,): (i64,) = sql::query_as(COUNT).bind(farm).fetch_one(&mut *tx).await?;
        if count >= MAX_TASKS {
            return Err(TaskError::TooMany);
        }
        sql::query(INSERT)
            .bind(&id)
            .bind(farm)
            .bind(&task.title)
            .bind(&task.description)
            .bind(&task.assignee_id)
            .bind(&task.category)
            .bind(task.priority.as_str())
            .bind(task.status.as_str())
            .bind(&task.due_date)
            .bind(by)
            .bind(now_ms())
            .bind(task.about.as_ref().map(|a| a.kind.as_str()))
            .bind(task.about.as_ref().map(|a| &a.id))
            .execute(tx)
            .await?;
        Ok(id)
    }

    /// Writes down what whoever does a task says of it.
    pub(crate) async fn note_task(
        &mut self,
        id: &str,
        note: Option<&str>,
    ) -> Result<(), sqlx::Error> {
        const Q: &str =
            "UPDATE tasks SET note = $3, updated_at = $4 WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        let query = sql::query(Q).bind(farm).bind(id).bind(note).bind(now_ms());
        query.execute(tx).await.map(drop)
    }

    /// Replaces what is written in a task; one whose status changes goes to the end of its new column.
    pub(crate) async fn change_task(
        &mut self,
        before: &Task,
        task: &TaskText,
    ) -> Result<(), sqlx::Error> {
        const TEXT: &str = "UPDATE tasks SET title = $3, description = $4, assignee_id = $5, category = $6, priority = $7, due_date = $8, \
                            updated_at = $9, about_kind = $10, about_id = $11 WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        sql::query(TEXT)
            .bind(farm)
            .bind(&before.id)
            .bind(&task.title)
            .bind(&task.description)
            .bind(&task.assignee_id)
            .bind(&task.category)
            .bind(task.priority.as_str())
            .bind(&task.due_date)
            .bind(now_ms())
            .bind(task.about.as_ref().map(|a| a.kind.as_str()))
            .bind(task.about.as_ref().map(|a| &a.id))
            .execute(tx)
            .await?;
        if before.status != task.status {
            let end = self.end(&before.id, task.status).await?;
            self.transfer(before, task.status, end).await?;
        }
        Ok(())
    }

    /// Moves a task into a column: to its top, or right after another task; to its end where that one is not there.
    pub(crate) async fn move_task(
        &mut self,
        before: &Task,
        to: TaskStatus,
        after: Option<&str>,
    ) -> Result<(), sqlx::Error> {
        let rank = match after {
            None => 0,
            Some(after) => match self.place(after).await? {
                // one place up once the task has left the same column above it
                Some((s, r)) if s == to.as_str() && after != before.id => {
                    if before.status == to && before.rank < r {
                        r
                    } else {
                        r + 1
                    }
                }
                _ => self.end(&before.id, to).await?,
            },
        };
        if before.status != to || before.rank != rank {
            self.transfer(before, to, rank).await?;
        }
        Ok(())
    }

    pub(crate) async fn delete_task(&mut self, task: &Task) -> Result<(), sqlx::Error> {
        const DELETE: &str = "DELETE FROM tasks WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        sql::query(DELETE)
            .bind(farm)
            .bind(&task.id)
            .execute(&mut *tx)
            .await?;
        sql::query(CLOSE)
            .bind(farm)
            .bind(task.status.as_str())
            .bind(task.rank)
            .execute(tx)
            .await
            .map(drop)
    }

    /// A task's column and its rank there.
    async fn place(&mut self, id: &str) -> Result<Option<(String, i64)>, sqlx::Error> {
        const PLACE: &str = "SELECT status, rank FROM tasks WHERE farm_id = $1 AND id = $2";
        let (farm, tx) = self.parts();
        sql::query_as(PLACE)
            .bind(farm)
            .bind(id)
            .fetch_optional(tx)
            .await
    }

    /// The rank at the end of a column, for that task.
    async fn end(&mut self, id: &str, column: TaskStatus) -> Result<i64, sqlx::Error> {
        const LENGTH: &str =
            "SELECT COUNT(*) FROM tasks WHERE farm_id = $1 AND status = $2 AND id <> $3";
        let (farm, tx) = self.parts();
        let (end,): (i64,) = sql::query_as(LENGTH)
            .bind(farm)
            .bind(column.as_str())
            .bind(id)
            .fetch_one(tx)
            .await?;
        Ok(end)
    }

    /// Takes a task out of its column and puts it into a column at a rank; neighbours shift.
    async fn transfer(
        &mut self,
        task: &Task,
        to: TaskStatus,
        rank: i64,
    ) -> Result<(), sqlx::Error> {
        let (farm, tx) = self.parts();
        sql::query(CLOSE)
            .bind(farm)
            .bind(task.status.as_str())
            .bind(task.rank)
            .execute(&mut *tx)
            .await?;
        sql::query(OPEN)
            .bind(farm)
            .bind(to.as_str())
            .bind(rank)
            .execute(&mut *tx)
            .await?;
        sql::query(PUT)
            .bind(farm)
            .bind(&task.id)
            .bind(to.as_str())
            .bind(rank)
            .bind(now_ms())
            .execute(tx)
            .await
            .map(drop)
    }
}
