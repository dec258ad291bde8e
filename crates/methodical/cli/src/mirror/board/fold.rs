//! Sums up rare values in one column, so that the board fits a terminal.

use std::cmp::Reverse;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::mirror::board::columns::OTHER;
use crate::mirror::board::counts::{Counts, Group};

/// Sums up the rarest values in the column [`OTHER`] until the board fits this width. Returns them.
///
/// The values of the contract stay before the others. Long names and titles are shortened before a value is summed up.
pub(crate) fn fold(counts: &mut Counts, width: usize) -> Vec<String> {
    let sum = counts.sum();
    let ids = counts.groups.iter().map(|group| group.id.width()).max().unwrap_or_default();
    let titles = counts.groups.iter().map(|group| group.title.as_str().unwrap_or_default().width());
    let title = titles.max().unwrap_or_default().max(counts.title.map_or(0, str::len));
    let unknown = if counts.has_unknown { GAP + "unknown".len() } else { 0 };
    let fixed = ids.max(2) + GAP + GAP + "total".len() + unknown;
    let needed = |counts: &Counts| widths(counts, &sum).iter().sum::<usize>();
    // The table cuts longer titles.
    let room = |title: usize| width.saturating_sub(fixed + title);
    if needed(counts) <= room(title.min(width * 3 / 8)) {
        return Vec::new();
    }
    shorten(counts);
    let room = room(title.min(TITLE));
    if needed(counts) <= room {
        return Vec::new();
    }
    let widths = widths(counts, &sum);
    let mut order: Vec<usize> = (0..counts.values.len()).collect();
    order.sort_by_key(|index| (*index >= counts.known, Reverse(sum.counts.get(*index))));
    let mut left = room.saturating_sub(GAP + OTHER.len());
    let mut kept = vec![false; counts.values.len()];
    for index in order {
        let width = widths.get(index).copied().unwrap_or_default();
        if width > left {
            break;
        }
        left -= width;
        if let Some(kept) = kept.get_mut(index) {
            *kept = true;
        }
    }
    for group in &mut counts.groups {
        let others = group.counts.iter().zip(&kept).filter(|(_, kept)| !**kept);
        let other = others.map(|(count, _)| count).sum();
        let mut index = kept.iter();
        group.counts.retain(|_| index.next().is_some_and(|kept| *kept));
        group.counts.push(other);
    }
    let all = std::mem::take(&mut counts.values).into_iter().zip(kept);
    let (values, folded): (Vec<_>, Vec<_>) = all.partition(|(_, kept)| *kept);
    counts.values = values.into_iter().map(|(value, _)| value).collect();
    counts.values.push(OTHER.to_owned());
    folded.into_iter().map(|(value, _)| value).collect()
}

/// Returns the widths of the columns of the values, with their gaps.
fn widths(counts: &Counts, sum: &Group) -> Vec<usize> {
    let columns = counts.values.iter().zip(&sum.counts);
    columns.map(|(value, count)| GAP + value.width().max(digits(*count))).collect()
}

/// Shortens long names that remain different from the others.
fn shorten(counts: &mut Counts) {
    let short: Vec<String> = counts.values.iter().map(|name| cut(name)).collect();
    let is_unique = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    for (value, short) in counts.values.iter_mut().zip(&short) {
        if is_unique(short) {
            value.clone_from(short);
        }
    }
}

fn cut(name: &str) -> String {
    if name.width() <= NAME {
        return name.to_owned();
    }
    let mut short = String::new();
    for part in name.graphemes(true) {
        if short.width() + part.width() >= NAME {
            break;
        }
        short.push_str(part);
    }
    format!("{}…", short.trim_end())
}

fn digits(count: u64) -> usize {
    count.to_string().len()
}

/// Width to which titles are shortened before values are summed up.
const TITLE: usize = 20;

/// Maximum width of the name of a value if there is not enough room for all.
const NAME: usize = 12;

/// Width of the gap between two columns.
const GAP: usize = 2;

#[cfg(test)]
mod tests {
    use super::fold;
    use crate::mirror::board::counts::{Counts, Group};

    fn counts() -> Counts {
        let group = |id: &str, counts: &[u64]| Group {
            id: id.to_owned(),
            title: "Harbour".into(),
            counts: counts.to_vec(),
            unknown: 1,
        };
        Counts {
            id: "id",
            title: Some("title"),
            values: ["draft", "printed", "sold", "returned"].map(str::to_owned).to_vec(),
            known: 0,
            has_unknown: true,
            groups: vec![group("7", &[1, 0, 9, 2]), group("8", &[3, 1, 0, 0])],
        }
    }

    #[test]
    fn values_that_fit_stay() {
        let mut all = counts();
        assert!(fold(&mut all, 80).is_empty());
        assert_eq!(all.values.len(), 4);
    }

    #[test]
    fn the_rarest_values_are_summed_up() {
        let mut all = counts();
        assert_eq!(fold(&mut all, 52), ["printed", "returned"]);
        assert_eq!(all.values, ["draft", "sold", "other"]);
        assert_eq!(all.groups[0].counts, [1, 9, 2]);
        assert_eq!(all.groups[1].counts, [3, 0, 1]);
        assert_eq!(all.groups[0].total(), 13);
    }

    #[test]
    fn values_of_the_contract_stay() {
        let mut all = Counts { known: 2, ..counts() };
        assert_eq!(fold(&mut all, 52), ["sold", "returned"]);
        assert_eq!(all.values, ["draft", "printed", "other"]);
    }

    #[test]
    fn a_long_name_is_shortened() {
        let mut all = counts();
        all.values[3] = "returned by the customer".to_owned();
        assert!(fold(&mut all, 70).is_empty());
        assert_eq!(all.values[3], "returned by…");
    }

    #[test]
    fn every_width_is_possible() {
        for width in 0..60 {
            let mut all = counts();
            fold(&mut all, width);
            assert_eq!(all.sum().total(), 18, "{width}");
        }
    }
}
