//! Commands that only some programs have, and that need more of their service than the others.

use crate::invocation::Invocation;
#[cfg(feature = "mirror")]
use crate::mirror::complete;

/// The hooks of these commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// The mirror of the service, if the program can have one.
    #[cfg(feature = "mirror")]
    pub(crate) mirror: Option<crate::mirror::Mirroring>,
    /// The connectors that read the mirror.
    #[cfg(feature = "mirror")]
    pub(crate) connectors: Option<crate::connector::Connecting>,
}

impl Extras {
    /// Returns the values of an option that the mirror has.
    #[cfg(feature = "mirror")]
    pub(crate) fn values(
        self,
        option: &str,
        path: &[&str],
        from: Option<&str>,
        invocation: &Invocation,
    ) -> Vec<(String, String)> {
        self.mirror.map_or_else(Vec::new, |of| complete::values(of, option, path, from, invocation))
    }

    /// Returns no values.
    #[cfg(not(feature = "mirror"))]
    #[expect(clippy::unused_self, reason = "uses it with the feature `mirror`")]
    pub(crate) fn values(
        self,
        _option: &str,
        _path: &[&str],
        _from: Option<&str>,
        _invocation: &Invocation,
    ) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns whether the program has the commands of a mirror.
    #[cfg(feature = "mirror")]
    pub(crate) fn has_mirror(self) -> bool {
        self.mirror.is_some()
    }

    /// Returns whether the program has the commands of a mirror.
    #[cfg(not(feature = "mirror"))]
    #[expect(clippy::unused_self, reason = "uses it with the feature `mirror`")]
    pub(crate) fn has_mirror(self) -> bool {
        false
    }
}
