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

#[cfg(test)]
mod tests {
    use super::{Config, Duration, set_missing};

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn missing_timeouts_follow_from_the_given_one() {
        let mut config = Config::new();
        assert_eq!(set_missing(&mut config, seconds(30), None), seconds(30));
        assert_eq!(config.get_connect_timeout(), Some(&seconds(5)));
        assert_eq!(config.get_tcp_user_timeout(), Some(&seconds(30)));
        assert_eq!(config.get_keepalives_idle(), seconds(30));
        assert_eq!(config.get_keepalives_interval(), Some(seconds(10)));
        assert_eq!(config.get_keepalives_retries(), Some(3));
    }

    #[test]
    fn timeouts_of_the_url_are_kept() {
        let mut config = Config::new();
        config.connect_timeout(seconds(7)).tcp_user_timeout(seconds(8));
        config.keepalives_idle(seconds(9)).keepalives_interval(seconds(1)).keepalives_retries(4);
        assert_eq!(set_missing(&mut config, seconds(30), None), seconds(7));
        assert_eq!(config.get_connect_timeout(), Some(&seconds(7)));
        assert_eq!(config.get_tcp_user_timeout(), Some(&seconds(8)));
        assert_eq!(config.get_keepalives_idle(), seconds(9));
        assert_eq!(config.get_keepalives_interval(), Some(seconds(1)));
        assert_eq!(config.get_keepalives_retries(), Some(4));
    }

    #[test]
    fn the_limit_shortens_the_connection_and_the_startup() {
        let mut config = Config::new();
        assert_eq!(set_missing(&mut config, seconds(30), Some(seconds(2))), seconds(2));
        assert_eq!(config.get_connect_timeout(), Some(&seconds(2)));
        // A timeout that is shorter than a pause in the network would close good connections.
        assert_eq!(set_missing(&mut config, seconds(1), None), seconds(2));
        let mut config = Config::new();
        assert_eq!(set_missing(&mut config, seconds(1), None), seconds(5));
        assert_eq!(config.get_tcp_user_timeout(), Some(&seconds(5)));
    }
}
