//! The story of the mirror: syncs and deliveries during faults and crashes of the mirror, and syncs after them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use gateway_model::service::RecruitmentGateway;
use gateway_transport::gzip::Gzip;
use methodical_client::blocking::Client;
use methodical_mirror::{
    Change, Error, Event, Failure, Limits, Mirror, Sink, State, SyncError, SyncOptions, SyncReport,
};
use tokio::task::JoinSet;

use crate::copy::{CANDIDATES, Copy, PLACEMENTS, VACANCIES, is_synced};
use crate::faults::Stage;
use crate::gateway::HOST;
use crate::network::pause_up_to;
use crate::place::Place;
use crate::program::{self, Crash, Port};
use crate::transport::SimulatedTransport;
use crate::vault::BlockingVault;
use crate::world::{World, pause};

/// Runs the story of a seed.
pub(crate) async fn story(world: World) {
    let stage = Stage::new(&world);
    let mut random = world.fork();
    let place = Place::new(random.bool());
    let transport = SimulatedTransport::new(&world, &stage.network);
    let mut tasks = JoinSet::new();
    tasks.spawn(stage.clone().faults(FAULTS));
    tasks.spawn(stage.clone().keep_changing(FAULTS, Duration::from_secs(20)));
    let (received, before) = (Arc::default(), Copy::default());
    let mut replica =
        Replica { stage, transport, random, place, missing: None, mirror: None, received, before };
    for _ in 0..RUNS {
        let pause = FAULTS / (RUNS * 2);
        pause_up_to(&mut replica.random, pause).await;
        replica.run(true).await;
    }
    while tasks.join_next().await.is_some() {}
    pause(CALM).await;
    replica.converge().await;
}

/// A mirror that is synced repeatedly, and everything that it had before.
struct Replica {
    stage: Stage,
    transport: SimulatedTransport,
    random: Rng,
    place: Place,
    /// How many missing candidates the deletion guard reported in the last run.
    missing: Option<u64>,
    /// Unset before the first run and after a crash.
    mirror: Option<Mirror>,
    /// The events that a receiver got, in order.
    received: Arc<Mutex<Vec<Event>>>,
    before: Copy,
}

/// The report of a program that syncs and delivers.
struct Report {
    mirror: Mirror,
    sync: SyncReport,
    copy: Result<Copy, Error>,
}

impl Replica {
    /// Syncs and delivers once, and checks what that did. Returns whether nothing failed.
    async fn run(&mut self, may_crash: bool) -> bool {
        let world = self.stage.world.clone();
        let begun = world.elapsed();
        let crash = self.crash().filter(|_| may_crash);
        let options = self.options(may_crash);
        let client = self.client_of();
        if self.place.is_file() && self.random.bool() {
            // The program ends between two runs.
            self.mirror = None;
        }
        let is_checked = !may_crash || self.random.u8(0..3) == 0;
        let job = Job {
            world: world.clone(),
            place: self.place.clone(),
            mirror: self.mirror.take(),
            sink: Receiver {
                random: world.fork(),
                received: Arc::clone(&self.received),
                port: None,
                fails: may_crash,
            },
            is_checked,
        };
        let done = program::run(&world, &self.transport, crash, move |port| {
            job.run(port, client, &options)
        })
        .await;
        let Some(outcome) = done else {
            self.place.restore();
            self.after_crash(begun).await;
            return false;
        };
        match outcome {
            Ok(Report { mirror, sync, copy: Ok(copy) }) => {
                self.mirror = Some(mirror);
                self.missing = sync.failures().find_map(Error::missing);
                self.check_sync(begun, &sync, &copy);
                self.check_copy(&copy);
                self.before = copy;
                sync.failures().next().is_none()
            }
            Ok(Report { copy: Err(error), .. }) | Err(error) => {
                world.check(false, || format!("the mirror failed: {error}"));
                false
            }
        }
    }

    /// Opens the mirror again after a crash: each table is as before, or as after a complete list.
    async fn after_crash(&mut self, begun: Duration) {
        let (world, place) = (self.stage.world.clone(), self.place.clone());
        let clock = world.clone();
        let read = move |_: Port| place.open(&clock).and_then(|mirror| Copy::checked(&mirror));
        let read = program::run(&world, &self.transport, None, read).await;
        let Some(Ok(copy)) = read else {
            return world.check(false, || format!("the mirror cannot be opened again: {read:?}"));
        };
        for table in [CANDIDATES, VACANCIES] {
            let is_same = copy.rows(table) == self.before.rows(table);
            self.check_table(begun, table, &copy, is_same);
        }
        self.check_copy(&copy);
        self.before = copy;
    }

