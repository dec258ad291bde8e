//! The sample service of `--demo`: mocks that send the examples of the spec.

use methodical_cli::client::AccessToken;
use methodical_cli::{Demo, Failure, SampleService};
use «testkit_rust»::mocks;
use tokio::runtime::Builder;
use wiremock::MockServer;

pub(crate) const DEMO: Demo = Demo { start, examples: &[] };

fn start() -> Result<SampleService, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
        Failure::usage("cannot start the sample service").because(error.to_string())
    })?;
    let service = runtime.block_on(async {
        let service = MockServer::start().await;
        for mock in mocks::examples() {
            mock.mount(&service).await;
        }
        service
    });
    let (base_url, token) = (service.uri(), AccessToken::new("demo-token")?);
    Ok(SampleService { base_url, token, history: None, guard: Box::new(service) })
}
