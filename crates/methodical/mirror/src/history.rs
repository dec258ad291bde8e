//! The results of syncs: counts, the state of the tables, and past runs.

pub(crate) mod past_run;
pub(crate) mod past_runs;
pub(crate) mod report;
pub(crate) mod status;
