//! The TCP timeouts of a connection.

use std::time::Duration;

use ::postgres::config::Config;

/// Sets the TCP timeouts that the URL does not set, so that the system closes a connection whose peer is gone. It would
/// otherwise notice after many minutes or never. The user timeout covers data that is not acknowledged, the keepalive
/// probes an idle connection.
pub(super) fn set_missing(config: &mut Config, patience: Duration) {
    let patience = patience.max(MIN_PATIENCE);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(MIN_PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(patience);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(patience);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(patience / PROBES);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(PROBES);
    }
}

/// Minimum TCP timeout. A shorter one would mistake a busy network for a dead one.
const MIN_PATIENCE: Duration = Duration::from_secs(5);

/// Number of unanswered keepalive probes after which a connection is closed.
const PROBES: u32 = 3;
