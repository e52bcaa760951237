//! The two fonts, and texts set in them. All lengths are whole numbers, so that a document is laid
//! out alike on every machine.

use std::ops::Range;
use std::sync::LazyLock;

use krilla::text::{Font, GlyphId};
use rustybuzz::{Direction, Face, Script, ShapePlan, UnicodeBuffer, script};

/// A length on a page, in hundredths of a point.
pub(super) type Length = i32;

/// Shown for a character that the fonts do not have; the text of the document keeps it.
const REPLACEMENT: char = '\u{fffd}';

static REGULAR: LazyLock<Cut> =
    LazyLock::new(|| Cut::new(include_bytes!("../fonts/NotoSans-Regular.ttf")));
static BOLD: LazyLock<Cut> =
    LazyLock::new(|| Cut::new(include_bytes!("../fonts/NotoSans-Bold.ttf")));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) size: Length,
}

/// A line of text, measured. Its glyphs are found again when it is drawn: those of a document of
/// many lines would fill the memory.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) width: Length,
}

/// A glyph in units of its font.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) id: GlyphId,
    /// Which bytes of the text it stands for.
    pub(super) range: Range<usize>,
    pub(super) advance: i32,
    pub(super) offset: (i32, i32),
}

/// One font file, read once.
struct Cut {
    font: Font,
    face: Face<'static>,
    plans: [(Script, ShapePlan); 3],
    replacement: u32,
}

impl Style {
    pub(super) const fn regular(size: Length) -> Self {
        Self { bold: false, size }
    }

    pub(super) const fn bold(size: Length) -> Self {
        Self { bold: true, size }
    }

    pub(super) fn font(self) -> Font {
        self.cut().font.clone()
    }

    pub(super) fn units_per_em(self) -> i32 {
        self.cut().face.units_per_em()
    }

    /// From one line of a paragraph to the next.
    pub(super) fn leading(self) -> Length {
        self.size * 7 / 5
    }

    pub(super) fn set(self, text: &str) -> Text {
        let advance: i64 = self.shape(text).iter().map(|glyph| i64::from(glyph.advance)).sum();
        let width = advance * i64::from(self.size) / i64::from(self.units_per_em());
        let width = Length::try_from(width).unwrap_or(Length::MAX);
        Text { text: text.to_owned(), style: self, width }
    }

    pub(super) fn shape(self, text: &str) -> Vec<Placed> {
        self.cut().shape(text)
    }

    /// `text` in lines of at most `width`, broken between words, or within one that is longer.
    pub(super) fn wrap(self, text: &str, width: Length) -> Vec<Text> {
        text.lines().flat_map(|paragraph| self.wrap_paragraph(paragraph, width)).collect()
    }

    fn wrap_paragraph(self, text: &str, width: Length) -> Vec<Text> {
        let space = self.set(" ").width;
        let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
        for word in text.split_whitespace() {
            for (part, length) in self.parts(word, width) {
                let gap = if line.is_empty() { 0 } else { space };
                let begins = part.as_ptr() == word.as_ptr();
                if !line.is_empty() && (!begins || used + gap + length > width) {
                    lines.push(self.set(&std::mem::take(&mut line)));
                    used = 0;
                }
                if !line.is_empty() {
                    line.push(' ');
                    used += space;
                }
                line.push_str(part);
                used += length;
            }
        }
        if !line.is_empty() || lines.is_empty() {
            lines.push(self.set(&line));
        }
        lines
    }

    /// A word as it is, or the parts of one that is longer than `width`.
    fn parts(self, word: &str, width: Length) -> Vec<(&str, Length)> {
        let whole = self.set(word);
        if whole.width <= width {
            return vec![(word, whole.width)];
        }
        let (mut parts, mut start, mut used) = (Vec::new(), 0, 0);
        for (index, letter) in word.char_indices() {
            let length = self.set(letter.encode_utf8(&mut [0; 4])).width;
            if used + length > width && index > start {
                parts.push((&word[start..index], used));
                (start, used) = (index, 0);
            }
            used += length;
        }
        parts.push((&word[start..], used));
        parts
    }

    fn cut(self) -> &'static Cut {
        if self.bold { &BOLD } else { &REGULAR }
    }
}

impl Cut {
    fn new(file: &'static [u8]) -> Self {
        let face = Face::from_slice(file, 0).expect("a font");
        let plan = |of: Script| {
            let direction = Direction::LeftToRight;
            (of, ShapePlan::new(&face, direction, Some(of), None, &[]))
        };
        let plans = [script::LATIN, script::GREEK, script::CYRILLIC].map(plan);
        let replacement = face.glyph_index(REPLACEMENT).map_or(0, |glyph| u32::from(glyph.0));
        let font = Font::new(file.into(), 0).expect("a font");
        Self { font, face, plans, replacement }
    }

    fn shape(&self, text: &str) -> Vec<Placed> {
        let mut glyphs = Vec::with_capacity(text.len());
        let mut start = 0;
        while start < text.len() {
            let (plan, length) = self.run(&text[start..]);
            self.shape_run(text, start..start + length, plan, &mut glyphs);
            start += length;
        }
        glyphs
    }

