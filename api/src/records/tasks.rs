//! Tasks, so far as the dashboard counts them.

use sqlx::FromRow;

use super::FarmRecords;
use super::db::on;

/// How many tasks there are, by status; overdue ones are counted in their status too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, FromRow)]
pub(crate) struct TaskCounts {
    pub open: i64,
    pub in_progress: i64,
    pub in_review: i64,
    pub closed: i64,
    pub overdue: i64,
}

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
        on!(self.db(), read p => sqlx::query_as(Q).bind(self.farm()).bind(today).fetch_one(p).await)
    }
}
