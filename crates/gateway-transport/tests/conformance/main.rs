//! Runs the whole conformance kit on every adapter.

mod subjects;

use std::sync::Mutex;

use methodical_testkit::conformance::{CHECKS, Verdict, run_one};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use crate::subjects::ADAPTERS;

macro_rules! adapters {
    ($($name:ident),+ $(,)?) => {
        $(mod $name {
            methodical_testkit::conformance_tests!(crate::subjects::$name);
        })+

        #[test]
        fn every_adapter_is_tested() {
            assert_eq!(ADAPTERS.len(), [$(stringify!($name)),+].len());
        }
    };
}

adapters!(reqwest, reqwest_blocking, ureq, on_thread, tower);

/// The secrecy checks of the kit send a token. This test searches everything that the adapters and their libraries log.
#[test]
fn the_token_is_never_logged() {
    static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    let layer = fmt::layer().with_ansi(false).with_writer(|| LOG.make_writer());
    // This target prints every byte that is sent and received: see the documentation of `UreqTransport`.
    let targets = Targets::new()
        .with_default(LevelFilter::TRACE)
        .with_target("ureq_proto::util", LevelFilter::OFF);
    tracing_subscriber::registry().with(layer.with_filter(targets)).init();
    let secrecy = CHECKS.iter().filter(|check| check.group() == "secrecy");
    let all = ADAPTERS.iter().flat_map(|one| secrecy.clone().map(move |check| (one, check)));
    for (adapter, check) in all {
        let finding = run_one(adapter.factory, check, &[]);
        let failed = matches!(finding.verdict, Verdict::Fail(_));
        assert!(!failed, "{}: {finding}", adapter.title);
    }
    let text = String::from_utf8_lossy(&LOG.lock().unwrap()).into_owned();
    assert!(text.lines().count() > 100, "too few lines were logged");
    for secret in ["canarytoken", "canaryperson"] {
        let line = text.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} was logged");
    }
}