    /// How many bytes the text begins with that are of one script. What is of no script goes with
    /// what is before it.
    fn run(&self, text: &str) -> (usize, usize) {
        let mut found = None;
        for (index, letter) in text.char_indices() {
            match (script_of(letter), found) {
                (Some(of), None) => found = Some(of),
                (Some(of), Some(before)) if of != before => return (before, index),
                _ => {}
            }
        }
        (found.unwrap_or(0), text.len())
    }

    fn shape_run(&self, text: &str, run: Range<usize>, plan: usize, to: &mut Vec<Placed>) {
        let (script, plan) = &self.plans[plan];
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(&text[run.clone()]);
        buffer.set_direction(Direction::LeftToRight);
        buffer.set_script(*script);
        let shaped = rustybuzz::shape_with_plan(&self.face, plan, buffer);
        let infos = shaped.glyph_infos();
        let cluster = |index: usize| infos.get(index).map(|info| run.start + info.cluster as usize);
        let mut end = 0;
        for (index, (info, place)) in infos.iter().zip(shaped.glyph_positions()).enumerate() {
            let start = run.start + info.cluster as usize;
            if start >= end {
                let mut next = index + 1;
                while cluster(next) == Some(start) {
                    next += 1;
                }
                end = cluster(next).unwrap_or(run.end);
            }
            to.push(self.placed(info.glyph_id, start..end, place));
        }
    }

    fn placed(&self, id: u32, range: Range<usize>, at: &rustybuzz::GlyphPosition) -> Placed {
        if id != 0 {
            let offset = (at.x_offset, at.y_offset);
            return Placed { id: GlyphId::new(id), range, advance: at.x_advance, offset };
        }
        let glyph = rustybuzz::ttf_parser::GlyphId(self.replacement as u16);
        let advance = self.face.glyph_hor_advance(glyph).map_or(at.x_advance, i32::from);
        Placed { id: GlyphId::new(self.replacement), range, advance, offset: (0, 0) }
    }
}

/// The plan of a letter's script; none of what all scripts share.
fn script_of(letter: char) -> Option<usize> {
    match letter {
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(1),
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' | '\u{a640}'..='\u{a69f}' => Some(2),
        _ if letter.is_alphabetic() => Some(0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style::regular(1000);

    fn missing(text: &str) -> Vec<char> {
        let glyphs = STYLE.shape(text);
        let replaced = glyphs.into_iter().filter(|glyph| glyph.id == GlyphId::new(replacement()));
        replaced.filter_map(|glyph| text[glyph.range].chars().next()).collect()
    }

    fn replacement() -> u32 {
        assert_ne!(REGULAR.replacement, 0, "the font has the sign itself");
        REGULAR.replacement
    }

    #[test]
    fn every_letter_of_european_names_is_there() {
        let latin = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİı\
                     ĲĳĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžȘșȚțẞ\
                     ẀẁẂẃẄẅỲỳ’‘“”„–—…€£§·";
        let greek = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰΆΈΉΊΌΎΏἈῷ";
        let cyrillic = "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяЁёЂђЃѓЄєЅѕІіЇїЈјЉљ\
                        ЊњЋћЌќЎўЏџҐґӘәҮүҰұ";
        for text in [latin, greek, cyrillic, "a\u{301}e\u{308}", "×\u{2011}"] {
            assert_eq!(missing(text), Vec::<char>::new(), "{text}");
        }
    }

    #[test]
    fn what_the_fonts_lack_is_shown_as_such_and_stays_in_the_text() {
        assert_eq!(missing("Ada 愛達 Lovelace"), ['愛', '達']);
        assert_eq!(STYLE.set("愛").text, "愛");
    }

    #[test]
    fn every_byte_of_a_text_belongs_to_one_glyph_or_more() {
        for text in ["Ω and Я", "Zoë Ἀθῆναι Київ", "fi ffl", "e\u{301}", "", "  "] {
            let mut at = 0;
            for glyph in STYLE.shape(text) {
                assert!(glyph.range.start <= at && glyph.range.end >= at, "{text}");
                at = glyph.range.end;
            }
            assert_eq!(at, text.len(), "{text}");
        }
    }

    #[test]
    fn digits_are_of_one_width_in_both_cuts() {
        for style in [STYLE, Style::bold(1000)] {
            let widths: Vec<Length> =
                ('0'..='9').map(|digit| style.set(&digit.to_string()).width).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{widths:?}");
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_long_words_within() {
        let texts = |text: &str, width| {
            STYLE.wrap(text, width).into_iter().map(|line| line.text).collect::<Vec<_>>()
        };
        let width = STYLE.set("one two").width;
        assert_eq!(texts("one two three", width), ["one two", "three"]);
        assert_eq!(texts("one\n\ntwo", width), ["one", "", "two"]);
        let long = "x".repeat(200);
        let lines = STYLE.wrap(&format!("a {long} b"), width);
        assert!(lines.iter().all(|line| line.width <= width));
        let all: String = lines.iter().map(|line| line.text.replace(' ', "")).collect();
        assert_eq!(all, format!("a{long}b"));
    }
}
