//! Commands that only some programs have, and that need more of their service than the others.

/// The hooks of these commands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// The mirror of the service, if the program can have one.
    #[cfg(feature = "mirror")]
    pub(crate) mirror: Option<crate::mirror::Mirroring>,
}

impl Extras {
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
