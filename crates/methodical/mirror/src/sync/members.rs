//! Asks for members.

use methodical_client::{Entry, ErrorKind as ClientErrorKind, blocking};
use methodical_model::{ListOperation, Record, Recovery, Service};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::fields::json::Members;
use crate::fields::layout::Layout;
use crate::fields::shape::Shape;
use crate::recovery::asking::Answer;
use crate::recovery::target::Target;
use crate::run::text;
use crate::sync::budget::Budget;
use crate::sync::model::render;
use crate::sync::recover::Recover;

/// A list that recovers values.
pub(crate) struct Filtered<O>(pub(crate) Recovery<O>);

impl<S, O> Recover<S> for Filtered<O>
where
    S: Service,
    O: ListOperation<Service = S> + Send + Sync,
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    fn target(&self) -> Target {
        let Recovery { table, members, groups, value, known_values, .. } = self.0;
        Target { table, members, groups, value, known_values }
    }

    fn ask(
        &self,
        client: &blocking::Client<S>,
        group: &str,
        value: Option<&str>,
        budget: &Budget,
    ) -> Answer {
        let (query, mut found) = match self.begin(group, value) {
            Ok(begun) => begun,
            Err(answer) => return answer,
        };
        budget.take();
        let mut records = match client.stream(&query) {
            Ok(records) => records,
            Err(error) => return self.failed(error),
        };
        let mut json = Vec::new();
        loop {
            let write =
                |record: <O::Item as Record>::Ref<'_>, _: &str| found.take(&record, &mut json);
            match records.next_json_with(write) {
                None => return found.finish(),
                Some(Ok(Entry::Record(()))) => {}
                Some(Ok(Entry::Rejected(_))) => found.is_rejected = true,
                Some(Err(error)) => return self.failed(error),
            }
        }
    }
}

impl<O> Filtered<O> {
    /// Returns the query, and the empty answer.
    fn begin(&self, group: &str, value: Option<&str>) -> Result<(O, Found), Answer> {
        let query = match value {
            None => (self.0.of_group)(group),
            Some(value) => (self.0.of_value)(group, value),
        };
        let query = query.map_err(|error| {
            let text = format!("cannot ask for the `{}` of a group: {error}", self.0.value);
            Answer::Unsendable(Error::new(ErrorKind::Call, text).because(error))
        })?;
        let layout = Shape::of(self.0.members).and_then(|shape| Layout::of(&shape));
        let layout = layout.map_err(Answer::Unsendable)?;
        Ok((query, Found { layout, ids: Vec::new(), is_rejected: false }))
    }

    /// Returns the answer for an error of the client.
    fn failed(&self, error: methodical_client::Error) -> Answer {
        let is_refused = matches!(
            error.kind(),
            ClientErrorKind::NotFound | ClientErrorKind::Status | ClientErrorKind::NotSuccess
        ) && !error.is_transient();
        let text = format!("cannot ask for the `{}` of a group: {error}", self.0.value);
        let error = Error::new(ErrorKind::Call, text).because(error);
        if is_refused { Answer::Refused(error) } else { Answer::Failed(error) }
    }
}

/// The members that were received.
struct Found {
    layout: Layout,
    ids: Vec<String>,
    is_rejected: bool,
}

impl Found {
    /// Takes the identity of a record.
    fn take(&mut self, record: &impl Serialize, json: &mut Vec<u8>) {
        let id = render(record, json).and_then(|()| {
            let members = Members::of(text(json)?)?;
            Ok(self.layout.identity(&members)?.into_owned())
        });
        match id {
            Ok(id) => self.ids.push(id),
            Err(_unidentified) => self.is_rejected = true,
        }
    }

    fn finish(self) -> Answer {
        if self.is_rejected { Answer::Rejected } else { Answer::Members(self.ids) }
    }
}
