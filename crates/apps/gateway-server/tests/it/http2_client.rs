//! A client that speaks HTTP/2 only, with and without TLS.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{BlockingTransport, blocking_transport_fn};
use h2::RecvStream;
use h2::client::SendRequest;
use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// One connection of HTTP/2.
pub(crate) struct Client {
    runtime: Runtime,
    sender: SendRequest<Bytes>,
    authority: String,
}

impl Client {
    /// Connects without TLS, with prior knowledge.
    pub(crate) fn plain(base_url: &str) -> Self {
        let authority = base_url.strip_prefix("http://").unwrap().to_owned();
        let runtime = Runtime::new().unwrap();
        let socket = runtime.block_on(TcpStream::connect(&authority)).unwrap();
        let sender = begin(&runtime, socket);
        Self { runtime, sender, authority }
    }

    /// Connects with TLS, trusts this certificate only, and offers only HTTP/2.
    pub(crate) fn secure(base_url: &str, trusted: &CertificateDer<'static>) -> Self {
        let authority = base_url.strip_prefix("https://").unwrap().to_owned();
        let mut roots = RootCertStore::empty();
        roots.add(trusted.clone()).unwrap();
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let connector = TlsConnector::from(Arc::new(config));
        let runtime = Runtime::new().unwrap();
        let stream = runtime.block_on(async {
            let socket = TcpStream::connect(&authority).await.unwrap();
            connector.connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap()
        });
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        let sender = begin(&runtime, stream);
        Self { runtime, sender, authority }
    }

    /// Sends a `GET` with a token.
    pub(crate) fn get(&self, token: &str, query: &str) -> Response<Bytes> {
        let uri = format!("http://{}/c/oauth/v1?{query}", self.authority);
        let request = Request::get(uri).header("authorization", format!("Bearer {token}"));
        self.send(request.body(Bytes::new()).unwrap()).unwrap()
    }

    /// Sends a request and reads its whole response.
    pub(crate) fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, h2::Error> {
        let sender = self.sender.clone();
        let response = async { timeout(GENEROUS, exchange(sender, request)).await };
        self.runtime.block_on(response).expect("a response in time")
    }

    /// Sends a `GET` with a token, and reads nothing but the head of the response.
    pub(crate) fn begin(&self, token: &str, query: &str) -> Response<RecvStream> {
        let uri = format!("http://{}/c/oauth/v1?{query}", self.authority);
        let request = Request::get(uri).header("authorization", format!("Bearer {token}"));
        let response = async {
            let mut sender = self.sender.clone().ready().await?;
            sender.send_request(request.body(()).unwrap(), true)?.0.await
        };
        let response = async { timeout(GENEROUS, response).await };
        self.runtime.block_on(response).expect("a response in time").unwrap()
    }

    /// Returns the transport that sends every request on this connection.
    pub(crate) fn into_transport(self) -> impl BlockingTransport {
        blocking_transport_fn(move |request| {
            let response = self.send(request).unwrap();
            Ok(response.map(Into::into))
        })
    }
}

/// Creates a certificate in this folder. Returns the flags of a server with it, and the certificate.
pub(crate) fn certificate(folder: &Path) -> ([String; 4], CertificateDer<'static>) {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    (["--tls-certificate".into(), certificate, "--tls-key".into(), key], made.cert.der().clone())
}

fn begin(
    runtime: &Runtime,
    socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> SendRequest<Bytes> {
    let (sender, connection) =
        runtime.block_on(h2::client::handshake(socket)).expect("a connection of HTTP/2");
    runtime.spawn(async move { drop(connection.await) });
    sender
}

async fn exchange(
    sender: SendRequest<Bytes>,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, h2::Error> {
    let (head, body) = request.into_parts();
    let is_empty = body.is_empty();
    let (response, mut stream) =
        sender.ready().await?.send_request(Request::from_parts(head, ()), is_empty)?;
    if !is_empty {
        // A server may answer without reading the body.
        drop(stream.send_data(body, true));
    }
    let (head, mut body) = response.await?.into_parts();
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        bytes.extend_from_slice(&data);
    }
    Ok(Response::from_parts(head, bytes.into()))
}

/// Maximum time of one request, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
