//! Realistic but invented sample data. The same seed gives the same data on every machine and in every release.

use crate::error::{Error, Place};
use crate::fields::Record as _;
use crate::generated::record::{CandidateRow, CreditsRow, PortalRow, VacancyRow};
use crate::store::{ApplicationRow, Stage};

/// The amount of sample data, and its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoData {
    /// The number of candidates.
    pub candidates: u32,
    /// The seed. The same seed gives the same data.
    pub seed: u64,
}

impl Default for DemoData {
    /// Returns an amount that is small enough for a person to read.
    fn default() -> Self {
        Self { candidates: 24, seed: 7 }
    }
}

impl DemoData {
    /// Stages vacancies, candidates, their statuses and a credit balance. Other fields have the spec's example values.
    ///
    /// # Errors
    ///
    /// Fails if the stage refuses a record or cannot be written.
    pub fn fill(self, stage: &mut dyn Stage) -> Result<(), Error> {
        let mut random = Random(self.seed);
        let vacancies = (self.candidates / 4).clamp(1, 2_000);
        for number in 0..vacancies {
            vacancy(stage, number)?;
        }
        for number in 0..self.candidates {
            Person::draw(&mut random, number).stage(stage, number)?;
            for vacancy in applications(&mut random, vacancies) {
                let status = random.pick(&STATUSES);
                let candidate_id = candidate_id(number);
                let row = ApplicationRow { vacancy_id: vacancy_id(vacancy), candidate_id, status };
                stage.application(place(number), &row)?;
            }
        }
        credits(stage, "184.50")
    }
}

/// An invented person who applies.
pub(crate) struct Person {
    name: String,
    email: String,
    phone: String,
    pub(crate) mobile: String,
    /// When the person applied, as `YYYY-MM-DD HH:MM:SS`.
    pub(crate) date: String,
    portal: u64,
}

impl Person {
    pub(crate) fn draw(random: &mut Random, number: u32) -> Self {
        let (first, ascii_first) = random.name(FIRST_NAMES);
        let (last, ascii_last) = random.name(LAST_NAMES);
        let portal = random.below(PORTALS.len() as u64);
        let phone = match random.below(4) {
            // Some candidates have no landline, and the formats of the numbers differ.
            0 => String::new(),
            1 => format!("+49 30 {:07}", random.below(10_000_000)),
            2 => format!("+40 21 {:03} {:04}", random.below(1_000), random.below(10_000)),
            _ => format!("+31 20 {:07}", random.below(10_000_000)),
        };
        let mobile = format!("+31 6 {:04} {:04}", random.below(10_000), random.below(10_000));
        let date = format!(
            "2026-{:02}-{:02} {:02}:{:02}:{:02}",
            1 + random.below(10),
            1 + random.below(28),
            7 + random.below(14),
            random.below(60),
            random.below(60)
        );
        // `example.org` is reserved for examples (RFC 2606).
        let email = format!("{ascii_first}.{ascii_last}{number}@example.org");
        Self { name: format!("{first} {last}"), email, phone, mobile, date, portal }
    }

    pub(crate) fn stage(&self, stage: &mut dyn Stage, number: u32) -> Result<(), Error> {
        let portal = usize::try_from(self.portal).unwrap_or(0);
        let portal_name = PORTALS.get(portal).copied().unwrap_or("");
        stage.candidate(
            place(number),
            candidate_id(number),
            &CandidateRow {
                name: &self.name,
                email: &self.email,
                phone: &self.phone,
                phone_mobile: &self.mobile,
                date: &self.date,
                portal: PortalRow {
                    name: portal_name,
                    ..PortalRow::new(&(self.portal + 1).to_string())
                },
                kind: "person",
                ..CandidateRow::example()
            },
        )
    }
}

pub(crate) fn vacancy(stage: &mut dyn Stage, number: u32) -> Result<(), Error> {
    let project = project(number);
    let row = VacancyRow { project: &project, ..VacancyRow::example() };
    stage.vacancy(place(number), vacancy_id(number), &row)
}

