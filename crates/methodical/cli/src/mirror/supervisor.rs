//! Messages to systemd, or to another supervisor that sets `NOTIFY_SOCKET` (`sd_notify(3)`). Without one, nothing is sent.

use sd_notify::NotifyState;

/// Reports what the program does.
pub(crate) fn status(text: &str) {
    send(NotifyState::Status(text));
}

/// Reports that the program is ready.
pub(crate) fn ready() {
    send(NotifyState::Ready);
}

/// Reports that the program has begun to stop.
pub(crate) fn stopping() {
    send(NotifyState::Stopping);
}

/// A supervisor that cannot be reached notices that by itself, so a failure is ignored.
fn send(state: NotifyState<'_>) {
    drop(sd_notify::notify(&[state]));
}
