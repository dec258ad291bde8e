//! Turns a request head into a response. All checks run in a fixed order, and every refusal says exactly what is wrong.

pub(crate) mod body;
pub(crate) mod limit;
pub(crate) mod metrics;
pub(crate) mod problem;
pub(crate) mod recorder;
pub(crate) mod request;
pub(crate) mod work;

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use gateway_model::Service as _;
use gateway_model::service::RecruitmentGateway;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{HeaderName, Method, Response, StatusCode};
use methodical_serve::{Connection, Refusal, Service, Shares};
use tokio::time::Instant;

use self::body::{ListSource, ResponseBody};
use self::limit::{Guesses, RateLimits};
use self::metrics::Metrics;
use self::problem::{Kind, Problem};
use self::recorder::Recorder;
use self::request::{Client, Coding, X_REQUEST_ID};
use self::work::Work;
use crate::config::Config;
use crate::error::with_causes;
use crate::generated::operations::{METHODS, Operation};
use crate::parameter::Pairs;
use crate::storage::{Call, Records};
use crate::store::{Cursor, Page, Principal, Snapshot, Store};
use crate::token::{TokenDigest, TokenId};

/// Everything that is needed to answer requests. All connections share it.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) config: Config,
    pub(crate) path: String,
    pub(crate) work: Work,
    pub(crate) limits: RateLimits<TokenId>,
    pub(crate) guesses: Guesses,
    /// The share of open lists that each token uses.
    pub(crate) lists_open: Arc<Shares<TokenId>>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Front {
    /// Returns the path of the service, including `prefix`.
    pub(crate) fn path_below(prefix: &str) -> String {
        format!("{}{}", prefix.trim_end_matches('/'), RecruitmentGateway::PATH)
    }

    /// Checks in this order: refusal of the connection, path, verb, body, token, rate, `Accept`, parameters, data. A
    /// client without a valid token therefore learns nothing about operations and parameters.
    async fn decide(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        client: Client,
        recorder: &mut Recorder,
    ) -> Result<Response<ResponseBody>, Problem> {
        let body_refused = match refusal {
            Some(Refusal::Body) => true,
            Some(other) => return Err(Problem::refused(other)),
            None => false,
        };
        if request.uri.path() != self.path {
            return Err(Problem::new(Kind::NotFound));
        }
        if request.method != Method::GET && request.method != Method::HEAD {
            return Err(Problem::new(Kind::MethodNotAllowed));
        }
        if body_refused {
            return Err(Problem::new(Kind::BodyNotAllowed));
        }
        let query = request.uri.query().unwrap_or_default();
        let digest = request::token(&request.headers, query)?;
        let principal = self.authenticate(digest, client.key.as_ref()).await?;
        recorder.response.account = Some(principal.snapshot.account.0);
        recorder.response.token = Some(principal.token.clone());
        if let Err(wait) = self.limits.admit(&principal.token) {
            return Err(Problem::new(Kind::TooManyRequests).retry_after(wait));
        }
        if !request::accepts_json(&request.headers) {
            return Err(Problem::new(Kind::NotAcceptable));
        }
        let pairs = Pairs::parse(query).map_err(|_malformed| Problem::new(Kind::QueryMalformed))?;
        let operation = operation(&pairs)?;
        recorder.response.operation = Some(operation);
        self.perform(operation, &pairs, &principal, request, recorder).await
    }

    /// Looks up the account of a token. A token that has not been valid before is looked up on a thread that serves no
    /// connections, so that guessed tokens do not delay others.
    async fn authenticate(
        &self,
        digest: TokenDigest,
        client: Option<&IpAddr>,
    ) -> Result<Principal, Problem> {
        let now = self.config.clock.now();
        let ask = move |store: &Store| store.authenticate(&digest, now);
        let was_valid = self.guesses.was_valid(&digest);
        let found = if was_valid {
            self.work.look_up(ask).await?
        } else {
            let limited = |wait| Problem::new(Kind::TooManyWrongTokens).retry_after(wait);
            self.guesses.check(client).map_err(limited)?;
            self.work.run(ask).await?
        };
        let Some(principal) = found else {
            self.guesses.wrong(&digest, client);
            return Err(Problem::new(Kind::TokenInvalid));
        };
        if !was_valid {
            self.guesses.valid(digest);
        }
        Ok(principal)
    }

    async fn perform(
        &self,
        method: &str,
        pairs: &Pairs<'_>,
        principal: &Principal,
        request: &Parts,
        recorder: &mut Recorder,
    ) -> Result<Response<ResponseBody>, Problem> {
        let snapshot = principal.snapshot;
        let operation = Operation::of(method).ok_or_else(|| Problem::new(Kind::MethodUnknown))?;
        let call = Call::read(operation, pairs)?;
        let notice = call.notice();
        let etag = request::etag(snapshot.account, &call, &principal.versions);
        if request::is_unmodified(&request.headers, &etag) {
            return Ok(tagged(StatusCode::NOT_MODIFIED, &etag, ResponseBody::empty()));
        }
        let coding = request::coding(&request.headers);
        let (body, coding) = match operation.frame() {
            Some(frame) => {
                let limited = || Problem::limited(Kind::TooManyResponses);
                let share = self.lists_open.open(&principal.token);
                recorder.of_token = Some(share.ok_or_else(limited)?);
                let store = self.work.store();
                let source = ListSource::new(store, principal, call, frame);
                self.list(source, coding).await?
            }
            None => (self.object(call, snapshot).await?, Coding::Identity),
        };
        let mut response = tagged(StatusCode::OK, &etag, body);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(RecruitmentGateway::ACCEPT));
        if coding == Coding::Gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.extend(notice.map(|text| (GATEWAY_NOTICE, HeaderValue::from_static(text))));
        Ok(response)
    }

    async fn object(&self, call: Call, snapshot: Snapshot) -> Result<ResponseBody, Problem> {
        let json = self
            .work
            .look_up(move |store| {
                let mut json = Vec::with_capacity(64);
                let page = Page { from: Cursor::START, limit: 1 };
                call.fetch(store, snapshot, page, &mut Records::new(&mut json, true))?;
                Ok(json)
            })
            .await?;
        Ok(ResponseBody::full(Bytes::from(json)))
    }

    /// Reads the first piece of a list before anything is sent, so that a failing database leads to an error and
    /// not to a truncated list. A list that fits into the first piece is sent with its length.
    async fn list(
        &self,
        source: ListSource,
        coding: Coding,
    ) -> Result<(ResponseBody, Coding), Problem> {
        let (first, source) = self
            .work
            .run(move |_store| {
                let mut source = source;
                let first = source.next()?.unwrap_or_default();
                Ok((first, source))
            })
            .await?;
        if source.is_finished() && (coding == Coding::Identity || first.len() < SMALLEST_CODED) {
            return Ok((ResponseBody::full(first), Coding::Identity));
        }
        let deadline = Instant::now() + self.config.response_timeout;
        let work = self.work.clone();
        Ok((ResponseBody::list(first, source, coding, work, deadline), coding))
    }
}

