//! A program without `async`, in virtual time: it runs on another thread, but never at the same time as the world.
//!
//! The world waits while the program computes. When the program waits, for the network or for a time, the world
//! continues.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use gateway_transport::simulated::{self, Time};
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Body, BoxFuture, Instant, Request, Response,
    Transport, TransportError, TransportErrorKind,
};
use tokio::runtime::Handle;
use tokio::time::sleep_until;

use crate::world::World;

/// The program's side: it asks the world, and waits for the answer.
#[derive(Clone)]
pub(crate) struct Port(Arc<Mutex<Line>>);

struct Line {
    world: World,
    asks: SyncSender<Ask>,
    answers: Receiver<Answer>,
    /// How many waits are left until the program crashes.
    left: Option<u32>,
    at_crash: Box<dyn FnMut() + Send>,
}

/// When a program crashes, and what is done at that moment.
pub(crate) struct Crash {
    /// The number of waits before it.
    pub(crate) after: u32,
    /// Called at the crash, before anything of the program is dropped.
    pub(crate) then: Box<dyn FnMut() + Send>,
}

enum Ask {
    Wait(Instant),
    Send(Box<Request>),
    Chunk(usize),
    Close(usize),
    End,
}

enum Answer {
    Waited,
    Head(Result<http::Response<usize>, TransportError>),
    Chunk(Result<Option<Bytes>, TransportError>),
}

/// Runs a program to its end. Returns `None` if it crashed as planned.
pub(crate) async fn run<T: Send + 'static>(
    world: &World,
    transport: &impl Transport,
    crash: Option<Crash>,
    program: impl FnOnce(Port) -> T + Send + 'static,
) -> Option<T> {
    // One question and one answer at a time.
    let (asks, asked) = sync_channel(1);
    let (answer, answers) = sync_channel(1);
    let (left, at_crash): (_, Box<dyn FnMut() + Send>) = match crash {
        Some(crash) => (Some(crash.after), crash.then),
        None => (None, Box::new(|| {})),
    };
    let line = Line { world: world.clone(), asks: asks.clone(), answers, left, at_crash };
    let port = Port(Arc::new(Mutex::new(line)));
    let (handle, seed) = (Handle::current(), world.fork().u64(..));
    let thread = thread::spawn(move || {
        let _clock = handle.enter();
        let _time = simulated::simulate(Arc::new(port.clone()));
        fastrand::seed(seed);
        let outcome = catch_unwind(AssertUnwindSafe(|| program(port)));
        asks.send(Ask::End).unwrap_or_default();
        outcome
    });
    let mut bodies = Vec::new();
    while let Ok(ask) = asked.recv() {
        let reply = match ask {
            Ask::End => break,
            Ask::Wait(end) => {
                sleep_until(end.into()).await;
                Answer::Waited
            }
            Ask::Send(request) => Answer::Head(transport.send(*request).await.map(|response| {
                let (head, body) = Response::into_parts(response);
                bodies.push(Some(body));
                http::Response::from_parts(head, bodies.len() - 1)
            })),
            Ask::Chunk(index) => Answer::Chunk(chunk(&mut bodies, index).await),
            Ask::Close(index) => {
                drop(bodies.get_mut(index).and_then(Option::take));
                continue;
            }
        };
        answer.send(reply).unwrap_or_default();
    }
    match thread.join().and_then(|outcome| outcome) {
        Ok(result) => Some(result),
        Err(payload) => {
            world.check(payload.is::<Crashed>(), || {
                format!("the program panicked: {}", text(&*payload))
            });
            None
        }
    }
}

async fn chunk(bodies: &mut [Option<Body>], index: usize) -> Result<Option<Bytes>, TransportError> {
    match bodies.get_mut(index) {
        Some(Some(body)) => body.chunk().await,
        _ => Err(TransportError::new(TransportErrorKind::Other, "the body was closed")),
    }
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or_default()
}

/// The panic payload of a planned crash.
struct Crashed;

impl Port {
    /// Counts a wait, and crashes if it is the one.
    pub(crate) fn step(&self) {
        let mut line = self.line();
        match line.left {
            None => {}
            Some(0) => {
                // Later waits, in destructors, change nothing.
                line.world.note("the program crashes");
                (line.at_crash)();
                line.at_crash = Box::new(|| {});
                drop(line);
                resume_unwind(Box::new(Crashed));
            }
            Some(left) => line.left = Some(left - 1),
        }
    }

    fn ask(&self, ask: Ask) -> Option<Answer> {
        self.step();
        let line = self.line();
        line.asks.send(ask).ok()?;
        line.answers.recv().ok()
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap()
    }
}

impl Time for Port {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn date(&self) -> SystemTime {
        let world = self.line().world.clone();
        world.date()
    }

    fn sleep_until(&self, end: Instant) -> BoxFuture<'static, ()> {
        let port = self.clone();
        Box::pin(async move { port.block_until(end) })
    }

    fn block_until(&self, end: Instant) {
        if end.saturating_duration_since(self.now()) > Duration::ZERO {
            self.ask(Ask::Wait(end));
        }
    }
}

impl BlockingTransport for Port {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        match self.ask(Ask::Send(Box::new(request))) {
            Some(Answer::Head(head)) => {
                let rest = |index| Rest { port: self.clone(), index };
                Ok(head?.map(|index| BlockingBody::from_chunks(rest(index))))
            }
            _ => Err(TransportError::new(TransportErrorKind::Other, "the world has ended")),
        }
    }
}

/// The rest of a body, chunk by chunk.
struct Rest {
    port: Port,
    index: usize,
}

impl Iterator for Rest {
    type Item = Result<Bytes, TransportError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.port.ask(Ask::Chunk(self.index)) {
            Some(Answer::Chunk(chunk)) => chunk.transpose(),
            _ => None,
        }
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.port.line().asks.send(Ask::Close(self.index)).unwrap_or_default();
    }
}
