//! Clients that a builder can create.

use gateway_model_core::Service;

/// A client of one service: a [`Client`](crate::Client), a [`blocking::Client`](crate::blocking::Client), or a type that
/// wraps one of them.
///
/// A generated crate wraps both, and adds one method for each operation. [`Builder`](crate::Builder) can create any client
/// that implements this trait and [`From`] for the client of this crate.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use gateway_client_core::model::RawQuery;
/// use gateway_client_core::transport::{MemoryTransport, SharedTransport};
/// use gateway_client_core::{AccessToken, Builder, Error, ServiceClient};
///
/// struct Client(gateway_client_core::Client<Photos>);
///
/// impl Client {
///     async fn photos(&self) -> Result<String, Error> {
///         Ok(self.0.send(&RawQuery::new("photos/list")).await?.into_string())
///     }
/// }
///
/// impl ServiceClient for Client {
///     type Service = Photos;
///
///     const USER_AGENT: &'static str = "photos-client/1.0";
/// }
///
/// impl From<gateway_client_core::Client<Photos>> for Client {
///     fn from(client: gateway_client_core::Client<Photos>) -> Self {
///         Self(client)
///     }
/// }
///
/// let client: Client = Builder::<SharedTransport, Client>::new("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), Error>(())
/// ```
pub trait ServiceClient {
    /// The service.
    type Service: Service;

    /// The value of the `User-Agent` header: the name and version of the client, such as `photos-client/1.0`.
    const USER_AGENT: &'static str;
}