impl Service for Front {
    type Body = ResponseBody;

    async fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        connection: &Arc<Connection>,
    ) -> Response<ResponseBody> {
        let id = request::request_id(&request.headers);
        let client = Client::find(&request.headers, connection.peer, &self.config.trusted_proxies);
        let mut recorder = Recorder::begin(request, &id, client.address, connection, self);
        let mut response = match self.decide(request, refusal, client, &mut recorder).await {
            Ok(response) => response,
            Err(problem) => {
                recorder.response.problem = Some(problem.kind.name());
                recorder.response.cause = problem.cause.as_ref().map(|cause| with_causes(cause));
                problem.into_response()
            }
        };
        response.headers_mut().insert(X_REQUEST_ID, id);
        let status = response.status();
        response.map(|body| recorder.attach(status, body, request.method == Method::HEAD))
    }
}

fn operation(pairs: &Pairs<'_>) -> Result<&'static str, Problem> {
    let method = pairs.get(RecruitmentGateway::SELECTOR)?.filter(|method| !method.is_empty());
    let method = method.ok_or_else(|| Problem::new(Kind::MethodMissing))?;
    let known = METHODS.into_iter().find(|known| *known == method);
    known.ok_or_else(|| Problem::new(Kind::MethodUnknown))
}

/// Creates a response that a client may cache and revalidate with `etag`.
fn tagged(status: StatusCode, etag: &HeaderValue, body: ResponseBody) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::ETAG, etag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, Authorization"));
    response
}

/// Minimum length of a list that is compressed, in bytes.
const SMALLEST_CODED: usize = 1024;

const GATEWAY_NOTICE: HeaderName = HeaderName::from_static("gateway-notice");
