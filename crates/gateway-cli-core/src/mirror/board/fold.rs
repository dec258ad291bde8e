//! Sums up rare values in one column, so that the board fits a terminal.

use std::cmp::Reverse;

use unicode_width::UnicodeWidthStr as _;

use crate::mirror::board::counts::Counts;

/// Sums up the rarest values in the column [`OTHER`] until the board fits this width. Returns them.
pub(crate) fn fold(counts: &mut Counts, width: usize) -> Vec<String> {
    let sum = counts.sum();
    let widths: Vec<usize> = counts
        .values
        .iter()
        .zip(&sum.counts)
        .map(|(value, count)| GAP + value.width().max(digits(*count)))
        .collect();
    let ids = counts.groups.iter().map(|group| group.id.width()).max().unwrap_or_default();
    let titles = counts.groups.iter().map(|group| group.title.as_str().unwrap_or_default().width());
    // The table cuts longer titles.
    let title = titles.max().unwrap_or_default().min(width * 3 / 8);
    let fixed = ids.max(2) + GAP + title + 2 * GAP + "unknown".len() + "total".len();
    let room = width.saturating_sub(fixed);
    if widths.iter().sum::<usize>() <= room {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..counts.values.len()).collect();
    order.sort_by_key(|index| Reverse(sum.counts.get(*index)));
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

fn digits(count: u64) -> usize {
    count.to_string().len()
}

/// The column of the values that were summed up.
pub(crate) const OTHER: &str = "other";

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
    fn every_width_is_possible() {
        for width in 0..60 {
            let mut all = counts();
            fold(&mut all, width);
            assert_eq!(all.sum().total(), 18, "{width}");
        }
    }
}
