//! The same service as a plain axum program over rusqlite, for comparison: token, account, snapshot, entity tag, and a
//! log line for each request.

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::{Receiver, Sender, channel};

pub(crate) fn run() {
    let database = std::env::var("GATEWAY_BENCH_DATABASE").unwrap();
    let app = Arc::new(App { database, idle: Mutex::default() });
    let router = axum::Router::new().route("/c/oauth/v1", get(answer)).with_state(app);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}

struct App {
    database: String,
    /// Idle connections.
    idle: Mutex<Vec<Connection>>,
}

impl App {
    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> T {
        let idle = self.idle.lock().pop();
        let open = || Connection::open_with_flags(&self.database, OpenFlags::SQLITE_OPEN_READ_ONLY);
        let connection = idle.unwrap_or_else(|| open().unwrap());
        let result = work(&connection).unwrap();
        self.idle.lock().push(connection);
        result
    }
}

/// The account of a token.
struct Account {
    id: i64,
    revision: i64,
    tag: i64,
    credits: Vec<u8>,
}

async fn answer(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let begun = Instant::now();
    let query = query.unwrap_or_default();
    let method = query.strip_prefix("method=").unwrap_or_default();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let token = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let digest = Sha256::digest(token.unwrap_or_default());
    // A small read takes less time than passing it to another thread.
    let response = match app.with(|connection| find(connection, &digest)) {
        None => StatusCode::UNAUTHORIZED.into_response(),
        Some(account) => {
            let tag = format!("\"{:x}-{method}\"", account.tag);
            if header("if-none-match") == Some(&tag) {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                let body = match method {
                    "credits/get" => Body::from(account.credits),
                    _ => list(app, account),
                };
                ([("content-type", "application/json"), ("etag", &tag)], body).into_response()
            }
        }
    };
    let mut id = String::new();
    for byte in digest.iter().take(6) {
        write!(id, "{byte:02x}").unwrap();
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let time = jiff::Timestamp::UNIX_EPOCH + now;
    let status = response.status().as_u16();
    let duration = begun.elapsed().as_secs_f64();
    eprintln!(
        r#"{{"time":"{time}","level":"info","event":"request","method":"{method}","status":{status},"token":"{id}","duration":{duration}}}"#
    );
    response
}

fn find(connection: &Connection, digest: &[u8]) -> rusqlite::Result<Option<Account>> {
    let mut statement = connection.prepare_cached(
        "SELECT a.id, a.revision, a.tag, a.credits FROM token t JOIN account a ON a.id = t.account_id \
         WHERE t.sha256 = ?1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > unixepoch())",
    )?;
    let account = statement.query_row([digest], |row| {
        let credits = row.get_ref(3)?.as_bytes()?.to_vec();
        Ok(Account { id: row.get(0)?, revision: row.get(1)?, tag: row.get(2)?, credits })
    });
    account.optional()
}

/// Sends the candidates while it reads them. A single statement reads one state of the database.
fn list(app: Arc<App>, account: Account) -> Body {
    let (sender, pieces) = channel(2);
    tokio::task::spawn_blocking(move || {
        app.with(|connection| read(connection, &account, &sender));
    });
    Body::new(Pieces(pieces))
}

fn read(
    connection: &Connection,
    account: &Account,
    sender: &Sender<Bytes>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT record FROM candidate WHERE account_id = ?1 AND rev_from <= ?2 AND ?2 < rev_to ORDER BY id",
    )?;
    let mut rows = statement.query(params![account.id, account.revision])?;
    let mut piece = br#"{"status":"success","result":["#.to_vec();
    let mut is_first = true;
    while let Some(row) = rows.next()? {
        if !std::mem::take(&mut is_first) {
            piece.push(b',');
        }
        piece.extend_from_slice(row.get_ref(0)?.as_bytes()?);
        if piece.len() >= PIECE {
            let full = std::mem::replace(&mut piece, Vec::with_capacity(PIECE + 1024));
            // The client is gone.
            if sender.blocking_send(full.into()).is_err() {
                return Ok(());
            }
        }
    }
    piece.extend_from_slice(b"]}");
    drop(sender.blocking_send(piece.into()));
    Ok(())
}

struct Pieces(Receiver<Bytes>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|bytes| Ok(http_body::Frame::data(bytes))))
    }
}

/// Length of a piece of the list, in bytes.
const PIECE: usize = 64 * 1024;
