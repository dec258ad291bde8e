//! The async examples of `docs/writing-a-transport.md` against the whole kit.

#![expect(clippy::unnecessary_wraps, reason = "the kit expects a function that can fail")]

#[path = "../../examples/pooled_transport/adapter.rs"]
mod adapter;
mod local;

use gateway_transport::TransportError;
use methodical_testkit::conformance::{Setup, Subject};

use crate::adapter::{HyperTransport, Pool};

fn subject(setup: &Setup) -> Result<Subject, TransportError> {
    let Setup { connect_timeout, idle_timeout, .. } = *setup;
    let transport = HyperTransport { connect_timeout, idle_timeout, pool: Pool::default() };
    Ok(Subject::asynchronous(transport).without_tls("the example is built without TLS"))
}

methodical_testkit::conformance_tests!(subject);

/// The example for a client that is not `Send`, over the example above.
mod on_one_thread {
    use std::rc::Rc;

    use futures_util::stream::try_unfold;
    use gateway_transport::{Request, Transport as _, TransportError};
    use methodical_testkit::conformance::{Setup, Subject};

    use crate::adapter::{HyperTransport, Pool};
    use crate::local::{LocalBody, LocalClient, LocalTransport};

    /// The pooled example, which an `Rc` binds to its thread.
    struct Local(Rc<HyperTransport>);

    impl LocalClient for Local {
        async fn send(
            &self,
            request: Request,
        ) -> Result<http::Response<LocalBody>, TransportError> {
            let response = self.0.send(request).await?;
            Ok(response.map(|body| -> LocalBody {
                Box::pin(try_unfold(body, |mut body| async {
                    Ok(body.chunk().await?.map(|chunk| (chunk, body)))
                }))
            }))
        }
    }

    fn subject(setup: &Setup) -> Result<Subject, TransportError> {
        let Setup { connect_timeout, idle_timeout, .. } = *setup;
        let create = move || {
            let pool = Pool::default();
            Local(Rc::new(HyperTransport { connect_timeout, idle_timeout, pool }))
        };
        let transport = LocalTransport::start(create).map_err(TransportError::from_io)?;
        Ok(Subject::asynchronous(transport).without_tls("the example is built without TLS"))
    }

    methodical_testkit::conformance_tests!(subject);
}
