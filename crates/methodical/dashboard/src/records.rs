//! The records of a table: search, state, order and pages; and the members of groups.

pub(crate) mod view;

use askama::Template;
use methodical_mirror::model::tables::{Column, ColumnKind};
use methodical_mirror::{Page, Record, State, TableStatus};

use crate::board::counts::{self, Counts};
use crate::cells::{Contact, Fields, Shown, cell, contact, shown};
use crate::frame::{self, Frame, Pager};
use crate::link::{self, Names};
use crate::records::view::{By, Members, STATES, Sort, View, has_hidden};
use crate::shared::{Params, Problem, Shared};
use crate::time::{Time, ago};
use crate::words::{self, counted, grouped, label, plural};

#[derive(Template)]
#[template(path = "records.html")]
struct RecordsPage<'a> {
    frame: Frame,
    of: &'static str,
    noun: String,
    q: &'a str,
    /// The parameters that a search preserves.
    kept: Vec<(&'static str, &'a str)>,
    can_search: bool,
    /// The states to choose from, with their links, and whether one is chosen.
    states: [(&'static str, String, bool); 4],
    /// The name of the selectable values, and the chosen group.
    values_of: (String, Option<&'a str>),
    values: Vec<Choice<'a>>,
    /// The filters of the view.
    chosen: Vec<Shown>,
    lead: String,
    columns: Vec<Head>,
    rows: Vec<Row>,
    pager: Pager,
    addresses: Option<String>,
    /// The names of the download formats, with their links.
    downloads: Vec<(&'static str, String)>,
}

/// All e-mail addresses of a view.
#[derive(Template)]
#[template(path = "addresses.html")]
struct AddressesPage {
    frame: Frame,
    back: String,
    count: String,
    text: String,
    is_cut: bool,
}

/// A value to choose: the parameter, its value, the text, the number of members, and whether it is chosen.
type Choice<'a> = (&'static str, &'a str, &'a str, u64, bool);

/// The head of a column.
struct Head {
    text: String,
    /// The link that sorts by it.
    href: Option<String>,
    sorted: Option<&'static str>,
    class: &'static str,
}

struct Row {
    href: String,
    title: Shown,
    id: String,
    state: Option<&'static str>,
    is_duplicate: bool,
    cells: Vec<Shown>,
    time: Time,
    ago: String,
}

pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let table = view.table;
    let after = params.number("after")?;
    let statuses = shared.mirror.tables()?;
    let page = if view.is_in_mirror(&statuses) {
        view.read(shared, after, ROWS)?
    } else {
        Page::default()
    };
    let board = shared.outline.board_of(table);
    let counts = shared.counts_of(board)?;
    let group = view.members.as_ref().and_then(|members| members.group);
    let others: Vec<&Column> = table
        .columns()
        .iter()
        .filter(|column| {
            column.path() != [table.identity()] && Some(*column) != table.titles().next()
        })
        .collect();
    let names = names_of_groups(shared, &view, &page.records)?;
    let found = view.records(shared, &page.records)?;
    let row = |(record, found)| row(shared, &view, &others, &names, &counts, record, found);
    let rows: Vec<Row> = page.records.iter().zip(found).map(row).collect();
    let pager = Pager {
        is_cut: view.q.is_some() && page.next.is_some() && rows.len() < ROWS,
        ..Pager::of(&view.link("/records"), "after", after.unwrap_or_default(), page.next)
    };
    let is_whole = after.is_none() && page.next.is_none();
    let has_mail =
        others.iter().any(|one| contact(one) == Some(Contact::Mail) && !shared.who.masks);
    let link_of_state = |(_, text, state)| {
        let href = View { state, ..view.clone() }.link("/records").finish();
        (text, href, state == view.state)
    };
    let page = RecordsPage {
        frame: Frame::new(shared, &statuses, &frame::records(table), label(&plural(table.name()))),
        of: table.name(),
        noun: plural(table.name()),
        q: view.q.unwrap_or_default(),
        kept: [
            ("state", view.state_text()),
            ("since", view.since),
            ("sort", Some(view.sort.text())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect(),
        can_search: view.members.is_none() && !has_hidden(shared, table),
        states: STATES.map(link_of_state),
        values_of: (
            board.map(|one| label(&plural(one.placements.value))).unwrap_or_default(),
            group,
        ),
        values: values(&view, &counts),
        chosen: chosen(shared, &view)?,
        lead: lead(&statuses, &view, &counts, is_whole.then_some(rows.len())),
        columns: heads(&view, &others, !has_hidden(shared, table)),
        pager,
        addresses: (has_mail && !rows.is_empty()).then(|| view.link("/addresses").finish()),
        downloads: shared
            .formats
            .iter()
            .map(|one| (one.name, view.link("/download").with("as", one.extension).finish()))
            .collect(),
        rows,
    };
    Ok(page.render()?)
}

/// Renders the addresses of all records in a view, to be copied.
pub(crate) fn addresses(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let statuses = shared.mirror.tables()?;
    let mails = view.table.columns().iter().filter(|one| contact(one) == Some(Contact::Mail));
    let mails: Vec<&Column> =
        mails.filter(|one| !(shared.who.masks && one.is_personal())).collect();
    if mails.is_empty() || !view.is_in_mirror(&statuses) {
        return Err(Problem::NotFound("This view has no addresses.".to_owned()));
    }
    let (mut all, mut after) = (Vec::new(), None);
    let is_cut = loop {
        let page = view.read(shared, after, 1000)?;
        for (_, fields) in view.records(shared, &page.records)? {
            let found = mails.iter().filter_map(|column| cell(&fields, column));
            all.extend(found.map(|one| one.trim().to_owned()).filter(|one| one.contains('@')));
        }
        after = page.next;
        if after.is_none() || all.len() >= ADDRESSES {
            break after.is_some();
        }
    };
    all.sort_by_key(|one| one.to_lowercase());
    all.dedup_by_key(|one| one.to_lowercase());
    let title = format!("Addresses of {}", plural(view.table.name()));
    let path = frame::records(view.table);
    let page = AddressesPage {
        frame: Frame::new(shared, &statuses, &path, title),
        back: view.link("/records").finish(),
        count: counted(all.len() as u64, "address"),
        text: all.join(", "),
        is_cut,
    };
    Ok(page.render()?)
}

/// Returns the values to choose from, with the number of members in the group or in all groups.
fn values<'a>(view: &View<'_>, counts: &'a Counts) -> Vec<Choice<'a>> {
    let members = view.members.as_ref();
    let part = counts.part(members.and_then(|members| members.group));
    let all = counts.columns.iter().zip(part.into_iter().flat_map(|part| &part.figures));
    let choice = |(column, figures): (&'a counts::Column, &counts::Figures)| {
        let value = column.value.as_deref();
        let (name, param) = value.map_or(("unknown", "1"), |value| ("value", value));
        let is_chosen = members.is_some_and(|members| members.values.contains(&value));
        (name, param, column.label(), figures.now, is_chosen)
    };
    all.map(choice).collect()
}

/// Returns the view's filters other than search and state.
fn chosen(shared: &Shared, view: &View<'_>) -> Result<Vec<Shown>, Problem> {
    let mut parts = Vec::new();
    parts.extend(view.since.map(|day| Shown::Text(format!("new since {day}"))));
    if let Some(Members { board, group, values, days }) = &view.members {
        if let Some(id) = group {
            let name = board.groups.name();
            parts.push(Names::read(shared, [(name, *id)])?.of(name, id));
        }
        let unknown = format!("unknown {}", board.placements.value);
        let values = values.iter().map(|value| value.unwrap_or(&unknown).to_owned());
        let days = days.map(|days| format!("for {days} days or longer"));
        parts.extend(values.chain(days).map(Shown::Text));
    }
    Ok(parts)
}

/// Returns how many records the view has, and how many are missing from the list.
fn lead(statuses: &[TableStatus], view: &View<'_>, counts: &Counts, rows: Option<usize>) -> String {
    let name = view.table.name();
    let Some(status) = statuses.iter().find(|status| status.table == name) else {
        return "The list has not been synced yet.".to_owned();
    };
    let is_listed = view.state == Some(State::Present) && view.q.is_none() && view.since.is_none();
    let counted_before = match &view.members {
        None if is_listed => Some(status.present),
        Some(Members { values: chosen, days: None, .. }) if is_listed => {
            let wanted = |(.., is_chosen): &Choice<'_>| chosen.is_empty() || *is_chosen;
            Some(values(view, counts).into_iter().filter(wanted).map(|(.., now, _)| now).sum())
        }
        _ => None,
    };
    let shown = match rows.map(|rows| rows as u64).or(counted_before) {
        Some(count) => counted(count, name),
        None if view.q.is_some() => format!("There may be more {} than these", plural(name)),
        None => format!("More than one page of {}", plural(name)),
    };
    let missing = match status.missing {
        0 => String::new(),
        missing => format!(", and {} missing from it", grouped(missing)),
    };
    format!("{shown} in this view; {} in the list{missing}.", grouped(status.present))
}

fn heads(view: &View<'_>, others: &[&Column], can_sort: bool) -> Vec<Head> {
    let can_order = view.since.is_none() && view.members.is_none();
    let head = |text: String, by: Option<By>, class: &'static str| {
        let is_current = by == Some(view.sort.by);
        let href = by.filter(|_| can_order).map(|by| {
            // Titles are sorted from A, times from the latest.
            let is_descending = if is_current { !view.sort.is_descending } else { by != By::Title };
            View { sort: Sort { by, is_descending }, ..view.clone() }.link("/records").finish()
        });
        let direction = if view.sort.is_descending { "descending" } else { "ascending" };
        Head { text, href, sorted: is_current.then_some(direction), class }
    };
    let mut heads = vec![match view.table.titles().next() {
        Some(column) => head(label(&column.name()), can_sort.then_some(By::Title), ""),
        None => head(label(view.table.identity()), None, ""),
    }];
    if let Some(Members { board, group, values, .. }) = &view.members {
        let value = (values.len() != 1).then(|| label(board.placements.value));
        let group = group.is_none().then(|| label(board.groups.name()));
        heads.extend(value.into_iter().chain(group).map(|text| head(text, None, "")));
    }
    heads.extend(others.iter().map(|one| head(label(&one.name()), None, priority(one))));
    let (text, by) = match &view.members {
        Some(members) if !members.values.is_empty() || members.days.is_some() => {
            (format!("{} since", label(members.board.placements.value)), By::Changed)
        }
        None if view.sort.by != By::Changed => ("First seen".to_owned(), By::FirstSeen),
        _ => ("Last change".to_owned(), By::Changed),
    };
    heads.push(head(text, Some(by), "number"));
    heads
}

/// Returns the CSS class of a column. A narrow page hides some classes.
fn priority(column: &Column) -> &'static str {
    let is_source = column.path().len() > 1 && column.path().last() != Some(&"id");
    match column.kind() {
        _ if contact(column).is_some() || is_source => "",
        ColumnKind::Integer => "wide number",
        _ => "wide",
    }
}

fn names_of_groups(shared: &Shared, view: &View<'_>, rows: &[Record]) -> Result<Names, Problem> {
    let Some(Members { board, group: None, .. }) = &view.members else {
        return Ok(Names::default());
    };
    let groups: Vec<String> = rows.iter().map(|row| board.placements.placed(row).group).collect();
    Names::read(shared, groups.iter().map(|id| (board.groups.name(), &**id)))
}

fn row(
    shared: &Shared,
    view: &View<'_>,
    others: &[&Column],
    groups: &Names,
    counts: &Counts,
    record: &Record,
    (id, all): (String, Fields),
) -> Row {
    let is_changed = view.members.is_some() || view.sort.by == By::Changed;
    let time = if is_changed { record.changed_at } else { record.first_seen };
    let title = view
        .table
        .titles()
        .next()
        .map_or_else(|| Shown::Text(id.clone()), |column| shown(&all, column, shared.who.masks));
    let mut cells = Vec::new();
    if let Some(Members { board, group, values, .. }) = &view.members {
        let placed = board.placements.placed(record);
        if values.len() != 1 {
            cells.push(Shown::Text(counts::label(placed.value.as_deref()).to_owned()));
        }
        if group.is_none() {
            cells.push(groups.of(board.groups.name(), &placed.group));
        }
    }
    cells.extend(others.iter().map(|column| shown(&all, column, shared.who.masks)));
    Row {
        href: link::record(view.table.name(), &id),
        title,
        is_duplicate: counts.is_duplicate(&id),
        id,
        state: (record.state != State::Present).then(|| record.state.as_str()),
        cells,
        time: Time::day(time),
        ago: ago((shared.now)().saturating_sub(time)),
    }
}

/// Maximum number of records on a page.
const ROWS: usize = 50;

/// Approximate maximum number of addresses on a page.
const ADDRESSES: usize = 5000;
