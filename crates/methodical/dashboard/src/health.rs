//! The health of the mirror: how old each table is, rejected records, coverage, refused lists, and the last syncs.

use askama::Template;
use methodical_mirror::{PastRun, TableStatus};

use crate::frame::{Frame, whole};
use crate::shared::{Problem, Shared};
use crate::time::{ago, machine, minute};
use crate::words::{grouped, label, percent};

/// The template of the page.
#[derive(Template)]
#[template(path = "health.html")]
struct HealthPage {
    frame: Frame,
    tables: Vec<TableRow>,
    rejections: Vec<Rejected>,
    runs: Vec<RunRow>,
}

/// The state of a table.
struct TableRow {
    name: String,
    present: String,
    missing: String,
    rejected: String,
    has_rejected: bool,
    completed: Option<(String, String)>,
    ago: String,
    coverage: Option<String>,
}

/// A rejected record.
struct Rejected {
    table: String,
    /// Its position in the list, counted from 0.
    index: String,
    /// Without values of the record.
    reason: String,
}

/// A sync of a table.
struct RunRow {
    minute: String,
    machine: String,
    table: String,
    outcome: &'static str,
    reason: String,
    added: String,
    changed: String,
    missing: String,
    gone: String,
    rejected: String,
    seconds: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared) -> Result<String, Problem> {
    let now = (shared.now)();
    let statuses = shared.mirror.tables()?;
    let runs = shared.mirror.runs(RUNS)?;
    let mut tables = Vec::with_capacity(statuses.len());
    for status in &statuses {
        tables.push(table(shared, status, now)?);
    }
    let here = "/health".to_owned();
    let page = HealthPage {
        frame: Frame::new(shared, &statuses, "/health", "Health", whole(&statuses), here),
        tables,
        rejections: rejections(shared, &statuses)?,
        runs: runs.iter().map(run).collect(),
    };
    Ok(page.render()?)
}

/// Reads the first rejected records of each table.
fn rejections(shared: &Shared, statuses: &[TableStatus]) -> Result<Vec<Rejected>, Problem> {
    let mut all = Vec::new();
    for status in statuses.iter().filter(|status| status.rejected > 0) {
        for rejection in shared.mirror.rejections(&status.table, REJECTIONS)? {
            all.push(Rejected {
                table: label(&status.table),
                index: grouped(rejection.index),
                reason: rejection.reason,
            });
        }
    }
    Ok(all)
}

fn table(shared: &Shared, status: &TableStatus, now: i64) -> Result<TableRow, Problem> {
    let boards = &shared.outline.boards;
    let board = boards.iter().find(|board| board.placements.table == status.table);
    let coverage = match board.filter(|_| status.completed_at.is_some()) {
        Some(board) => {
            let counts = shared.counts()?.of(board);
            let total: u64 = counts.sums.iter().sum();
            let known = total.saturating_sub(counts.unknown());
            let age = status.values_from.map(|from| ago(now.saturating_sub(from)));
            let age = age.map(|age| format!(", up to {age} old")).unwrap_or_default();
            Some(format!("{} known{age}", percent(known, total)))
        }
        None => None,
    };
    Ok(TableRow {
        name: label(&status.table),
        present: grouped(status.present),
        missing: grouped(status.missing),
        rejected: grouped(status.rejected),
        has_rejected: status.rejected > 0,
        completed: status.completed_at.map(|at| (minute(at), machine(at))),
        ago: status.completed_at.map(|at| ago(now.saturating_sub(at))).unwrap_or_default(),
        coverage,
    })
}

fn run(run: &PastRun) -> RunRow {
    let report = &run.report;
    RunRow {
        minute: minute(run.started_at),
        machine: machine(run.started_at),
        table: label(&run.table),
        outcome: run.outcome.as_str(),
        reason: run.reason.clone().unwrap_or_default(),
        added: grouped(report.added),
        changed: grouped(report.changed),
        missing: grouped(report.missing),
        gone: grouped(report.gone),
        rejected: grouped(report.rejected),
        seconds: ago(run.ended_at.saturating_sub(run.started_at)),
    }
}

/// Maximum number of rejected records of a table on the page.
const REJECTIONS: usize = 20;

/// Maximum number of syncs on the page.
const RUNS: usize = 60;