    /// Checks that each list that succeeded was one list of the service, and that the others changed nothing.
    fn check_sync(&self, begun: Duration, sync: &SyncReport, copy: &Copy) {
        let world = &self.stage.world;
        for report in &sync.tables {
            let table = report.table;
            let text = match &report.result {
                Ok(result) => format!("+{} -{}", result.added, result.missing),
                Err(error) => format!("{:?}", error.kind()),
            };
            world.note(format!("sync {table} {text} {} calls", report.calls));
            let is_same = copy.rows(table) == self.before.rows(table);
            match &report.result {
                Err(error) => world.check(is_same || self.is_cascade(table, copy), || {
                    format!("`{table}` changed: {error}")
                }),
                Ok(_) if table == PLACEMENTS => {}
                Ok(_) => self.check_table(begun, table, copy, false),
            }
        }
        let end = world.elapsed();
        let calls = u32::try_from(sync.calls).unwrap_or(u32::MAX);
        // Each call may use all its time, and then wait for the body.
        let limit = (CALL + STREAM) * calls + Duration::from_secs(1);
        world.check(end.saturating_sub(begun) <= limit, || "a sync took too long".to_owned());
        // The calls are spaced evenly.
        let least = Duration::from_secs(1) * calls.saturating_sub(1) / RATE;
        let elapsed = end.saturating_sub(begun);
        world.check(elapsed >= least, || format!("{calls} calls in {elapsed:?}"));
    }

    /// Returns whether the only placements that differ are gone with their candidate or their vacancy.
    fn is_cascade(&self, table: &str, copy: &Copy) -> bool {
        let is_gone = |table: &str, id: &str| {
            copy.rows(table).get(id).is_some_and(|(state, _)| *state == State::Gone)
        };
        let before = self.before.rows(table);
        table == PLACEMENTS
            && copy.rows(table).iter().filter(|(id, row)| before.get(*id) != Some(row)).all(
                |(id, (state, _))| {
                    let (vacancy, candidate) = id.split_once('/').unwrap_or_default();
                    let parent = is_gone(VACANCIES, vacancy) || is_gone(CANDIDATES, candidate);
                    *state == State::Gone && parent
                },
            )
    }

    fn check_table(&self, begun: Duration, table: &str, copy: &Copy, is_excused: bool) {
        let (before, after) = (self.before.rows(table), copy.rows(table));
        let account = &self.stage.account;
        let is_it = || account.had_since(begun, |state| is_synced(table, before, after, state));
        self.stage.world.check(is_excused || is_it(), || {
            format!("`{table}` is not what a list of the service makes of it")
        });
    }

    /// Checks what must hold at any time.
    fn check_copy(&self, copy: &Copy) {
        let world = &self.stage.world;
        world.check(copy.findings.is_empty(), || format!("findings: {:?}", copy.findings));
        let is_longer = copy.feed.len() >= self.before.feed.len();
        let mut both = self.before.feed.iter().zip(&copy.feed);
        world.check(is_longer && both.all(|(before, after)| is_kept(before, after)), || {
            "the feed was rewritten".to_owned()
        });
        let ascends =
            copy.feed.windows(2).all(|pair| matches!(pair, [a, b] if a.number < b.number));
        world.check(ascends, || "the numbers of the feed do not ascend".to_owned());
        world.check(copy.fold() == copy.states(), || {
            "the fold of the feed is not the state of the tables".to_owned()
        });
        for ((vacancy, candidate), status) in copy.placements() {
            let was_so = self.stage.account.had_since(Duration::ZERO, |state| {
                let was = state.statuses.get(&(vacancy, candidate));
                was.is_some_and(|was| status.as_ref().is_none_or(|status| status == was))
            });
            world.check(was_so, || {
                format!("{candidate} in {vacancy} never had the status {status:?}")
            });
        }
        world.note(format!("{} changes, {} rows", copy.feed.len(), copy.states().len()));
    }

    /// After the faults: two syncs bring everything up to date, and all events arrive.
    async fn converge(&mut self) {
        let world = self.stage.world.clone();
        // The deletion guard may refuse the first list. The next run accepts what it reported.
        let mut complete = 0;
        for _ in 0..3 {
            if complete < 2 {
                complete += u32::from(self.run(false).await);
            }
        }
        world.check(complete == 2, || "a sync failed after the faults had ended".to_owned());
        let now = self.stage.account.now();
        let copy = &self.before;
        let statuses: Vec<_> =
            now.statuses.iter().map(|(key, status)| (*key, Some(status.clone()))).collect();
        let known: Vec<_> = copy.placements().into_iter().collect();
        world.check(known == statuses, || "the board differs from the service".to_owned());
        for (table, count) in [(CANDIDATES, now.candidates.len()), (VACANCIES, now.vacancies.len())]
        {
            let is_settled = is_synced(table, copy.rows(table), copy.rows(table), &now);
            world.check(is_settled, || format!("`{table}` differs from {count} records"));
        }
        let received = self.received.lock().unwrap();
        let ids: BTreeSet<_> = received.iter().map(|event| &*event.id).collect();
        let numbers: BTreeSet<_> = received.iter().map(|event| event.change.number).collect();
        let feed: BTreeSet<_> = copy.feed.iter().map(|change| change.number).collect();
        world.check(numbers == feed, || "an event was lost".to_owned());
        world.check(ids.len() == feed.len(), || "an id has two events".to_owned());
        let is_real = received
            .iter()
            .all(|event| copy.feed.iter().any(|after| is_kept(&event.change, after)));
        world.check(is_real, || "an event is not in the feed".to_owned());
    }

