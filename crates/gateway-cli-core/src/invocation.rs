//! One invocation of the program.

use crate::config::flags::{CallFlags, ServiceFlags};
use crate::output::flags::OutputFlags;
use crate::program::Program;
use crate::screen::Screen;

/// One invocation of the program: its description, the flags that every command takes, and the streams of its output.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) program: Program,
    pub(crate) service: ServiceFlags,
    pub(crate) call: CallFlags,
    pub(crate) output: OutputFlags,
    pub(crate) screen: Screen,
    /// Returns what a query selects from a mirror, if the program can have one.
    #[cfg(feature = "mirror")]
    pub(crate) select: Option<crate::mirror::selected::Select>,
}
