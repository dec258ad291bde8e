//! The records of a table: search, state, order and pages; and the members of groups.

pub(crate) mod view;

use askama::Template;
use methodical_mirror::model::tables::{Column, ColumnKind};
use methodical_mirror::{Page, Record, State, TableStatus};

use crate::board::counts::{self, Counts};
use crate::cells::{Contact, Shown, cell, contact, fields, shown, text};
use crate::download::format::DownloadFormat;
use crate::frame::{self, Frame};
use crate::link::{self, Named, Names};
use crate::outline::{is_identity, title};
use crate::records::view::{By, Members, Sort, View, has_hidden, name};
use crate::shared::{Params, Problem, Shared, completed_at};
use crate::time::{ago, day, machine};
use crate::words::{counted, grouped, label, plural};

/// The template of the page.
#[derive(Template)]
#[template(path = "records.html")]
struct RecordsPage {
    frame: Frame,
    of: String,
    noun: String,
    q: String,
    /// The parameters that a search keeps.
    kept: Vec<(&'static str, String)>,
    can_search: bool,
    states: Vec<Choice>,
    /// The values of placements among which a reader chooses.
    values: Option<Values>,
    /// The filters of the view, with the link to all records.
    chosen: Option<(Vec<Named>, String)>,
    lead: String,
    columns: Vec<Head>,
    rows: Vec<Row>,
    first: Option<String>,
    next: Option<String>,
    is_cut: bool,
    addresses: Option<String>,
    /// The names of the formats of downloads, with their links.
    downloads: Vec<(&'static str, String)>,
}

/// The addresses of a view.
#[derive(Template)]
#[template(path = "addresses.html")]
struct AddressesPage {
    frame: Frame,
    back: String,
    count: String,
    text: String,
    is_cut: bool,
}

/// A choice among links.
struct Choice {
    text: &'static str,
    href: String,
    is_current: bool,
}

/// The values among which a reader chooses.
struct Values {
    name: String,
    group: Option<String>,
    /// The parameter, its value, the text, the count, and whether it is chosen.
    all: Vec<(&'static str, String, String, String, bool)>,
}

/// The head of a column.
struct Head {
    text: String,
    /// The link that orders by it.
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
    time: String,
    machine: String,
    ago: String,
}

/// Renders the page.
pub(crate) fn render(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let table = view.table;
    let after = params.number("after")?;
    let placements = view.placements().map(|placements| placements.table);
    let tables: Vec<&str> = [Some(table.name()), placements].into_iter().flatten().collect();
    let statuses = shared.mirror.tables()?;
    let page = if view.is_in_mirror(&statuses) {
        view.read(shared, after, ROWS)?
    } else {
        Page::default()
    };
    let counts = shared.counts_of(shared.outline.board_of(table))?;
    let title_column = title(table);
    let others: Vec<&Column> = table
        .columns()
        .iter()
        .filter(|column| !is_identity(table, column) && Some(*column) != title_column)
        .collect();
    let groups = names_of_groups(shared, &view, &page.records)?;
    let mut rows = Vec::with_capacity(page.records.len());
    for (record, found) in page.records.iter().zip(view.records(shared, &page.records)?) {
        rows.push(row(shared, &view, &others, &groups, &counts, record, found));
    }
    let at = |after: Option<i64>| {
        let after = after.map(|after| after.to_string());
        view.link("/records").with_some("after", after.as_deref()).finish()
    };
    let is_cut = view.q.is_some() && page.next.is_some() && rows.len() < ROWS;
    let is_whole = after.is_none() && page.next.is_none();
    let has_mail =
        others.iter().any(|one| contact(one) == Some(Contact::Mail) && !shared.who.masks);
    let page = RecordsPage {
        frame: Frame::new(
            shared,
            &statuses,
            &frame::records(table),
            label(&plural(table.name())),
            completed_at(&statuses, &tables),
            at(after),
        ),
        of: table.name().to_owned(),
        noun: plural(table.name()),
        q: view.q.unwrap_or_default().to_owned(),
        kept: kept(&view),
        can_search: view.members.is_none() && !has_hidden(shared, table),
        states: states(&view),
        values: values(shared, &view, &counts),
        chosen: chosen(shared, &view)?,
        lead: lead(&statuses, &view, &counts, is_whole.then_some(rows.len())),
        columns: heads(&view, title_column, &others, !has_hidden(shared, table)),
        first: after.map(|_| at(None)),
        next: page.next.map(|next| at(Some(next))),
        is_cut,
        addresses: (has_mail && !rows.is_empty()).then(|| view.link("/addresses").finish()),
        downloads: downloads(shared, &view),
        rows,
    };
    Ok(page.render()?)
}

/// Renders the addresses of all records of a view, which a reader copies.
pub(crate) fn addresses(shared: &Shared, params: &Params) -> Result<String, Problem> {
    let view = View::of(shared, params)?;
    let statuses = shared.mirror.tables()?;
    let mails = view.table.columns().iter().filter(|one| contact(one) == Some(Contact::Mail));
    let mails: Vec<&Column> =
        mails.filter(|one| !(shared.who.masks && one.is_personal())).collect();
    if mails.is_empty() || !view.is_in_mirror(&statuses) {
        return Err(Problem::NotFound("this view has no addresses".to_owned()));
    }
    let (mut all, mut after) = (Vec::new(), None);
    let is_cut = loop {
        let page = view.read(shared, after, 1000)?;
        for (_, json) in view.records(shared, &page.records)? {
            let fields = json.map(|json| fields(&json)).unwrap_or_default();
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
    let here = view.link("/addresses").finish();
    let completed_at = completed_at(&statuses, &[view.table.name()]);
    let title = format!("Addresses of {}", plural(view.table.name()));
    let path = frame::records(view.table);
    let page = AddressesPage {
        frame: Frame::new(shared, &statuses, &path, title, completed_at, here),
        back: view.link("/records").finish(),
        count: counted(all.len() as u64, "address"),
        text: all.join(", "),
        is_cut,
    };
    Ok(page.render()?)
}

/// Returns the links to all records of the view.
fn downloads(shared: &Shared, view: &View<'_>) -> Vec<(&'static str, String)> {
    let link = |format: &dyn DownloadFormat| {
        (format.name(), view.link("/download").with("as", format.extension()).finish())
    };
    shared.formats.iter().map(|format| link(&**format)).collect()
}

/// Returns the parameters that a search keeps.
fn kept(view: &View<'_>) -> Vec<(&'static str, String)> {
    let state = match view.state {
        Some(State::Present) => None,
        Some(state) => Some(state.as_str()),
        None => Some("all"),
    };
    let state = state.map(|state| ("state", state.to_owned()));
    let since = view.since.map(|since| ("since", since.to_owned()));
    state.into_iter().chain(since).chain([("sort", view.sort.text().to_owned())]).collect()
}

fn states(view: &View<'_>) -> Vec<Choice> {
    let choices = [
        ("In the list", Some(State::Present)),
        ("Missing", Some(State::Missing)),
        ("Gone", Some(State::Gone)),
        ("All", None),
    ];
    let choice = |(text, state)| {
        let other = View { state, ..view.clone() };
        Choice { text, href: other.link("/records").finish(), is_current: state == view.state }
    };
    choices.map(choice).into()
}

/// Returns the values among which a reader chooses, with the number of members in the group or in all.
fn values(shared: &Shared, view: &View<'_>, counts: &Counts) -> Option<Values> {
    let board = shared.outline.board_of(view.table)?;
    let group = view.members.as_ref().and_then(|members| members.group);
    let chosen = view.members.as_ref().map(|members| &*members.values).unwrap_or_default();
    let value = |(column, count): (&Option<String>, u64)| {
        let (name, value) = match column {
            Some(value) => ("value", value.clone()),
            None => ("unknown", "1".to_owned()),
        };
        let is_chosen = chosen.contains(&column.as_deref());
        (name, value, counts::label(column.as_deref()).to_owned(), grouped(count), is_chosen)
    };
    let all: Vec<_> = counts.columns.iter().zip(counts.of_group(group)).map(value).collect();
    let name = label(&plural(board.placements.value));
    (!all.is_empty()).then(|| Values { name, group: group.map(str::to_owned), all })
}

/// Returns what limits the view besides search and state.
fn chosen(shared: &Shared, view: &View<'_>) -> Result<Option<(Vec<Named>, String)>, Problem> {
    let plain = |title: String| Named { title, href: None };
    let mut parts = Vec::new();
    parts.extend(view.since.map(|day| plain(format!("new since {day}"))));
    if let Some(Members { board, group, values, days }) = &view.members {
        if let Some(id) = group {
            parts.push(
                Names::read(shared, [(board.groups.name(), *id)])?.of(board.groups.name(), id),
            );
        }
        let unknown = format!("unknown {}", board.placements.value);
        parts.extend(values.iter().map(|value| plain(value.unwrap_or(&unknown).to_owned())));
        parts.extend(days.map(|days| plain(format!("for {days} days or longer"))));
    }
    Ok((!parts.is_empty()).then(|| (parts, frame::records(view.table))))
}

/// Returns how many records the view has, and how many are missing from the list.
fn lead(statuses: &[TableStatus], view: &View<'_>, counts: &Counts, rows: Option<usize>) -> String {
    let name = view.table.name();
    let Some(status) = statuses.iter().find(|status| status.table == name) else {
        return "The list was not synced yet.".to_owned();
    };
    let is_listed = view.state == Some(State::Present) && view.q.is_none() && view.since.is_none();
    let counted_before = match &view.members {
        None if is_listed => Some(status.present),
        Some(Members { group, values, days: None, .. }) if is_listed => {
            let all = counts.columns.iter().zip(counts.of_group(*group));
            let is_wanted =
                |value: &Option<String>| values.is_empty() || values.contains(&value.as_deref());
            Some(all.filter(|(value, _)| is_wanted(value)).map(|(_, count)| count).sum())
        }
        _ => None,
    };
    let shown = match (rows, counted_before) {
        (Some(rows), _) => counted(rows as u64, name),
        (None, Some(count)) => counted(count, name),
        (None, None) => format!("More {} than one page", plural(name)),
    };
    let missing = match status.missing {
        0 => String::new(),
        missing => format!(", and {} missing from it", grouped(missing)),
    };
    format!("{shown} in this view; {} in the list{missing}.", grouped(status.present))
}

fn heads(view: &View<'_>, title: Option<&Column>, others: &[&Column], can_sort: bool) -> Vec<Head> {
    let can_order = view.since.is_none() && view.members.is_none();
    let head = |text: String, by: Option<By>, class: &'static str| {
        let is_current = by == Some(view.sort.by);
        let href = by.filter(|_| can_order).map(|by| {
            // A title begins with A, a time with the latest one.
            let is_descending = if is_current { !view.sort.is_descending } else { by != By::Title };
            View { sort: Sort { by, is_descending }, ..view.clone() }.link("/records").finish()
        });
        let direction = if view.sort.is_descending { "descending" } else { "ascending" };
        Head { text, href, sorted: is_current.then_some(direction), class }
    };
    let mut heads = vec![match title {
        Some(column) => head(label(&name(column)), can_sort.then_some(By::Title), ""),
        None => head(label(view.table.identity()), None, ""),
    }];
    if let Some(Members { board, group, values, .. }) = &view.members {
        let value = (values.len() != 1).then(|| label(board.placements.value));
        let group = group.is_none().then(|| label(board.groups.name()));
        heads.extend(value.into_iter().chain(group).map(|text| head(text, None, "")));
    }
    heads.extend(others.iter().map(|one| head(label(&name(one)), None, priority(one))));
    let (text, by) = match &view.members {
        Some(members) if !members.values.is_empty() || members.days.is_some() => {
            (format!("{} since", label(members.board.placements.value)), By::Changed)
        }
        Some(_) => ("Last change".to_owned(), By::Changed),
        None if view.sort.by == By::Changed => ("Last change".to_owned(), By::Changed),
        None => ("First seen".to_owned(), By::FirstSeen),
    };
    heads.push(head(text, Some(by), "number"));
    heads
}

/// Returns the class of a column: the narrower the page, the fewer classes it shows.
fn priority(column: &Column) -> &'static str {
    let is_source = column.path().len() > 1 && column.path().last() != Some(&"id");
    match contact(column) {
        one if one.is_some() || is_source => "",
        _ if is_number(column) => "wide number",
        _ => "wide",
    }
}

fn names_of_groups(shared: &Shared, view: &View<'_>, rows: &[Record]) -> Result<Names, Problem> {
    let Some(Members { board, group: None, .. }) = &view.members else {
        return Ok(Names::default());
    };
    let group = |row: &Record| fields(&row.json).get(board.placements.group).and_then(text);
    let groups: Vec<String> = rows.iter().filter_map(group).collect();
    Names::read(shared, groups.iter().map(|id| (board.groups.name(), &**id)))
}

fn row(
    shared: &Shared,
    view: &View<'_>,
    others: &[&Column],
    groups: &Names,
    counts: &Counts,
    record: &Record,
    (id, found): (String, Option<String>),
) -> Row {
    let time = if view.members.is_some() || view.sort.by == By::Changed {
        record.changed_at
    } else {
        record.first_seen
    };
    let all = found.map(|json| fields(&json)).unwrap_or_default();
    let title = title(view.table)
        .map_or_else(|| Shown::Text(id.clone()), |column| shown(&all, column, shared.who.masks));
    let mut cells = Vec::new();
    if let Some(Members { board, group, values, .. }) = &view.members {
        let placed = fields(&record.json);
        let part = |name: &str| placed.get(name).and_then(text);
        if values.len() != 1 {
            let value = part(board.placements.value);
            cells.push(Shown::Text(counts::label(value.as_deref()).to_owned()));
        }
        if group.is_none() {
            let id = part(board.placements.group).unwrap_or_default();
            let Named { title, href } = groups.of(board.groups.name(), &id);
            cells.push(match href {
                Some(href) => Shown::Link(href, title),
                None => Shown::Text(title),
            });
        }
    }
    cells.extend(others.iter().map(|column| shown(&all, column, shared.who.masks)));
    Row {
        href: link::record(view.table.name(), &id),
        title,
        is_duplicate: counts.duplicates.contains_key(&id),
        id,
        state: (record.state != State::Present).then(|| record.state.as_str()),
        cells,
        time: day(time),
        machine: machine(time),
        ago: ago((shared.now)().saturating_sub(time)),
    }
}

fn is_number(column: &Column) -> bool {
    column.kind() == ColumnKind::Integer
}

/// Maximum number of records on a page.
const ROWS: usize = 50;

/// About how many addresses a page has at most.
const ADDRESSES: usize = 5000;
