//! The async example of `docs/writing-a-transport.md` against the whole kit.

#![expect(clippy::unnecessary_wraps, reason = "the kit expects a function that can fail")]

#[path = "../../examples/pooled_transport/adapter.rs"]
mod adapter;

use gateway_transport::TransportError;
use methodical_testkit::conformance::{Setup, Subject};

use crate::adapter::{HyperTransport, Pool};

fn subject(setup: &Setup) -> Result<Subject, TransportError> {
    let Setup { connect_timeout, idle_timeout, .. } = *setup;
    let transport = HyperTransport { connect_timeout, idle_timeout, pool: Pool::default() };
    Ok(Subject::asynchronous(transport).without_tls("the example is built without TLS"))
}

methodical_testkit::conformance_tests!(subject, skip = []);

#[test]
fn the_guide_quotes_the_example() {
    let guide = include_str!("../../../../../docs/writing-a-transport.md");
    let adapter = include_str!("../../examples/pooled_transport/adapter.rs");
    assert!(
        guide.contains(adapter.trim()),
        "copy examples/pooled_transport/adapter.rs into docs/writing-a-transport.md"
    );
}
