//! The parts of the commands that depend on the service.

use std::fmt;

use methodical_mirror::model::Mirrored;

use crate::failure::Failure;
use crate::invocation::Invocation;
#[cfg(feature = "dashboard")]
use crate::mirror::dashboard::{self, DashboardFlags};
use crate::mirror::found::{Recovered, found};
use crate::mirror::selected::{Select, select};
use crate::mirror::sync::{self, SyncCommand};
use crate::mirror::watch::{self, WatchFlags};

/// The parts of the commands that depend on the service.
#[derive(Clone, Copy)]
pub(crate) struct Mirroring {
    pub(crate) sync: fn(&SyncCommand, &Invocation) -> Result<(), Failure>,
    #[cfg(feature = "dashboard")]
    pub(crate) dashboard: fn(&DashboardFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) watch: fn(&WatchFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) recovered: fn() -> Vec<Recovered>,
    pub(crate) select: Select,
    /// Returns all tables.
    pub(crate) tables: fn() -> Vec<&'static str>,
    /// Returns the tables with personal columns.
    pub(crate) personal: fn() -> Vec<&'static str>,
}

impl Mirroring {
    /// Creates the hooks of the service of a client.
    pub(crate) fn of<S: Mirrored>() -> Self {
        Self {
            sync: sync::run::<S>,
            #[cfg(feature = "dashboard")]
            dashboard: dashboard::run::<S>,
            watch: watch::run::<S>,
            recovered: || found::<S>().recovered,
            select: select::<S>,
            tables: || found::<S>().tables,
            personal: || found::<S>().personal,
        }
    }
}

impl fmt::Debug for Mirroring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirroring").finish_non_exhaustive()
    }
}