    fn client_of(&mut self) -> impl FnOnce(Port) -> Client<RecruitmentGateway> + Send + use<> {
        let vault = BlockingVault(self.stage.vault.clone());
        let is_compressed = self.random.bool();
        move |port| {
            let client = Client::builder(format!("http://{HOST}"))
                .allow_insecure_http()
                .token(vault)
                .call_timeout(CALL)
                .requests_per_second(RATE)
                .stream_timeout(STREAM);
            let client = if is_compressed {
                client.transport(Gzip::new(port))
            } else {
                client.transport(port)
            };
            client.build().unwrap()
        }
    }

    fn options(&mut self, is_partial: bool) -> SyncOptions {
        let recheck = if is_partial { self.random.u32(1..9) } else { 1 };
        let missing = self.missing.take();
        SyncOptions {
            emits_baseline: true,
            accepted_missing: missing
                .map(|count| (CANDIDATES.to_owned(), count))
                .into_iter()
                .collect(),
            // More would start threads, whose order the seed does not decide.
            concurrency: 1,
            recheck_every: recheck,
            ..SyncOptions::default()
        }
    }

    /// Draws whether and when this run crashes. A mirror in memory never does, because it would be lost.
    fn crash(&mut self) -> Option<Crash> {
        let (place, after) = (self.place.clone(), self.random.u32(0..120));
        let is_crash = self.random.u8(0..3) == 0 && place.is_file();
        is_crash.then(|| Crash { after, then: Box::new(move || place.keep()) })
    }
}

/// A program that opens the mirror, syncs it, delivers its events, and reads everything.
struct Job {
    world: World,
    place: Place,
    mirror: Option<Mirror>,
    sink: Receiver,
    /// Whether the mirror checks itself at the end.
    is_checked: bool,
}

impl Job {
    fn run(
        mut self,
        port: Port,
        client: impl FnOnce(Port) -> Client<RecruitmentGateway>,
        options: &SyncOptions,
    ) -> Result<Report, Error> {
        let mut mirror = self.mirror.take().map_or_else(|| self.place.open(&self.world), Ok)?;
        mirror.add_consumer(CONSUMER)?;
        let sync = mirror.sync_all(&client(port.clone()), options);
        let sync = sync.unwrap_or_else(SyncError::into_report);
        if !self.sink.fails {
            // Ends the wait after a failure.
            mirror.enable_consumer(CONSUMER)?;
        }
        self.sink.port = Some(port);
        // A failure of the receiver is expected: the events arrive later.
        drop(mirror.deliver(CONSUMER, &mut self.sink, &Limits::default()));
        let copy = if self.is_checked { Copy::checked(&mirror) } else { Copy::read(&mirror) };
        Ok(Report { mirror, sync, copy })
    }
}

/// Receives events, and sometimes fails.
struct Receiver {
    random: Rng,
    received: Arc<Mutex<Vec<Event>>>,
    port: Option<Port>,
    fails: bool,
}

impl Sink for Receiver {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        if self.fails && self.random.u8(0..60) == 0 {
            return Err(Failure::new("the receiver is closed"));
        }
        self.received.lock().unwrap().extend_from_slice(events);
        if let Some(port) = &self.port {
            port.step();
        }
        Ok(())
    }
}

/// Duration of the faults.
const FAULTS: Duration = Duration::from_secs(300);

/// Number of syncs during the faults.
const RUNS: u32 = 5;

/// Time after the faults in which a rate limit and waits end.
const CALM: Duration = Duration::from_secs(30);

const CALL: Duration = Duration::from_secs(40);

const STREAM: Duration = Duration::from_secs(120);

/// Calls per second of a sync.
const RATE: u32 = 4;

const CONSUMER: &str = "receiver";

/// Returns whether a change is the same. An erasure empties only the values of a placement.
fn is_kept(before: &Change, after: &Change) -> bool {
    let mut before = before.clone();
    before.previous = before.previous.filter(|_| after.previous.is_some());
    before.value = before.value.filter(|_| after.value.is_some());
    before == *after
}
