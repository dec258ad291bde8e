//! A field of an object around the data.

/// The purposes of a field of an object around the data.
#[expect(clippy::struct_excessive_bools, reason = "a field may have several purposes")]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    /// It is the data, or leads to it.
    pub(super) is_step: bool,
    /// It is the field that decides, or leads to it.
    pub(super) decides: bool,
    /// It is the error code, or leads to it.
    pub(super) code: bool,
    /// It is the error message, or leads to it.
    pub(super) message: bool,
    /// It is beside the list, and is kept.
    pub(super) is_beside: bool,
}
