//! Messages to systemd, or to another supervisor that sets `NOTIFY_SOCKET` (`sd_notify(3)`). Without one, nothing is
//! sent.

use std::convert::Infallible;

use sd_notify::NotifyState;

/// Reports that the server accepts connections.
pub(super) fn ready() {
    send(NotifyState::Ready);
}

/// Reports that the server has begun to stop.
pub(super) fn stopping() {
    send(NotifyState::Stopping);
}

/// Reports twice in each watchdog interval that the runtime still runs tasks. Without a watchdog it only waits.
pub(super) async fn keep_alive() -> Infallible {
    if let Some(interval) = sd_notify::watchdog_enabled() {
        let mut beat = tokio::time::interval(interval / 2);
        loop {
            beat.tick().await;
            send(NotifyState::Watchdog);
        }
    }
    std::future::pending().await
}

/// A supervisor that cannot be reached notices that by itself, so a failure is ignored.
fn send(state: NotifyState<'_>) {
    drop(sd_notify::notify(&[state]));
}
