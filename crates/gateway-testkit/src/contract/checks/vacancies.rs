//! `vacancies/list`.

use crate::contract::check::{Outcome, ensure, group};
use crate::contract::checks::record;
use crate::contract::evidence::Evidence;

group! { "vacancies":
    answer: "the list is answered with 200", Text("4.2");
    bare_array: "the answer is an array that is not wrapped in an object", Text("4.2");
    objects: "every element is an object", Text("4.2");
    id: "id is numeric text", Text("2");
    ids_differ: "no two vacancies have the same id", Text("2");
    project: "project is text", Text("2");
    order: "vacancies come by ascending id", Decision("D-order");
    all_fields: "every vacancy has every field", Decision("D-presence");
    no_other_fields: "no vacancy has another field", Decision("D-extra");
}

fn answer(evidence: &Evidence) -> Outcome {
    evidence.vacancies.with_status(200).map(drop)
}

fn bare_array(evidence: &Evidence) -> Outcome {
    let is_array = evidence.vacancies.success()?.json()?.is_array();
    ensure!(is_array, "the answer is no array");
    Ok(())
}

fn objects(evidence: &Evidence) -> Outcome {
    record::objects(evidence.vacancies.list()?).map(drop)
}

fn id(evidence: &Evidence) -> Outcome {
    record::numeric_ids(evidence.vacancies.list()?)
}

fn ids_differ(evidence: &Evidence) -> Outcome {
    record::distinct(&evidence.vacancies.ids()?)
}

fn project(evidence: &Evidence) -> Outcome {
    let objects = record::some_objects(evidence.vacancies.list()?)?;
    record::text_where_there(&objects, "project", |_| true)
}

fn order(evidence: &Evidence) -> Outcome {
    record::ascending(&evidence.vacancies.ids()?)
}

fn all_fields(evidence: &Evidence) -> Outcome {
    let objects = record::some_objects(evidence.vacancies.list()?)?;
    record::exactly(&objects, &["id", "project"], false)
}

fn no_other_fields(evidence: &Evidence) -> Outcome {
    let objects = record::some_objects(evidence.vacancies.list()?)?;
    record::exactly(&objects, &["id", "project"], true)
}
