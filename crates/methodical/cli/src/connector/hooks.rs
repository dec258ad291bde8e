//! The parts of the connectors that depend on the service.

use std::fmt;

use methodical_mirror::model::Mirrored;

use crate::connector::singer::{self, TapFlags};
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::operation_commands::OperationCommands;

/// The parts of the connectors that depend on the service.
#[derive(Clone, Copy)]
pub(crate) struct Connecting {
    pub(crate) tap: fn(&TapFlags, &Invocation) -> Result<(), Failure>,
}

impl Connecting {
    /// Creates the hooks of the service of these commands.
    pub(crate) fn of<C: OperationCommands<Service: Mirrored>>() -> Self {
        Self { tap: singer::run::<C::Service> }
    }
}

impl fmt::Debug for Connecting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}
