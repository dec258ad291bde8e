//! The parameters of operations: which records they select, and which values are refused.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::contract::checks::Group;
use crate::contract::checks::Source::{Contract as Section, Decision};
use crate::contract::checks::records::{has_data, reports_success};
use crate::contract::description::{Contract, Operation, Values, point};
use crate::contract::evidence::{Evidence, Parameter, unknown};
use crate::contract::exchange::Exchange;
use crate::encoded::encoded;
use crate::outcome::{Outcome, ensure, fail, skip};

/// Returns the checks of all parameters.
pub(super) fn group(contract: &'static Contract) -> Group {
    let mut group = Group::new("filters");
    for operation in contract.called() {
        for param in operation.params {
            let one = Parameter { operation, param };
            if param.required {
                one.required(&mut group);
            } else {
                one.optional(&mut group);
            }
            if operation.response.is_list && param.recovers.is_some() {
                one.filter(&mut group);
            }
            if !param.needs.is_empty() {
                one.alone(&mut group);
            }
            one.refused(&mut group);
        }
    }
    group
}

impl Parameter {
    fn required(self, group: &mut Group) {
        let Self { param, .. } = self;
        let title = format!("a call without `{}` is refused", param.name);
        group.add(self.name("missing"), title, Section(param.source), move |seen| {
            let query = seen.query_around(self.operation, param);
            seen.get(&query).is_refused(Some(self.operation))
        });
    }

    fn optional(self, group: &mut Group) {
        let Self { operation, param } = self;
        let title = format!("a call with `{}` is answered with 200", param.name);
        group.add(self.name("response"), title, Section(operation.source), move |seen| {
            self.known(seen)?.has_status(200)
        });
        let data = &operation.response;
        if data.success_title().is_some() || !data.body.at.is_empty() {
            let title = format!("a call with `{}` reports success and has its data", param.name);
            group.add(self.name("envelope"), title, Section(operation.source), move |seen| {
                let exchange = self.known(seen)?;
                reports_success(&exchange, data)?;
                has_data(&exchange, data)
            });
        }
    }

    /// Adds the checks of a parameter that selects records.
    fn filter(self, group: &mut Group) {
        let Self { operation, param } = self;
        if !param.required {
            let title = match param.needs {
                [] => format!("the records with a `{}` are a subset of all records", param.name),
                needs => format!(
                    "the records with a `{}` are a subset of those with `{}` alone",
                    param.name,
                    needs.join("` and `")
                ),
            };
            group.add(self.name("subset"), title, Section(param.source), move |seen| {
                self.subset(seen)
            });
        }
        if let Some(unknown) = param.unknown {
            let is_text = param.values == Values::Text;
            // A service may also respond that it does not know an identifier.
            let source = if is_text {
                Section(param.source)
            } else {
                Decision(point(param.open, "-unknown", "D-unknown"))
            };
            let title = format!("an unknown `{}` matches no record", param.name);
            group.add(format_args!("unknown_{}", param.check), title, source, move |seen| {
                let exchange = self.with(seen, &encoded(unknown));
                if !is_text {
                    exchange.has_status(200)?;
                }
                empty(operation, &exchange)
            });
        }
        if let Some(other) = self.sample_in_upper_case() {
            let title = format!("`{}` is matched case-sensitively", param.name);
            let source = Decision(point(param.open, "-match", "D-match"));
            group.add(self.name("case"), title, source, move |seen| {
                if self.with_sample(seen).ids(operation)?.is_empty() {
                    return skip(format!("no record has the `{}` {}", param.name, param.sample));
                }
                empty(operation, &self.with(seen, &encoded(&other)))
            });
        }
    }

    /// Adds the checks that send a parameter without the parameters that it needs.
    fn alone(self, group: &mut Group) {
        let Self { operation, param } = self;
        let needs = param.needs.join("` and `");
        let title = format!("`{}` without `{needs}` has no effect", param.name);
        if operation.response.is_list && operation.record.identity.is_some() {
            group.add(self.name("alone"), title, Section(param.source), move |seen| {
                self.has_no_effect(seen)
            });
        }
        let title = format!("a header says that `{}` without `{needs}` has no effect", param.name);
        let source = Decision(point(param.open, "-alone", "D-alone"));
        group.add(self.name("alone_notice"), title, source, move |seen| {
            let exchange = self.without_needs(seen);
            let notice = exchange.success()?.header("gateway-notice");
            let is_there = notice.is_some_and(|text| !text.is_empty());
            ensure!(is_there, "the header `Gateway-Notice` is missing or empty");
            Ok(())
        });
    }

    /// Adds the checks of values that the service refuses.
    fn refused(self, group: &mut Group) {
        let Self { operation, param } = self;
        let refused = operation.refused_with(400);
        if matches!(param.values, Values::NumericId | Values::Integer) {
            let title = format!("a `{}` that is not an integer is {refused}", param.name);
            let source = Decision(point(param.open, "-integer", "D-integer"));
            group.add(self.name("text"), title, source, move |seen| {
                self.with(seen, "text").is_refused_with(400, Some(operation))
            });
        }
        let title = format!("an empty `{}` is {refused}", param.name);
        group.add(self.name("empty"), title, Decision("D-empty"), move |seen| {
            self.with(seen, "").is_refused_with(400, Some(operation))
        });
    }

    /// Sends a value that the service should accept. Skips the check if the service refuses a value that it may lack.
    fn known(self, seen: &Evidence<'_>) -> Outcome<Rc<Exchange>> {
        let exchange = self.with_sample(seen);
        if !seen.is_known(self.param) {
            unknown(&exchange, self.operation, self.param)?;
        }
        Ok(exchange)
    }

    fn has_no_effect(self, seen: &Evidence<'_>) -> Outcome {
        let (plain, exchange) = (seen.plain(self.operation), self.without_needs(seen));
        let all: BTreeSet<_> = plain.ids(self.operation)?.into_iter().collect();
        exchange.has_status(200)?;
        let alone: BTreeSet<_> = exchange.ids(self.operation)?.into_iter().collect();
        if alone != all {
            unchanged(seen, &seen.query(self.operation))?;
            return fail(format!("{} records instead of {}", alone.len(), all.len()));
        }
        Ok(())
    }

    /// Requires that every record of the filtered list is also in the list without this filter.
    fn subset(self, seen: &Evidence<'_>) -> Outcome {
        let Self { operation, param } = self;
        let around = seen.query_around(operation, param);
        let whole: BTreeSet<_> = seen.get(&around).ids(operation)?.into_iter().collect();
        let part = self.with_sample(seen).ids(operation)?;
        if part.is_empty() {
            return skip("the list is empty");
        }
        let strangers = part.iter().filter(|id| !whole.contains(*id)).count();
        if strangers > 0 {
            unchanged(seen, &around)?;
            let count = part.len();
            return fail(format!("{strangers} of {count} records are not in the larger list"));
        }
        Ok(())
    }
}

/// Skips the check if the entity tags show that the data has changed since this query was first sent.
fn unchanged(seen: &Evidence<'_>, query: &str) -> Outcome {
    let (before, now) = (seen.get(query), seen.get_again(query));
    match (before.success()?.header("etag"), now.success()?.header("etag")) {
        (Some(before), Some(now)) if before != now => skip("the data changed between two requests"),
        _ => Ok(()),
    }
}

fn empty(operation: &Operation, exchange: &Exchange) -> Outcome {
    let count = exchange.list(operation)?.len();
    ensure!(count == 0, "{count} records instead of 0");
    Ok(())
}
