//! A client that speaks HTTP/2 only, with and without TLS.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::{BlockingTransport, blocking_transport_fn};
use h2::client::{Builder, SendRequest};
use h2::{Reason, RecvStream};
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
    pub(crate) sender: SendRequest<Bytes>,
    authority: String,
}

impl Client {
    /// Connects without TLS, with prior knowledge.
    pub(crate) fn plain(base_url: &str) -> Self {
        Self::with_window(base_url, 65_535)
    }

    /// Connects as [`plain`](Self::plain) does, and takes this many bytes of each response before they are read.
    pub(crate) fn with_window(base_url: &str, bytes: u32) -> Self {
        let authority = base_url.strip_prefix("http://").unwrap().to_owned();
        let runtime = Runtime::new().unwrap();
        let socket = runtime.block_on(TcpStream::connect(&authority)).unwrap();
        Self::over(socket, runtime, authority, bytes)
    }

    /// Connects with TLS, trusts this certificate only, and offers only HTTP/2.
    pub(crate) fn secure(base_url: &str, trusted: &CertificateDer<'static>) -> Self {
        let authority = base_url.strip_prefix("https://").unwrap().to_owned();
        let mut config = trusting(trusted);
        config.alpn_protocols = vec![b"h2".to_vec()];
        let connector = TlsConnector::from(Arc::new(config));
        let runtime = Runtime::new().unwrap();
        let stream = runtime.block_on(async {
            let socket = TcpStream::connect(&authority).await.unwrap();
            connector.connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap()
        });
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        Self::over(stream, runtime, authority, 65_535)
    }

    fn over(
        socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        runtime: Runtime,
        authority: String,
        window: u32,
    ) -> Self {
        let handshake = Builder::new().initial_window_size(window).handshake(socket);
        let (sender, connection) = runtime.block_on(handshake).expect("HTTP/2");
        runtime.spawn(async move { drop(connection.await) });
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
        self.wait(exchange(self.sender.clone(), request))
    }

    /// Waits for something in the runtime of the connection.
    pub(crate) fn wait<T>(&self, what: impl Future<Output = T>) -> T {
        self.runtime.block_on(async { timeout(GENEROUS, what).await }).expect("an end in time")
    }

    /// Reads the rest of a response. If the server resets it, returns the reason.
    pub(crate) fn rest(&self, body: &mut RecvStream) -> Result<Vec<u8>, Option<Reason>> {
        self.wait(rest(body)).map_err(|error| error.reason())
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

/// Returns the settings of a client that trusts this certificate only.
pub(crate) fn trusting(certificate: &CertificateDer<'static>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth()
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
    Ok(Response::from_parts(head, rest(&mut body).await?.into()))
}

async fn rest(body: &mut RecvStream) -> Result<Vec<u8>, h2::Error> {
    let mut bytes = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// Maximum time of one request, on the slowest machine.
const GENEROUS: Duration = Duration::from_secs(30);
