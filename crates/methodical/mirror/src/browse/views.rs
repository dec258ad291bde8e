//! The pages that a dashboard shows, of a mirror that was just filled, for the tests of query plans.

use methodical_model::{Column, Table};

use crate::browse::cell::Placements;
use crate::browse::paging::{Order, Paging};
use crate::engine::brake::Rules;
use crate::engine::known::State;
use crate::keep::filter::Filter;
use crate::mirror::Mirror;

pub(crate) const PHOTO: Table = Table::new(
    "photo",
    "id",
    &[Column::text(&["id"]), Column::text(&["title"]).personal(), Column::integer(&["size"])],
);

pub(crate) const PLACEMENT: Table = Table::new(
    "photo_album",
    "id",
    &[
        Column::text(&["id"]),
        Column::integer(&["album_id"]),
        Column::text(&["photo_id"]),
        Column::text(&["status"]),
    ],
);

pub(crate) const PLACEMENTS: Placements<'_> =
    Placements { table: "photo_album", group: "album_id", member: "photo_id", value: "status" };

/// How many records each table has.
const SIZE: usize = 20_000;

/// How many records a page has.
pub(crate) const LIMIT: usize = 50;

/// Fills a mirror by one sync of each table, so that all times are equal, and creates the indexes.
pub(crate) fn fill(mirror: &mut Mirror) {
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    for id in 0..SIZE {
        let json = format!(r#"{{"id":"{id}","title":"Title {}"}}"#, id % 7);
        run.record(&json).unwrap();
    }
    run.finish().unwrap();
    let mut run = mirror.begin("recovery/photo_album", &PLACEMENT, Rules::new()).unwrap();
    for id in 0..SIZE {
        let (album, status) = (id % 2, ["\"new\"", "\"sold\"", "null"][id / 2 % 3]);
        let json = format!(
            r#"{{"id":"{album}/{id}","album_id":{album},"photo_id":"{id}","status":{status}}}"#
        );
        run.record(&json).unwrap();
    }
    run.finish().unwrap();
    let orders = [Order::FirstSeen, Order::Changed, Order::Text("title".to_owned())];
    mirror.index_pages("photo", &orders).unwrap();
    mirror.index_placements(&PLACEMENTS).unwrap();
}

/// A page: its name, its table, which records it has, and its order.
pub(crate) type View = (String, &'static Table, Filter, Paging);

/// Returns first and deep pages in each order and direction, of all states and of one; and of the members of a group.
pub(crate) fn views() -> Vec<View> {
    let present = Filter::new().state(State::Present);
    let of_group = present.clone().column("album_id", "1");
    let filters = [
        ("all photos", &PHOTO, Filter::new(), None),
        ("present photos", &PHOTO, present.clone(), None),
        ("members", &PLACEMENT, of_group.clone(), None),
        ("members with a value", &PLACEMENT, of_group.clone().column("status", "sold"), None),
        ("members without a value", &PLACEMENT, of_group, Some("status")),
        ("groups of a member", &PLACEMENT, present.column("photo_id", "10001"), None),
    ];
    let mut views = Vec::new();
    for (name, table, filter, without) in filters {
        let orders = [Order::FirstSeen, Order::Changed, Order::Text("title".to_owned())];
        let orders = if *table == PHOTO { &orders[..] } else { &orders[1..2] };
        for order in orders {
            for (after, is_descending) in
                [(None, false), (None, true), (Some(10_000), false), (Some(10_000), true)]
            {
                let mut paging = Paging::new(LIMIT).order(order.clone());
                paging.is_descending = is_descending;
                paging.after = after;
                paging.without = without.map(str::to_owned);
                let name = format!("{name}, {order:?}, {after:?}, {is_descending}");
                views.push((name, table, filter.clone(), paging));
            }
        }
    }
    views
}
