//! The health of the mirror: how old each table is, rejected records, refused lists, and the last syncs.

use askama::Template;
use methodical_mirror::{PastRun, Rejection, TableStatus};

use crate::frame::Frame;
use crate::shared::{Problem, Shared};
use crate::time::{Time, ago};
use crate::words;

#[derive(Template)]
#[template(path = "health.html")]
struct HealthPage {
    frame: Frame,
    /// Each table with its age.
    tables: Vec<(TableStatus, String)>,
    /// The first rejected records, with their tables.
    rejections: Vec<(String, Rejection)>,
    /// The last syncs, with how long each took.
    runs: Vec<(String, PastRun)>,
}

pub(crate) fn render(shared: &Shared) -> Result<String, Problem> {
    let now = (shared.now)();
    let statuses = shared.mirror.tables()?;
    let frame = Frame::new(shared, &statuses, "/health", "Health");
    let (mut tables, mut rejections) = (Vec::new(), Vec::new());
    for status in statuses {
        if status.rejected > 0 {
            let rejected = shared.mirror.rejections(&status.table, REJECTIONS)?;
            rejections.extend(rejected.into_iter().map(|one| (status.table.clone(), one)));
        }
        let age = status.completed_at.map(|at| ago(now.saturating_sub(at)));
        tables.push((status, age.unwrap_or_default()));
    }
    let time = |run: &PastRun| ago(run.ended_at.saturating_sub(run.started_at));
    let runs = shared.mirror.runs(RUNS)?.into_iter().map(|run| (time(&run), run)).collect();
    Ok(HealthPage { frame, tables, rejections, runs }.render()?)
}

/// Maximum number of rejected records that the page shows for a table.
const REJECTIONS: usize = 20;

/// Maximum number of syncs on the page.
const RUNS: usize = 60;
