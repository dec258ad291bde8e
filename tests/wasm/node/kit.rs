//! Serves the conformance kit, which runs outside Node: performs the exchanges that it requests.
//!
//! Each command is the response to `GET /command`. Its answer is sent with `POST /chunk/ID`, for bytes of a body, or
//! `POST /reply/ID`, for anything else.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{AbortHandle, abortable};
use gateway_client::transport::bytes::Bytes;
use gateway_client::transport::reqwest::ReqwestTransport;
use gateway_client::transport::{
    Body, Deadline, Instant, Options, Response, Transport as _, TransportError,
};
use gateway_tests_wasm::{Action, Command, Payload, Reply, Request};
use http::{HeaderName, HeaderValue};
use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::variable;

#[wasm_bindgen_test]
async fn the_conformance_kit_gets_its_exchanges() {
    let Some(address) = variable("GATEWAY_TEST_KIT") else { return };
    let kit = Kit { address: address.into(), running: Rc::default(), bodies: Rc::default() };
    loop {
        let response = kit.call("GET", "/command", Bytes::new()).await;
        if response.status() == 204 {
            return;
        }
        let command = response.into_body().collect(u64::MAX).await.unwrap();
        kit.start(serde_json::from_slice(&command).unwrap());
    }
}

#[derive(Clone)]
struct Kit {
    address: Rc<str>,
    /// The commands in progress, by their exchange.
    running: Rc<RefCell<HashMap<u64, AbortHandle>>>,
    /// The bodies that have not been read to their end.
    bodies: Rc<RefCell<HashMap<u64, Body>>>,
}

impl Kit {
    /// Starts a command, in a task that a later command can drop.
    fn start(&self, Command { id, action }: Command) {
        if matches!(action, Action::Drop) {
            self.bodies.borrow_mut().remove(&id);
            if let Some(running) = self.running.borrow_mut().remove(&id) {
                running.abort();
            }
            return;
        }
        let kit = self.clone();
        let (work, handle) = abortable(async move {
            let (path, answer) = kit.perform(id, action).await;
            // In a separate task, because the answer must arrive even if the exchange is dropped.
            spawn_local(async move {
                kit.call("POST", &format!("/{path}/{id}"), answer).await;
            });
        });
        self.running.borrow_mut().insert(id, handle);
        spawn_local(async move {
            let _aborted = work.await;
        });
    }

    /// Performs a command. Returns the kind of the answer, and the answer.
    async fn perform(&self, id: u64, action: Action) -> (&'static str, Bytes) {
        let reply = match action {
            Action::Send(request) => self.send(id, request).await,
            _ => match self.chunk(id).await {
                Ok(Some(chunk)) => return ("chunk", chunk),
                end => end.map(|_none| Reply::End),
            },
        };
        let reply = reply.unwrap_or_else(|error| Reply::Error {
            kind: format!("{:?}", error.kind()),
            phase: format!("{:?}", error.phase()),
            sent: format!("{:?}", error.sent()),
            text: error.to_string(),
        });
        ("reply", serde_json::to_vec(&reply).unwrap().into())
    }

    /// Sends a request, and keeps the body of the response.
    async fn send(&self, id: u64, request: Request) -> Result<Reply, TransportError> {
        let body = match request.body {
            Payload::Repeated(byte, times) => vec![byte; times].into(),
            Payload::Bytes => {
                let response = self.call("GET", &format!("/body/{id}"), Bytes::new()).await;
                response.into_body().collect(u64::MAX).await?
            }
        };
        let builder = http::Request::builder().method(&*request.method).uri(request.uri);
        let mut sent = builder.body(body).unwrap();
        for (name, value) in request.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            sent.headers_mut().append(name, HeaderValue::from_bytes(&value).unwrap());
        }
        if let Some((end, head)) = request.time_left {
            sent.extensions_mut().insert(Deadline::after(end).head_by(Instant::now() + head));
        }
        let options = Options::default().idle_timeout(request.idle_timeout);
        let (head, body) = ReqwestTransport::new(&options)?.send(sent).await?.into_parts();
        self.bodies.borrow_mut().insert(id, body);
        let headers = head.headers.iter();
        let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        Ok(Reply::Head(head.status.as_u16(), headers.collect()))
    }

    /// Reads a chunk of a body.
    async fn chunk(&self, id: u64) -> Result<Option<Bytes>, TransportError> {
        let mut body = self.bodies.borrow_mut().remove(&id).unwrap_or_default();
        let chunk = body.chunk().await;
        self.bodies.borrow_mut().insert(id, body);
        chunk
    }

    /// Sends a request to the kit.
    async fn call(&self, method: &str, path: &str, body: Bytes) -> Response {
        let long = Duration::from_secs(600);
        let options = Options::default().idle_timeout(long).total_timeout(long);
        let builder = http::Request::builder().method(method);
        let request = builder.uri(format!("{}{path}", self.address)).body(body).unwrap();
        ReqwestTransport::new(&options).unwrap().send(request).await.unwrap()
    }
}
