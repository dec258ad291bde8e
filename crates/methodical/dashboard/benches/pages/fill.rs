//! Fills a mirror by real syncs of people, teams and placements, record by record.

use std::time::{Duration, UNIX_EPOCH};

use methodical_dashboard::mirror::model::tables::{
    Column, MirrorVisitor, Mirrored, Recovery, Table,
};
use methodical_dashboard::mirror::model::{ListOperation as _, Next};
use methodical_dashboard::mirror::{Mirror, Rules};

use crate::service::{Directory, List, ListPersons, PERSON};

const TEAM: Table = Table::new("team", "id", &[Column::text(&["id"]), Column::text(&["name"])]);

pub(crate) const PLACEMENT: Table = Table::new(
    "person_team",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["team_id"]),
        Column::text(&["person_id"]),
        Column::text(&["status"]),
    ],
);

impl Mirrored for Directory {
    fn visit(visitor: &mut impl MirrorVisitor<Self>) {
        visitor.list(&PERSON, ListPersons);
        visitor.list(&TEAM, ListPersons);
        visitor.recovery(Recovery {
            table: &PLACEMENT,
            members: &PERSON,
            groups: &TEAM,
            value: "status",
            known_values: &STATUSES,
            of_group: |_| Ok(ListPersons),
            of_value: |_, _| Ok(ListPersons),
            filters: |_| (None, None),
        });
    }
}

/// Syncs a mirror once a day.
pub(crate) struct Syncs {
    mirror: Mirror,
    size: u64,
    day: u64,
}

impl Syncs {
    pub(crate) fn new(mirror: Mirror, size: u64) -> Self {
        Self { mirror, size, day: 0 }
    }

    /// Syncs all lists for the first time.
    pub(crate) fn first(&mut self) {
        self.persons(List::Same);
        self.groups();
        self.placements();
    }

    /// Syncs all lists on another day: 0.5 % of the people changed, 0.5 % are new, 0.2 % are absent, and 0.5 % moved.
    pub(crate) fn next_day(&mut self) {
        self.day += 1;
        self.persons(List::Changed);
        self.groups();
        self.placements();
    }

    fn at_time(&mut self) {
        let time = UNIX_EPOCH + Duration::from_secs(START + self.day * 24 * 3600);
        let mirror = std::mem::replace(&mut self.mirror, Mirror::in_memory().unwrap());
        self.mirror = mirror.with_clock(move || time);
    }

    fn persons(&mut self, list: List) {
        self.at_time();
        let mut run = self.mirror.begin("persons/list", &PERSON, Rules::default()).unwrap();
        let mut decoder = ListPersons.decoder();
        for piece in list.body(self.size) {
            decoder.push(&piece);
            while let Next::Item(taken) =
                decoder.next_json_with(|_person, json| run.record(json)).unwrap()
            {
                taken.unwrap();
            }
        }
        run.finish().unwrap();
    }

    /// Syncs the groups. The last one has a different name each time.
    pub(crate) fn groups(&mut self) {
        self.day += 1;
        self.at_time();
        let mut run = self.mirror.begin("teams/list", &TEAM, Rules::default()).unwrap();
        for id in 1..=TEAMS {
            let of_day = if id == TEAMS { self.day } else { 0 };
            run.record(&format!(r#"{{"id":"{id}","name":"Team {id} {of_day}"}}"#)).unwrap();
        }
        run.finish().unwrap();
    }

    fn placements(&mut self) {
        self.at_time();
        let mut run =
            self.mirror.begin("recovery/person_team", &PLACEMENT, Rules::default()).unwrap();
        for id in 1..=self.size {
            let team = team(id);
            // Each day, a different 0.5 % of the people move.
            let moved = (0..self.day).filter(|day| id % 200 == day % 200).count() as u64;
            let status = (id + moved) % 9;
            let status = STATUSES.get(usize::try_from(status).unwrap());
            let status = status.map_or_else(|| "null".to_owned(), |status| format!("\"{status}\""));
            run.record(&format!(
                r#"{{"id":"{team}/{id}","team_id":"{team}","person_id":"{id}","status":{status}}}"#
            ))
            .unwrap();
        }
        run.finish().unwrap();
    }
}

/// Returns the team of a person. A tenth of all people are in one team.
pub(crate) fn team(person: u64) -> u64 {
    if person.is_multiple_of(10) { 1 } else { person % TEAMS + 1 }
}

const STATUSES: [&str; 8] =
    ["New", "Called", "Invited", "Met", "Offered", "Hired", "Refused", "Left"];

/// Number of teams.
pub(crate) const TEAMS: u64 = 1_000;

/// 2026-01-05 08:00 UTC.
const START: u64 = 1_767_600_000;