pub(crate) fn credits(stage: &mut dyn Stage, amount: &str) -> Result<(), Error> {
    let mut credits = CreditsRow::example();
    (credits.credits_number, credits.currency) = (amount, "EUR");
    stage.credits(place(0), &credits)
}

pub(crate) fn vacancy_id(number: u32) -> i64 {
    FIRST_VACANCY + i64::from(number)
}

pub(crate) fn candidate_id(number: u32) -> i64 {
    FIRST_CANDIDATE + i64::from(number) * 7
}

/// Picks the vacancies of a candidate: usually one, sometimes two or none. The first ones are the most popular.
pub(crate) fn applications(random: &mut Random, vacancies: u32) -> Vec<u32> {
    let count = match random.below(10) {
        0 => 0,
        1..=7 => 1,
        _ => 2,
    };
    let mut chosen = Vec::with_capacity(count);
    for _ in 0..count {
        let reach = 1 + random.below(u64::from(vacancies));
        let vacancy = u32::try_from(random.below(reach)).unwrap_or(0);
        if !chosen.contains(&vacancy) {
            chosen.push(vacancy);
        }
    }
    chosen
}

fn project(number: u32) -> String {
    let index = usize::try_from(number).unwrap_or(0);
    let title = PROJECTS.get(index % PROJECTS.len()).copied().unwrap_or("");
    match index / PROJECTS.len() {
        0 => title.to_owned(),
        round => format!("{title} ({})", round + 1),
    }
}

pub(crate) fn place(number: u32) -> Place {
    Place { file: 0, line: u64::from(number) + 1 }
}

/// The `SplitMix64` generator, which returns the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        let index = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(index).copied().unwrap_or_default()
    }

    fn name(&mut self, from: &'static str) -> (&'static str, &'static str) {
        let index = self.below(from.split(", ").count() as u64);
        let name = usize::try_from(index).ok().and_then(|index| from.split(", ").nth(index));
        name.and_then(|name| name.split_once('/')).unwrap_or_default()
    }
}

const FIRST_VACANCY: i64 = 101;

const FIRST_CANDIDATE: i64 = 48_001;

const STATUSES: [&str; 6] = ["New", "New", "New", "Rejected", "Shortlist", "Invited – 2nd round"];

const PORTALS: [&str; 6] =
    ["Indeed", "LinkedIn", "Nationale Vacaturebank", "StepStone", "eJobs", "Careers page"];

const PROJECTS: [&str; 12] = [
    "Warehouse operator, night shift",
    "Senior Rust engineer",
    "Ingénieur qualité (H/F)",
    "Pflegefachkraft – Teilzeit",
    "Customer service agent, Dutch/German",
    "Șef de șantier",
    "Truck driver C/E",
    "Financial controller",
    "Account manager \"Benelux\"",
    "Elektriker Gebäudetechnik",
    "Barista & shift lead",
    "データアナリスト",
];

/// First names, each with its form in an e-mail address.
const FIRST_NAMES: &str = "Anna/anna, Bram/bram, Chloé/chloe, Dirk/dirk, Eva/eva, Ștefan/stefan, Gijs/gijs, \
    Hanna/hanna, İlker/ilker, Jürgen/jurgen, Kim/kim, Łukasz/lukasz, 美咲/misaki, Noor/noor, Олена/olena, Seán/sean";

/// Last names, each with its form in an e-mail address.
const LAST_NAMES: &str = "Jansen/jansen, de Vries/devries, van den Berg/vandenberg, Bakker/bakker, Groß/gross, \
    O'Neill/oneill, Núñez/nunez, Ionescu/ionescu, Müller-Lüdenscheidt/mullerludenscheidt, Kowalczyk/kowalczyk, \
    Şahin/sahin, Шевченко/shevchenko, 佐藤/sato, Nguyễn/nguyen";
