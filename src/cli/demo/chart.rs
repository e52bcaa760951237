//! A series as a chart of letters.

use rust_decimal::Decimal;

/// Eighths of a cell, rising.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const HEIGHT: u32 = 4;

/// The chart's lines, from the top: a column for each quantity, the largest as high as the
/// chart. A quantity of 0 leaves its column empty.
pub(super) fn columns(quantities: &[Decimal]) -> Vec<String> {
    let most = quantities.iter().copied().max().unwrap_or(Decimal::ZERO);
    let eighths = Decimal::from(HEIGHT * 8);
    let height = |quantity: &Decimal| -> u32 {
        let share = (*quantity * eighths).checked_div(most).unwrap_or(Decimal::ZERO);
        u32::try_from(share.ceil()).unwrap_or(0)
    };
    let heights: Vec<u32> = quantities.iter().map(height).collect();
    let cell = |height: u32, below: u32| match height.saturating_sub(below) {
        0 => ' ',
        filled => EIGHTHS[(filled.min(8) - 1) as usize],
    };
    (0..HEIGHT)
        .rev()
        .map(|line| heights.iter().map(|height| cell(*height, line * 8)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_quantity_is_as_high_as_the_chart() {
        let quantities = [0, 1, 16, 32].map(Decimal::from);
        assert_eq!(columns(&quantities), ["   █", "   █", "  ██", " ▁██"]);
        assert_eq!(columns(&[Decimal::ZERO]), [" ", " ", " ", " "]);
        assert_eq!(columns(&[]), ["", "", "", ""]);
    }
}
