//! `vacancies/list`.

use crate::contract::check::group;
use crate::contract::evidence::Evidence;
use crate::contract::record;
use crate::outcome::{Outcome, ensure};

group! { "vacancies":
    response: "the list is answered with 200", Contract("4.2") => |seen| seen.vacancies.has_status(200);
    bare_array: "the response is an array, not wrapped in an object", Contract("4.2") => bare_array;
    objects: "every element is an object", Contract("4.2")
        => |seen| record::objects(seen.vacancies.list()?).map(drop);
    id: "`id` is numeric text", Contract("2") => |seen| record::numeric_ids(seen.vacancies.list()?);
    ids_differ: "every vacancy has a different `id`", Contract("2")
        => |seen| record::distinct(&seen.vacancies.ids()?);
    project: "`project` is text", Contract("2")
        => |seen| record::text(&seen.vacancies.records()?, "project");
    order: "vacancies are sorted by ascending `id`", Decision("D-order")
        => |seen| record::ascending(&seen.vacancies.ids()?);
    all_fields: "every vacancy has every field", Decision("D-presence")
        => |seen| record::all_fields(&seen.vacancies.records()?, FIELDS);
    no_other_fields: "no vacancy has an unknown field", Decision("D-extra")
        => |seen| record::no_other_fields(&seen.vacancies.records()?, FIELDS);
}

fn bare_array(seen: &Evidence) -> Outcome {
    ensure!(seen.vacancies.success()?.json()?.is_array(), "the response is not an array");
    Ok(())
}

const FIELDS: &[&str] = &["id", "project"];
