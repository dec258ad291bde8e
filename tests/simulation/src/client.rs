//! The story of the async client: concurrent calls during the faults, and calls after them.

use std::time::Duration;

use fastrand::Rng;
use gateway_client::{CallOptions, Entry, Error, ErrorKind, RetryPolicy};
use gateway_model::service::RecruitmentGateway;
use gateway_model::{Candidate, GetCredits, ListCandidates, ListVacancies};
use methodical_client::Client;
use tokio::task::JoinSet;

use crate::account::{Account, Records, STATUSES};
use crate::faults::Stage;
use crate::gateway::HOST;
use crate::network::pause_up_to;
use crate::transport::{Attempt, SimulatedTransport};
use crate::world::{World, pause};

/// A client of the simulated service.
type ServiceClient = Client<RecruitmentGateway>;

/// Runs the story of a seed.
pub(crate) async fn story(world: World) {
    let stage = Stage::new(&world);
    let mut random = world.fork();
    let transport = SimulatedTransport::new(&world, &stage.network);
    let client = ServiceClient::builder(format!("http://{HOST}"))
        .allow_insecure_http()
        .token(stage.vault.clone())
        .call_timeout(CALL)
        .attempt_timeout(ATTEMPT)
        .stream_timeout(STREAM)
        .retry(RetryPolicy::default().max_attempts(ATTEMPTS))
        // The limit on all retries together has its own tests; here, each call may use all its attempts.
        .retry_burst(1_000)
        .transport(transport.clone())
        .build()
        .unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(stage.clone().faults(FAULTS));
    tasks.spawn(stage.clone().keep_changing(FAULTS, Duration::from_secs(3)));
    for caller in 0..random.u64(2..5) {
        let caller = Caller {
            stage: stage.clone(),
            client: client.clone(),
            transport: transport.clone(),
            random: world.fork(),
            next: caller * 1_000,
            paused: Duration::ZERO,
        };
        tasks.spawn(caller.work());
    }
    while tasks.join_next().await.is_some() {}
    // The bound: the longest wait that a service could ask for, and one call.
    pause(Duration::from_secs(30)).await;
    let (random, next) = (world.fork(), PATIENT);
    let paused = Duration::ZERO;
    let mut caller = Caller { stage, client, transport, random, next, paused };
    for operation in [0, 3, 4] {
        let is_answered = caller.call(operation).await;
        world.check(is_answered, || "a call failed after the faults had ended".to_owned());
    }
}

/// Calls operations, one after the other.
struct Caller {
    stage: Stage,
    client: ServiceClient,
    transport: SimulatedTransport,
    random: Rng,
    next: u64,
    /// How long the reader of the call has paused.
    paused: Duration,
}

impl Caller {
    async fn work(mut self) {
        for _ in 0..CALLS {
            pause_up_to(&mut self.random, FAULTS / (CALLS * 2)).await;
            let operation = self.random.u8(0..6);
            if self.random.u8(0..10) == 0 {
                // A caller that gives up drops the future.
                let patience = Duration::from_millis(self.random.u64(0..2_000));
                tokio::time::timeout(patience, self.call(operation)).await.ok();
            } else {
                self.call(operation).await;
            }
        }
    }

    /// Calls an operation, and checks everything about the call. Returns whether it was answered.
    async fn call(&mut self, operation: u8) -> bool {
        self.next += 1;
        self.paused = Duration::ZERO;
        let (number, begun) = (self.next, self.stage.world.elapsed());
        let options = CallOptions::new().header("x-call", number.to_string()).unwrap();
        // During the faults, half of the calls have a short timeout.
        let is_hurried = number < PATIENT && self.random.bool();
        let own = is_hurried.then(|| Duration::from_millis(self.random.u64(100..6_000)));
        let options = match own {
            Some(own) => options.timeout(own),
            None => options,
        };
        let client = self.client.with(options);
        let (limit, result) = match operation {
            0 | 1 => (STREAM, self.stream(&client, operation == 1).await),
            2 | 3 => (CALL, self.list(&client, operation == 2).await),
            4 => (CALL, self.credits(&client).await),
            _ => (CALL, self.vacancies(&client).await),
        };
        let limit = own.map_or(limit, |own| own.min(limit));
        let Stage { world, .. } = &self.stage;
        let end = world.elapsed();
        let text = match &result {
            Ok(_) => "answered".to_owned(),
            Err(error) => format!("{:?} after {} attempts", error.kind(), error.attempts()),
        };
        world.note(format!("call {number} operation {operation} {text}"));
        world.check(end <= begun + limit + self.paused + TOLERANCE, || {
            format!("call {number} took {:?}, its limit is {limit:?}", end.abs_diff(begun))
        });
        self.check_attempts(number, begun);
        match result {
            Ok(is_true) => {
                world.check(is_true, || format!("call {number} has an answer that never was"));
                true
            }
            Err(error) => {
                let is_expected = !matches!(error.kind(), ErrorKind::Config | ErrorKind::Query);
                world.check(is_expected, || format!("call {number} failed: {error}"));
                false
            }
        }
    }

