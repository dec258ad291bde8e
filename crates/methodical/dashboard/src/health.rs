//! The health of the mirror: how old each table is, rejected records, coverage, refused lists, and the last syncs.

use askama::Template;
use methodical_mirror::{PastRun, Rejection, TableStatus};

use crate::frame::{Frame, whole};
use crate::shared::{Problem, Shared};
use crate::time::{Time, ago};
use crate::words::{self, percent};

/// The template of the page.
#[derive(Template)]
#[template(path = "health.html")]
struct HealthPage {
    frame: Frame,
    /// Each table with its coverage and its age.
    tables: Vec<(TableStatus, Option<String>, String)>,
    /// The first rejected records, with their tables.
    rejections: Vec<(String, Rejection)>,
    /// The last syncs, with how long each took.
    runs: Vec<(String, PastRun)>,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared) -> Result<String, Problem> {
    let now = (shared.now)();
    let statuses = shared.mirror.tables()?;
    let frame = Frame::new(shared, &statuses, "/health", "Health", whole(&statuses));
    let (mut tables, mut rejections) = (Vec::new(), Vec::new());
    for status in statuses {
        if status.rejected > 0 {
            let rejected = shared.mirror.rejections(&status.table, REJECTIONS)?;
            rejections.extend(rejected.into_iter().map(|one| (status.table.clone(), one)));
        }
        let coverage = coverage(shared, &status, now)?;
        let age = status.completed_at.map(|at| ago(now.saturating_sub(at)));
        tables.push((status, coverage, age.unwrap_or_default()));
    }
    let time = |run: &PastRun| ago(run.ended_at.saturating_sub(run.started_at));
    let runs = shared.mirror.runs(RUNS)?.into_iter().map(|run| (time(&run), run)).collect();
    Ok(HealthPage { frame, tables, rejections, runs }.render()?)
}

/// Returns the share of placements with a known value, and the age of the values.
fn coverage(shared: &Shared, status: &TableStatus, now: i64) -> Result<Option<String>, Problem> {
    let board = shared.outline.board.as_ref();
    let is_shown = board.is_some_and(|board| board.placements.table == status.table);
    if !is_shown || status.completed_at.is_none() {
        return Ok(None);
    }
    let counts = shared.counts()?;
    let total = counts.all.total();
    let known = total.saturating_sub(counts.unknown());
    let age = status.values_from.map(|from| ago(now.saturating_sub(from)));
    let age = age.map(|age| format!(", up to {age} old")).unwrap_or_default();
    Ok(Some(format!("{} known{age}", percent(known, total))))
}

/// Maximum number of rejected records of a table on the page.
const REJECTIONS: usize = 20;

/// Maximum number of syncs on the page.
const RUNS: usize = 60;
