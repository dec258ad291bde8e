//! Sample data that changes from day to day, over some weeks.

use std::sync::Arc;

use jiff::Timestamp;

use crate::config::{Clock, UnixTime};
use crate::demo_data::{
    Person, Random, applications, candidate_id, credits, place, vacancy, vacancy_id,
};
use crate::error::Error;
use crate::store::{AccountId, ApplicationRow, ImportMode, Removals, Stage, Store};

/// The data of a [`Demo`](crate::demo::Demo) over some weeks: candidates apply, move from status to status and
/// withdraw, vacancies open and close, and credits are spent and bought.
///
/// The data of a day is the same on every machine, except for dates, which end today.
#[derive(Debug)]
pub struct DemoHistory {
    store: Arc<Store>,
    account: AccountId,
    /// A time on day 0, in seconds since 1970.
    began: i64,
}

impl DemoHistory {
    /// Number of days. The last one is today.
    pub const DAYS: u32 = 30;

    /// The statuses that [`set_day`](Self::set_day) uses but the contract does not list.
    pub const STATUSES: &[&str] = &[INVITED, HIRED];

    pub(crate) fn new(store: Arc<Store>, account: AccountId) -> Self {
        let UnixTime(now) = Clock::system().now();
        Self { store, account, began: now - i64::from(Self::DAYS - 1) * DAY }
    }

    /// Replaces the server's data with the data of a day, from 0 to [`DAYS`](Self::DAYS) - 1.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn set_day(&self, day: u32) -> Result<(), Error> {
        let fill = &mut |stage: &mut dyn Stage| self.fill(i64::from(day), stage);
        self.store.replace(self.account, ImportMode::Commit, Removals::Few, fill).map(drop)
    }

    fn fill(&self, day: i64, stage: &mut dyn Stage) -> Result<(), Error> {
        for number in (0..VACANCIES).filter(|number| is_open(*number, day)) {
            vacancy(stage, number)?;
        }
        for number in 0..CANDIDATES {
            let mut random = Random(SEED.wrapping_mul(u64::from(number) + 1));
            let mut person = Person::draw(&mut random, number);
            let stay = Stay::draw(&mut random);
            let chosen = applications(&mut random, VACANCIES);
            person.date = self.written(stay.from, random.below(32_400));
            if day >= stay.renumbered {
                person.mobile = format!("+31 6 {number:04} {:04}", number * 37 % 10_000);
            }
            if !stay.is_listed(day) {
                continue;
            }
            person.stage(stage, number)?;
            for vacancy in chosen {
                let course = Course::draw(&mut random, stay.from);
                if is_open(vacancy, day) {
                    let (vacancy_id, candidate_id) = (vacancy_id(vacancy), candidate_id(number));
                    let row =
                        ApplicationRow { vacancy_id, candidate_id, status: course.status(day) };
                    stage.application(place(number), &row)?;
                }
            }
        }
        let cents = balance(day);
        credits(stage, &format!("{}.{:02}", cents / 100, cents % 100))
    }

    /// Returns a time on a day, given in seconds after the first application of that day, in the format of the service.
    fn written(&self, day: i64, seconds: u64) -> String {
        // The time of day when the list is read.
        let now = self.began + day * DAY;
        let midnight = now.div_euclid(DAY) * DAY;
        let seconds = midnight + 28_800 + i64::try_from(seconds).unwrap_or(0);
        let time = Timestamp::from_second(seconds.min(now)).unwrap_or_default();
        time.strftime("%Y-%m-%d %H:%M:%S").to_string()
    }
}

/// The days on which a candidate is in the list.
struct Stay {
    from: i64,
    /// The day of the withdrawal.
    until: i64,
    /// A day on which the candidate is absent, before returning on the next.
    absent: i64,
    /// The day from which the candidate has another mobile number.
    renumbered: i64,
}

impl Stay {
    fn draw(random: &mut Random) -> Self {
        let from = match random.below(5) {
            0 | 1 => -days(random, 1, 40),
            _ => days(random, 1, LAST_DAY),
        };
        let until = if random.below(9) == 0 { from + days(random, 8, 24) } else { i64::MAX };
        let absent = if random.below(25) == 0 { from + days(random, 4, 12) } else { i64::MIN };
        let renumbered = if random.below(10) == 0 { from + days(random, 5, 20) } else { i64::MAX };
        Self { from, until, absent, renumbered }
    }

    fn is_listed(&self, day: i64) -> bool {
        (self.from..self.until).contains(&day) && day != self.absent
    }
}

/// The statuses of a candidate in a vacancy, each with its first day.
struct Course(Vec<(i64, &'static str)>);

impl Course {
    fn draw(random: &mut Random, from: i64) -> Self {
        let mut course = vec![(from, "New")];
        let mut day = from;
        for (next, of_ten) in [("Shortlist", 6), (INVITED, 6), (HIRED, 4)] {
            day += days(random, 2, 10);
            if random.below(10) >= of_ten {
                course.push((day, "Rejected"));
                break;
            }
            course.push((day, next));
        }
        Self(course)
    }

    fn status(&self, day: i64) -> &'static str {
        let begun = self.0.iter().take_while(|(from, _)| *from <= day);
        begun.last().map_or("New", |(_, status)| status)
    }
}

/// Returns the credits on a day, in hundredths. Some are spent every day, fewer on two days of the week. When few are
/// left, more are bought.
fn balance(day: i64) -> i64 {
    let mut random = Random(SEED);
    let mut balance = 27_450;
    for past in 0..=day {
        let spent = if past % 7 < 5 { days(&mut random, 900, 2_100) } else { 75 };
        balance -= spent;
        if balance < 6_000 {
            balance += 25_000;
        }
    }
    balance
}

/// Picks a number from `low` to `high`.
fn days(random: &mut Random, low: i64, high: i64) -> i64 {
    let range = u64::try_from(high - low + 1).unwrap_or(1);
    low + i64::try_from(random.below(range)).unwrap_or(0)
}

const INVITED: &str = "Invited – 2nd round";

const HIRED: &str = "Hired";

/// Total number of candidates on all days.
const CANDIDATES: u32 = 140;

/// Total number of vacancies on all days.
const VACANCIES: u32 = 11;

/// Returns whether a vacancy is open on a day. Most are always open.
fn is_open(vacancy: u32, day: i64) -> bool {
    match vacancy {
        7 => day < 22,
        9 => day >= 7,
        10 => day >= 15,
        _ => true,
    }
}

const LAST_DAY: i64 = DemoHistory::DAYS as i64 - 1;

/// A day, in seconds.
const DAY: i64 = 86_400;

const SEED: u64 = 0x5EED_0F0D_E305;
