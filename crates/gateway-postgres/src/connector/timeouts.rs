//! The timeouts of a connection.

use std::time::Duration;

use ::postgres::config::Config;

/// Sets the TCP timeouts that the URL does not set, so that the system closes a connection whose peer is gone. It would
/// otherwise notice after many minutes or never. The user timeout covers data that is not acknowledged, the keepalive
/// probes an idle connection.
///
/// Returns the time limit of TLS and the startup. Neither this limit nor that of the TCP connection exceeds `limit`.
pub(super) fn set_missing(
    config: &mut Config,
    timeout: Duration,
    limit: Option<Duration>,
) -> Duration {
    let timeout = timeout.max(MIN_TIMEOUT);
    let limit = limit.unwrap_or(Duration::MAX);
    let given = config.get_connect_timeout().copied();
    config.connect_timeout(given.unwrap_or(MIN_TIMEOUT).min(limit));
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(timeout);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(timeout);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(timeout / PROBES);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(PROBES);
    }
    given.unwrap_or(timeout).min(limit)
}

/// Minimum timeout. A shorter one would mistake a busy network for a dead one.
const MIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Number of unanswered keepalive probes after which a connection is closed.
const PROBES: u32 = 3;
