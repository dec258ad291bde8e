//! A mirror reads every list, recovers every status, and samples every balance.

use gateway_model::service::RecruitmentGateway;
use gateway_model::tables::{
    CANDIDATE, CANDIDATE_VACANCY, ColumnKind, Gauge, MirrorVisitor, Mirrored, Recovery, Table,
    VACANCY,
};
use gateway_model::{DecodeErrorKind, ListOperation, Operation, Record};
use methodical_model::PagedOperation;
use serde::Serialize;

/// Describes each visit in a line.
#[derive(Default)]
struct Visits(Vec<String>);

impl MirrorVisitor<RecruitmentGateway> for Visits {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = RecruitmentGateway, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.0.push(format!("{}: {}", table.name(), query.query().unwrap().as_str()));
    }

    fn paged_list<O>(&mut self, table: &'static Table, _: O)
    where
        O: PagedOperation<Service = RecruitmentGateway>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        panic!("{} has no pages", table.name());
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = RecruitmentGateway, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        assert_eq!((recovery.members, recovery.groups), (&CANDIDATE, &VACANCY));
        assert_eq!((recovery.value, recovery.known_values.len()), ("status", 3));
        let whole = (recovery.of_group)("52").unwrap();
        let part = (recovery.of_value)("52", "On hold").unwrap();
        for query in [&whole, &part] {
            let query = query.query().unwrap();
            self.0.push(format!("{}: {}", recovery.table.name(), query.as_str()));
        }
        assert_eq!((recovery.filters)(&whole), (Some("52".to_owned()), None));
        assert_eq!((recovery.filters)(&part), (Some("52".to_owned()), Some("On hold".to_owned())));
        let refused = (recovery.of_group)("fifty-two").err().unwrap();
        assert_eq!((refused.kind(), refused.path()), (DecodeErrorKind::Parameter, "vacancy_id"));
        assert!((recovery.of_value)("52", "").is_err());
    }

    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = RecruitmentGateway, Output: Serialize> + Send + Sync + 'static,
    {
        assert_eq!(gauge.value(), ["credits_number"]);
        assert_eq!(gauge.unit(), Some(&["currency"][..]));
        self.0.push(format!("{}: {}", gauge.name(), query.query().unwrap().as_str()));
    }
}

#[test]
fn a_mirror_reads_every_list() {
    let mut visits = Visits::default();
    RecruitmentGateway::visit(&mut visits);
    assert_eq!(
        visits.0,
        [
            "candidate: method=candidates/list",
            "vacancy: method=vacancies/list",
            "candidate_vacancy: method=candidates/list&vacancy_id=52",
            "candidate_vacancy: method=candidates/list&vacancy_id=52&status=On%20hold",
            "credits: method=credits/get",
        ]
    );
}

#[test]
fn a_table_has_a_column_for_each_field_and_marks_the_personal_ones() {
    let text = |column: &gateway_model::tables::Column| {
        assert_eq!(column.kind(), ColumnKind::Text);
        format!("{}{}", column.path().join("."), if column.is_personal() { "*" } else { "" })
    };
    let columns = |table: &Table| table.columns().iter().map(text).collect::<Vec<_>>();
    // In the order of the spec; a new field may be among them.
    let has = |table: &Table, expected: &[&str]| {
        let mut columns = columns(table).into_iter();
        expected.iter().all(|one| columns.any(|column| column == *one))
    };
    assert!(has(
        &CANDIDATE,
        &["id", "name*", "email*", "phone*", "date", "portal.id", "portal.name", "type"]
    ));
    assert!(has(&VACANCY, &["id", "project"]));
    assert_eq!(columns(&CANDIDATE_VACANCY), ["id", "vacancy_id", "candidate_id", "status"]);
}
