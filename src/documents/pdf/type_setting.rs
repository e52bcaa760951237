//! Texts set in the fonts. All lengths are whole numbers, so that a document is laid out alike on
//! every machine.

use super::fonts::{Cut, Placed};
use super::runs::runs;

/// A length on a page, in hundredths of a point.
pub(super) type Length = i32;

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

/// Glyphs of one font, from left to right.
pub(super) struct Shaped {
    pub(super) cut: &'static Cut,
    pub(super) glyphs: Vec<Placed>,
}

impl Style {
    pub(super) const fn regular(size: Length) -> Self {
        Self { bold: false, size }
    }

    pub(super) const fn bold(size: Length) -> Self {
        Self { bold: true, size }
    }

    /// From one line of a paragraph to the next.
    pub(super) fn leading(self) -> Length {
        self.size * 7 / 5
    }

    pub(super) fn set(self, text: &str) -> Text {
        let width = self.shape(text).iter().map(|part| part.width(self.size)).sum();
        Text { text: text.to_owned(), style: self, width }
    }

    /// The parts of a text from left to right, one for each change of font.
    pub(super) fn shape(self, text: &str) -> Vec<Shaped> {
        let mut parts: Vec<Shaped> = Vec::new();
        for (cut, run) in runs(self.bold, text) {
            let glyphs = cut.shape(text, &run);
            match parts.last_mut().filter(|last| last.cut.is(cut)) {
                Some(last) => last.glyphs.extend(glyphs),
                None => parts.push(Shaped { cut, glyphs }),
            }
        }
        parts
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
}

impl Shaped {
    pub(super) fn width(&self, size: Length) -> Length {
        let advance: i64 = self.glyphs.iter().map(|glyph| i64::from(glyph.advance)).sum();
        let width = advance * i64::from(size) / i64::from(self.cut.units_per_em());
        Length::try_from(width).unwrap_or(Length::MAX)
    }
}

#[cfg(test)]
mod tests {
    use krilla::text::GlyphId;

    use super::super::fonts::{Run, cut_for, first_cut};
    use super::*;

    const STYLE: Style = Style::regular(1000);

    /// What of a text is shown by a sign that stands for it.
    fn missing(text: &str) -> Vec<char> {
        let replaced = |part: Shaped| {
            let cut = part.cut;
            part.glyphs
                .into_iter()
                .filter(move |glyph| first_cut(false).is(cut) && cut.replaces(glyph))
        };
        let replaced = STYLE.shape(text).into_iter().flat_map(replaced);
        replaced.filter_map(|glyph| text[glyph.range].chars().next()).collect()
    }

    /// The letters in the order in which they stand from left to right.
    fn shown(text: &str) -> String {
        let glyphs = STYLE.shape(text).into_iter().flat_map(|part| part.glyphs);
        glyphs.map(|glyph| &text[glyph.range]).collect()
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
    fn names_of_other_scripts_are_there() {
        for text in [
            "愛達 ラブレス さくら 김민준",
            "דוד כהן",
            "محمد بن علي",
            "ქართული",
            "Հայերեն",
            "สมชาย",
            "मोहन शर्मा",
        ] {
            assert_eq!(missing(text), Vec::<char>::new(), "{text}");
        }
    }

    #[test]
    fn what_no_font_has_is_shown_as_such_and_stays_in_the_text() {
        assert_eq!(missing("Ada ᏣᎳ Lovelace"), ['Ꮳ', 'Ꮃ']);
        assert_eq!(STYLE.set("Ꮳ").text, "Ꮳ");
    }

    #[test]
    fn no_glyph_is_that_of_no_letter_whatever_follows_one() {
        let drawn = |glyphs: Vec<Placed>| glyphs.iter().all(|glyph| glyph.id != GlyphId::new(0));
        for letter in ['a', 'ש', 'م', 'Հ', 'ა', 'ก', 'म', '愛', '한'] {
            for mark in ['\u{301}', '\u{336}', '\u{34f}', '\u{200d}', '\u{fe0f}'] {
                let text = format!("{letter}{mark}");
                for bold in [false, true] {
                    let style = Style { bold, ..STYLE };
                    let shown = style.shape(&text).into_iter().all(|part| drawn(part.glyphs));
                    assert!(shown, "{letter} and {mark:?}");
                    // Nor where a font is given what it lacks.
                    let run = Run { range: 0..text.len(), leftward: false, script: 0 };
                    let glyphs = cut_for(bold, letter, None).shape(&text, &run);
                    assert!(drawn(glyphs), "{mark:?} in the font of {letter}");
                }
            }
        }
        assert_eq!(missing("ש\u{301} ა\u{336}"), Vec::<char>::new());
    }

    #[test]
    fn what_is_written_to_the_left_stands_so_and_its_digits_do_not() {
        assert_eq!(shown("אבג"), "גבא");
        assert_eq!(shown("Ada אבג 123"), "Ada 123 גבא");
        assert_eq!(shown("אבג 123 (דה)"), ")הד( 123 גבא");
        // Letters of Arabic are joined: in a word they have other glyphs than alone.
        let glyphs = |text: &str| -> Vec<_> {
            let glyphs = STYLE.shape(text).into_iter().flat_map(|part| part.glyphs);
            glyphs.map(|glyph| glyph.id).collect()
        };
        let (alone, joined) = (glyphs("م"), glyphs("مم"));
        assert!(joined.len() == 2 && !joined.contains(&alone[0]));
    }

    #[test]
    fn every_byte_of_a_text_belongs_to_one_glyph_or_more() {
        for text in ["Ω and Я", "Zoë Ἀθῆναι Київ", "fi ffl", "e\u{301}", "", "  ", "愛 Ada אבג12 ش"]
        {
            let glyphs = STYLE.shape(text).into_iter().flat_map(|part| part.glyphs);
            let mut ranges: Vec<_> =
                glyphs.map(|glyph| (glyph.range.start, glyph.range.end)).collect();
            ranges.sort_unstable();
            let mut at = 0;
            for (start, end) in ranges {
                assert!(start <= at && end >= at, "{text}");
                at = end;
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
