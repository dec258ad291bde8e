//! A collector that accepts OTLP/HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

/// A collector that accepts OTLP/HTTP.
pub(super) struct Collector {
    pub(super) endpoint: String,
    requests: Receiver<(String, Vec<u8>)>,
}

impl Collector {
    pub(super) fn start() -> Self {
        Self::answering("200 OK\r\nContent-Length: 0".to_owned())
    }

    /// Starts a collector with this response to everything, from the status to the last header.
    pub(super) fn answering(response: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let (sender, requests) = sync_channel(1_000);
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (sender, response) = (sender.clone(), response.clone());
                std::thread::spawn(move || receive(socket.unwrap(), &sender, &response));
            }
        });
        Self { endpoint, requests }
    }

    /// Returns what was accepted, after the server has stopped.
    pub(super) fn received(&self) -> (Vec<Span>, Vec<u8>) {
        let (mut spans, mut bytes) = (Vec::new(), Vec::new());
        for (head, body) in self.requests.try_iter() {
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
    socket: TcpStream,
    requests: &SyncSender<(String, Vec<u8>)>,
    response: &str,
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
        requests.send((head, body)).ok()?;
        write!(reader.get_mut(), "HTTP/1.1 {response}\r\n\r\n").ok()?;
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
