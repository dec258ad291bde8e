//! The adapters, as subjects of the conformance kit.

use methodical_testkit::conformance::Factory;

/// An adapter. It passes every check that applies to it.
#[derive(Clone, Copy)]
pub(crate) struct Adapter {
    /// The name in the documentation.
    pub(crate) title: &'static str,
    pub(crate) factory: Factory,
}

macro_rules! adapters {
    ($($name:ident $title:literal: $make:expr;)+) => {
        $(pub(crate) mod $name {
            use methodical_testkit::conformance::{Setup, Subject};
            use gateway_transport::TransportError;

            pub(crate) fn subject(setup: &Setup) -> Result<Subject, TransportError> {
                let make: fn(&Setup) -> Result<Subject, TransportError> = $make;
                make(setup)
            }
        })+

        pub(crate) const ADAPTERS: [Adapter; [$(stringify!($name)),+].len()] = [$(Adapter {
            title: $title,
            factory: $name::subject,
        }),+];
    };
}

adapters! {
    reqwest "`reqwest`": |setup| {
        let transport = gateway_transport::reqwest::ReqwestTransport::new(&setup.options())?;
        Ok(Subject::asynchronous(transport))
    };
    reqwest_blocking "`reqwest-blocking`": |setup| {
        let options = setup.options();
        let transport =
            gateway_transport::reqwest_blocking::ReqwestBlockingTransport::new(&options)?;
        Ok(Subject::blocking(transport))
    };
    ureq "`ureq`": |setup| {
        Ok(Subject::blocking(gateway_transport::ureq::UreqTransport::new(&setup.options())?))
    };
    on_thread "`OnThread` over reqwest": |setup| {
        let inner = gateway_transport::reqwest::ReqwestTransport::new(&setup.options())?;
        Ok(Subject::blocking(gateway_transport::bridge::OnThread::new(inner)?))
    };
    tower "`tower` both ways over reqwest": |setup| {
        let inner = gateway_transport::reqwest::ReqwestTransport::new(&setup.options())?;
        let service = gateway_transport::tower::TransportService::new(inner);
        Ok(Subject::asynchronous(gateway_transport::tower::ServiceTransport::new(service)))
    };
}
