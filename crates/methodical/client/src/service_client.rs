//! Clients that a builder can create.

use methodical_model::Service;

/// A client of one service: a [`Client`](crate::Client), a [`blocking::Client`](crate::blocking::Client), or a type that
/// wraps one of them.
///
/// A generated crate wraps both, and adds one method for each operation. [`ClientBuilder`](crate::ClientBuilder) can create any client
/// that implements this trait and [`From`] for the client of this crate.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use methodical_client::model::RawQuery;
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, Error, ServiceClient, blocking};
///
/// struct Client(blocking::Client<Photos>);
///
/// impl Client {
///     fn photos(&self) -> Result<String, Error> {
///         Ok(self.0.send(&RawQuery::new("photos/list"))?.into_string())
///     }
/// }
///
/// impl ServiceClient for Client {
///     type Service = Photos;
///
///     const USER_AGENT: &'static str = "photos-client/1.0";
/// }
///
/// impl From<blocking::Client<Photos>> for Client {
///     fn from(client: blocking::Client<Photos>) -> Self {
///         Self(client)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let response = http::Response::builder().header("content-type", "application/json");
/// let transport = MemoryTransport::new([Ok(response.body("[]".into())?)]);
/// let client: Client = blocking::ClientBuilder::new("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(transport.clone())
///     .build()?;
/// assert_eq!(client.photos()?, "[]");
/// assert_eq!(transport.requests()[0].headers()["user-agent"], "photos-client/1.0");
/// # Ok(())
/// # }
/// ```
pub trait ServiceClient {
    /// The service.
    type Service: Service;

    /// The value of the `User-Agent` header: the name and version of the client, such as `photos-client/1.0`.
    const USER_AGENT: &'static str;
}