    /// Receives a whole list of candidates.
    async fn list(&mut self, client: &ServiceClient, is_filtered: bool) -> Result<bool, Error> {
        let begun = self.stage.world.elapsed();
        let (query, vacancy, status) = self.query(is_filtered);
        let records = client.send(&query).await?.strict()?;
        let answer: Vec<_> = records.iter().map(row).collect();
        Ok(self.had(begun, |state| state.list(vacancy, status) == answer))
    }

    /// Receives a list of candidates record by record.
    async fn stream(&mut self, client: &ServiceClient, is_filtered: bool) -> Result<bool, Error> {
        let begun = self.stage.world.elapsed();
        let (query, vacancy, status) = self.query(is_filtered);
        let mut records = client.stream(&query).await?;
        let mut answer = Vec::new();
        while let Some(entry) = records.next().await {
            match entry? {
                Entry::Record(record) => answer.push(row(&record)),
                Entry::Rejected(_) => return Ok(false),
            }
            if self.random.u8(0..50) == 0 {
                let before = self.stage.world.elapsed();
                pause_up_to(&mut self.random, Duration::from_millis(500)).await;
                self.paused += self.stage.world.elapsed().saturating_sub(before);
            }
        }
        Ok(self.had(begun, |state| state.list(vacancy, status) == answer))
    }

    async fn credits(&self, client: &ServiceClient) -> Result<bool, Error> {
        let begun = self.stage.world.elapsed();
        let credits = client.send(&GetCredits::new()).await?;
        Ok(self.had(begun, |state| state.credits == credits.credits_number.as_str()))
    }

    async fn vacancies(&self, client: &ServiceClient) -> Result<bool, Error> {
        let begun = self.stage.world.elapsed();
        let list = client.send(&ListVacancies::new()).await?.strict()?;
        let row = |one: &gateway_model::Vacancy| {
            (one.id.to_string(), one.project.clone().unwrap_or_default())
        };
        let answer: Vec<_> = list.iter().map(row).collect();
        Ok(self.had(begun, |state| state.projects() == answer))
    }

    fn had(&self, begun: Duration, is_it: impl FnMut(&Records) -> bool) -> bool {
        let account: &Account = &self.stage.account;
        account.had_since(begun, is_it)
    }

    /// Draws a query, and what it selects.
    fn query(&mut self, is_filtered: bool) -> (ListCandidates, Option<i64>, Option<&'static str>) {
        let vacancy = is_filtered.then(|| self.random.i64(1..5));
        let status = vacancy.and_then(|_| self.random.choice(STATUSES).copied());
        let status = status.filter(|_| self.random.bool());
        let query = match (vacancy.map(|id| id.to_string()), status) {
            (None, _) => ListCandidates::new(),
            (Some(vacancy), None) => ListCandidates::new().vacancy_id(vacancy),
            (Some(vacancy), Some(status)) => ListCandidates::new().vacancy_status(vacancy, status),
        };
        (query, vacancy, status)
    }

    /// Checks the number, the times and the tokens of the attempts of a call.
    fn check_attempts(&self, call: u64, begun: Duration) {
        let Stage { world, vault, .. } = &self.stage;
        let attempts: Vec<Attempt> =
            self.transport.attempts().into_iter().filter(|one| one.call == Some(call)).collect();
        let refusals = attempts.iter().filter(|one| one.status() == Some(401)).count();
        let renewed = usize::from(refusals > 0);
        world.check(attempts.len() <= ATTEMPTS as usize + renewed, || {
            format!("call {call} made {} attempts", attempts.len())
        });
        if let Some(first) = attempts.first() {
            world.check(vault.may_send(&first.token, begun, first.begun), || {
                format!("call {call} sent a token that the source had replaced")
            });
        }
        for (index, pair) in attempts.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let Some((at, status, asked)) = before.answered else { continue };
            let asked = Duration::from_secs(asked.unwrap_or(0));
            world.check(asked <= LONGEST_ASKED && after.begun >= at + asked, || {
                format!("call {call} did not wait {asked:?} before attempt {}", index + 2)
            });
            let is_retried = matches!(status, 200 | 401 | 408 | 429 | 500 | 502 | 503 | 504);
            world.check(is_retried, || format!("call {call} was repeated after status {status}"));
            world.check(status != 401 || before.token != after.token, || {
                format!("call {call} sent a token again that was refused")
            });
        }
    }
}

impl Attempt {
    fn status(&self) -> Option<u16> {
        self.answered.map(|(_, status, _)| status)
    }
}

fn row(candidate: &Candidate) -> (String, String) {
    (candidate.id.to_string(), candidate.name.clone().unwrap_or_default())
}

/// The number of the first call after the faults.
const PATIENT: u64 = 1_000_000;

/// Duration of the faults.
const FAULTS: Duration = Duration::from_secs(120);

/// Calls of one caller.
const CALLS: u32 = 8;

const CALL: Duration = Duration::from_secs(40);

const ATTEMPT: Duration = Duration::from_secs(12);

const STREAM: Duration = Duration::from_secs(60);

const ATTEMPTS: u32 = 4;

/// The longest wait that a client of the default policy accepts.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// The timers of tokio have a resolution of a millisecond.
const TOLERANCE: Duration = Duration::from_millis(5);
