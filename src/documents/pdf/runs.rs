//! A text in the order in which it is shown: parts of one direction, each of one font and script.

use unicode_bidi::BidiInfo;

use super::fonts::{Cut, Run, cut_for};

/// The first letter of the scripts that are written to the left.
const HEBREW: char = '\u{590}';

/// The runs of a text from left to right, each with its font. Letters that are written to the left
/// stand as the Unicode Bidirectional Algorithm (UAX 9) has them, in a text that runs the way of
/// its first letter.
pub(super) fn runs(bold: bool, text: &str) -> Vec<(&'static Cut, Run)> {
    let mut runs = Vec::new();
    if text.chars().all(|letter| letter < HEBREW) {
        of_one_direction(bold, text, 0..text.len(), false, &mut runs);
        return runs;
    }
    let directions = BidiInfo::new(text, None);
    for paragraph in &directions.paragraphs {
        let (levels, parts) = directions.visual_runs(paragraph, paragraph.range.clone());
        for part in parts {
            let leftward = levels[part.start].is_rtl();
            let first = runs.len();
            of_one_direction(bold, text, part, leftward, &mut runs);
            if leftward {
                runs[first..].reverse();
            }
        }
    }
    runs
}

/// Cuts a part of a text where the font or the script changes. What is of no script goes with what
/// is before it.
fn of_one_direction(
    bold: bool,
    text: &str,
    part: std::ops::Range<usize>,
    leftward: bool,
    to: &mut Vec<(&'static Cut, Run)>,
) {
    let (mut before, mut known) = (None::<&'static Cut>, None);
    for (index, letter) in text[part.clone()].char_indices() {
        let at = part.start + index;
        let cut = cut_for(bold, letter, before);
        let script = script_of(letter);
        let same_cut = before.is_some_and(|before| before.is(cut));
        let same_script = script.is_none() || known.is_none() || script == known;
        match to.last_mut().filter(|_| same_cut && same_script) {
            Some((_, run)) => {
                run.range.end = at + letter.len_utf8();
                known = known.or(script);
                run.script = known.unwrap_or(0);
            }
            None => {
                let range = at..at + letter.len_utf8();
                to.push((cut, Run { range, leftward, script: script.unwrap_or(0) }));
                known = script;
            }
        }
        before = Some(cut);
    }
}

/// Which script of the first font a letter is of; none of what all scripts share, and the only one
/// of any other font.
fn script_of(letter: char) -> Option<usize> {
    match letter {
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(1),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(2),
        _ if letter.is_alphabetic() => Some(0),
        _ => None,
    }
}
