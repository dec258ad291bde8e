//! The adapters, as subjects of the conformance kit.

use gateway_transport::TransportError;
use gateway_transport::bridge::OnThread;
use gateway_transport::reqwest::ReqwestTransport;
use gateway_transport::reqwest_blocking::ReqwestBlockingTransport;
use gateway_transport::tower::{ServiceTransport, TransportService};
use gateway_transport::ureq::UreqTransport;
use methodical_testkit::conformance::{Factory, Setup, Subject};

/// An adapter. It passes every check that applies to it.
#[derive(Clone, Copy)]
pub(crate) struct Adapter {
    /// The name in the documentation.
    pub(crate) title: &'static str,
    pub(crate) factory: Factory,
}

pub(crate) const ADAPTERS: [Adapter; 5] = [
    Adapter { title: "`reqwest`", factory: reqwest },
    Adapter { title: "`reqwest-blocking`", factory: reqwest_blocking },
    Adapter { title: "`ureq`", factory: ureq },
    Adapter { title: "`OnThread` over reqwest", factory: on_thread },
    Adapter { title: "`tower` both ways over reqwest", factory: tower },
];

type Built = Result<Subject, TransportError>;

pub(crate) fn reqwest(setup: &Setup) -> Built {
    Ok(Subject::asynchronous(ReqwestTransport::new(&setup.options())?))
}

pub(crate) fn reqwest_blocking(setup: &Setup) -> Built {
    Ok(Subject::blocking(ReqwestBlockingTransport::new(&setup.options())?))
}

pub(crate) fn ureq(setup: &Setup) -> Built {
    Ok(Subject::blocking(UreqTransport::new(&setup.options())?))
}

pub(crate) fn on_thread(setup: &Setup) -> Built {
    Ok(Subject::blocking(OnThread::new(ReqwestTransport::new(&setup.options())?)?))
}

pub(crate) fn tower(setup: &Setup) -> Built {
    let service = TransportService::new(ReqwestTransport::new(&setup.options())?);
    Ok(Subject::asynchronous(ServiceTransport::new(service)))
}
