//! A collector that accepts OTLP/HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The answer of the collector.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Ok,
    Unavailable,
    Never,
}

/// A collector that accepts OTLP/HTTP.
pub(super) struct Collector {
    pub(super) endpoint: String,
    requests: Receiver<(Reply, String, Vec<u8>)>,
    pub(super) reply: Arc<Mutex<Reply>>,
}

impl Collector {
    pub(super) fn start(reply: Reply) -> Self {
        Self::serve("http", "127.0.0.1", reply, |socket| socket)
    }

    /// Starts a collector that only speaks TLS.
    pub(super) fn start_tls(
        certificate: CertificateDer<'static>,
        key: PrivateKeyDer<'static>,
    ) -> Self {
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let config = Arc::new(config);
        Self::serve("https", "localhost", Reply::Ok, move |socket| {
            StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), socket)
        })
    }

    fn serve<S: Read + Write>(
        scheme: &str,
        host: &str,
        reply: Reply,
        accept: impl Fn(TcpStream) -> S + Clone + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("{scheme}://{host}:{}", listener.local_addr().unwrap().port());
        let (sender, requests) = sync_channel(1_000);
        let reply = Arc::new(Mutex::new(reply));
        let shared = Arc::clone(&reply);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (sender, reply) = (sender.clone(), Arc::clone(&shared));
                let accept = accept.clone();
                std::thread::spawn(move || receive(accept(socket.unwrap()), &sender, &reply));
            }
        });
        Self { endpoint, requests, reply }
    }

    /// Waits for a request.
    pub(super) fn wait(&self) {
        self.requests.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    }

    /// Returns what was accepted, after the server has stopped.
    pub(super) fn received(&self) -> (Vec<Span>, Vec<u8>) {
        let (mut spans, mut bytes) = (Vec::new(), Vec::new());
        let accepted = self.requests.try_iter().filter(|(reply, ..)| *reply == Reply::Ok);
        for (_, head, body) in accepted {
            assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
            assert!(head.contains("x-key: from the environment\r\n"), "{head}");
            let request = ExportTraceServiceRequest::decode(&*body).unwrap();
            for of_resource in request.resource_spans {
                let resource = attributes(&of_resource.resource.unwrap().attributes);
                assert_eq!(resource["service.name"], "gateway-server");
                assert_eq!(resource["deployment.environment.name"], "test");
                spans.extend(of_resource.scope_spans.into_iter().flat_map(|one| one.spans));
            }
            bytes.extend(body);
        }
        (spans, bytes)
    }
}

fn receive(
    socket: impl Read + Write,
    requests: &SyncSender<(Reply, String, Vec<u8>)>,
    reply: &Mutex<Reply>,
) -> Option<()> {
    let mut reader = BufReader::new(socket);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        let mut body = vec![0; length.parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        let reply = *reply.lock().unwrap();
        requests.send((reply, head, body)).ok()?;
        let status = match reply {
            Reply::Ok => "200 OK",
            Reply::Unavailable => "503 Service Unavailable",
            Reply::Never => {
                // Until the server closes the connection.
                drop(reader.read_to_end(&mut Vec::new()));
                return None;
            }
        };
        write!(reader.get_mut(), "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").ok()?;
    }
}

/// Returns attributes as text.
pub(super) fn attributes(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Option<AnyValue>| match value.as_ref().unwrap().value.as_ref().unwrap() {
        Any::StringValue(text) => text.clone(),
        Any::IntValue(number) => number.to_string(),
        other => panic!("{other:?}"),
    };
    attributes.iter().map(|one| (one.key.clone(), text(&one.value))).collect()
}
