//! The answer to calls that no mock matches: which call it was, and how each mock differs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use wiremock::matchers::any;
use wiremock::{Mock, Request, Respond, ResponseTemplate};

use crate::mocks::matcher::{Matcher, form, query};

type Matchers = Mutex<Vec<Arc<Matcher>>>;

/// The mocks of each server by its address. `wiremock` drops the mocks of a server before it reuses its address.
static SERVERS: Mutex<BTreeMap<SocketAddr, Weak<Matchers>>> = Mutex::new(BTreeMap::new());

/// Adds a mock to those of a server. Returns the answer to unmatched calls if the server lacks it.
pub(super) fn added(server: SocketAddr, matcher: Arc<Matcher>) -> Option<Mock> {
    let mut servers = locked(&SERVERS);
    if let Some(matchers) = servers.get(&server).and_then(Weak::upgrade) {
        locked(&matchers).push(matcher);
        return None;
    }
    let matchers = Arc::new(Mutex::new(vec![matcher]));
    servers.retain(|_, matchers| matchers.strong_count() > 0);
    servers.insert(server, Arc::downgrade(&matchers));
    let answer = Unmatched { matchers, output: output() };
    Some(Mock::given(any()).respond_with(answer).with_priority(u8::MAX))
}

/// A text to print, and a value that is dropped when it is printed.
type Output = (String, SyncSender<()>);

struct Unmatched {
    matchers: Arc<Matchers>,
    output: SyncSender<Output>,
}

impl Respond for Unmatched {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let text = explanation(request, &locked(&self.matchers));
        let (printed, is_printed) = sync_channel(1);
        if self.output.send((text.clone(), printed)).is_ok() {
            // The test may end as soon as it has the response. Nothing is ever sent: the other end is dropped.
            is_printed.recv_timeout(PATIENCE).ok();
        }
        let problem = serde_json::json!({
            "type": "about:blank",
            "title": "no mock matches this call",
            "status": 404,
            "detail": text,
        });
        let media_type = "application/problem+json";
        ResponseTemplate::new(404).set_body_raw(problem.to_string(), media_type)
    }
}

/// Maximum time to wait for the output.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts a thread that prints to stderr. The test harness shows the output of a thread with the test that started it, so
/// the thread of a server, which many tests share, cannot print.
fn output() -> SyncSender<Output> {
    let (sender, texts): (_, Receiver<Output>) = sync_channel(1);
    let print = move || {
        for (text, _printed) in texts {
            #[expect(clippy::print_stderr, reason = "the test harness captures only this")]
            {
                eprintln!("{text}");
            }
        }
    };
    // Without the thread, the receiver is dropped, and the problem document still has the text.
    drop(thread::Builder::new().name("unmatched-calls".to_owned()).spawn(print));
    sender
}

/// Describes a call that no mock matches, and how each mock differs from it.
fn explanation(request: &Request, matchers: &[Arc<Matcher>]) -> String {
    let (method, path) = (&request.method, shown_path(request, matchers));
    let mut text = format!("no mock matches this call: {method} {path}");
    let form =
        if matchers.iter().any(|matcher| matcher.has_form()) { form(request) } else { vec![] };
    for (before, pairs) in [('?', query(request)), (' ', form)] {
        for (index, (name, value)) in pairs.into_iter().enumerate() {
            text.push(if index == 0 { before } else { '&' });
            // Values may be personal. Those that name the operation are not.
            let is_public = matchers.iter().any(|matcher| matcher.is_public(&name));
            let value = if is_public { &value } else { "…" };
            _ = write!(text, "{}={}", name.escape_debug(), value.escape_debug());
        }
    }
    for matcher in matchers {
        let mut differences = matcher.differences(request);
        if differences.is_empty() {
            differences.push("it has answered all its calls".to_owned());
        }
        _ = write!(text, "\nmocked: {}: {}", matcher.description(), differences.join(", "));
    }
    text
}

/// Returns the path of a request without a secret in it.
fn shown_path<'a>(request: &'a Request, matchers: &[Arc<Matcher>]) -> Cow<'a, str> {
    let path = request.url.path();
    let shown = matchers.iter().find_map(|matcher| matcher.without_secret(path));
    match shown {
        Some(shown) => shown.into(),
        // The secret may be anywhere.
        None if matchers.iter().any(|matcher| matcher.has_secret_in_path()) => "/…".into(),
        None => path.into(),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
