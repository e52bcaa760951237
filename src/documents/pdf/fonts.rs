//! The fonts in the binary, which of them has a letter, and glyphs of one of them.
//!
//! The first has the letters of most of Europe and all signs; each of the others, which are read
//! when a text asks for them, has the letters of its script.

use std::ops::Range;
use std::sync::LazyLock;

use krilla::text::{Font, GlyphId};
use rustybuzz::{Direction, Face, GlyphPosition, Script, ShapePlan, UnicodeBuffer, script};

/// Shown for a character that no font has; the text of the document keeps it.
const REPLACEMENT: char = '\u{fffd}';

/// Shown by a font that lacks even this: a file with a glyph for "none" is no PDF/A.
const BLANK: char = ' ';

/// The first letter of the scripts that other fonts may have.
const ARMENIAN: char = '\u{530}';

static REGULAR: Family = Family {
    first: LazyLock::new(|| first(include_bytes!("../fonts/NotoSans-Regular.ttf"))),
    others: LazyLock::new(|| {
        others([
            include_bytes!("../fonts/NotoSansHebrew-Regular.ttf"),
            include_bytes!("../fonts/NotoSansArabic-Regular.ttf"),
            include_bytes!("../fonts/NotoSansArmenian-Regular.ttf"),
            include_bytes!("../fonts/NotoSansGeorgian-Regular.ttf"),
            include_bytes!("../fonts/NotoSansThai-Regular.ttf"),
            include_bytes!("../fonts/NotoSansDevanagari-Regular.ttf"),
        ])
    }),
};
static BOLD: Family = Family {
    first: LazyLock::new(|| first(include_bytes!("../fonts/NotoSans-Bold.ttf"))),
    others: LazyLock::new(|| {
        others([
            include_bytes!("../fonts/NotoSansHebrew-Bold.ttf"),
            include_bytes!("../fonts/NotoSansArabic-Bold.ttf"),
            include_bytes!("../fonts/NotoSansArmenian-Bold.ttf"),
            include_bytes!("../fonts/NotoSansGeorgian-Bold.ttf"),
            include_bytes!("../fonts/NotoSansThai-Bold.ttf"),
            include_bytes!("../fonts/NotoSansDevanagari-Bold.ttf"),
        ])
    }),
};
/// Chinese, Japanese and Korean, which have one cut alone.
static EASTERN: LazyLock<Cut> =
    LazyLock::new(|| Cut::new(include_bytes!("../fonts/DroidSansFallback.ttf"), &[script::HAN]));

struct Family {
    first: LazyLock<Cut>,
    others: LazyLock<Vec<Cut>>,
}

/// One font file, read once.
pub(super) struct Cut {
    font: Font,
    face: Face<'static>,
    plans: Vec<(Script, Direction, ShapePlan)>,
    replacement: u32,
}

/// A part of a text that one font shows in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Which bytes of the text.
    pub(super) range: Range<usize>,
    pub(super) leftward: bool,
    /// Which of the scripts of the font, counted.
    pub(super) script: usize,
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

fn first(file: &'static [u8]) -> Cut {
    Cut::new(file, &[script::LATIN, script::GREEK, script::CYRILLIC])
}

fn others(files: [&'static [u8]; 6]) -> Vec<Cut> {
    let scripts = [
        script::HEBREW,
        script::ARABIC,
        script::ARMENIAN,
        script::GEORGIAN,
        script::THAI,
        script::DEVANAGARI,
    ];
    files.into_iter().zip(scripts).map(|(file, script)| Cut::new(file, &[script])).collect()
}

pub(super) fn first_cut(bold: bool) -> &'static Cut {
    &family(bold).first
}

/// The font that shows a letter, the first one where none does. A mark goes with the letter
/// `before` it, where that one's font has it.
pub(super) fn cut_for(bold: bool, letter: char, before: Option<&'static Cut>) -> &'static Cut {
    let first = first_cut(bold);
    if let Some(before) = before
        && (joins(letter) || (is_mark(letter) && before.has(letter)))
    {
        return before;
    }
    if letter < ARMENIAN || first.has(letter) {
        return first;
    }
    let others = family(bold).others.iter().chain([&*EASTERN]);
    others.into_iter().find(|cut| cut.has(letter)).unwrap_or(first)
}

fn family(bold: bool) -> &'static Family {
    if bold { &BOLD } else { &REGULAR }
}

/// Whether a character is drawn over the one before.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Whether a character says how the ones beside it are joined, or which form the one before has. It
/// is not drawn itself, so that no font needs it.
fn joins(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

impl Cut {
    fn new(file: &'static [u8], scripts: &[Script]) -> Self {
        let face = Face::from_slice(file, 0).expect("a font");
        let mut plans = Vec::new();
        for of in scripts {
            for direction in [Direction::LeftToRight, Direction::RightToLeft] {
                let plan = ShapePlan::new(&face, direction, Some(*of), None, &[]);
                plans.push((*of, direction, plan));
            }
        }
        let replacement = face.glyph_index(REPLACEMENT).or_else(|| face.glyph_index(BLANK));
        let replacement = replacement.map_or(0, |glyph| u32::from(glyph.0));
        let font = Font::new(file.into(), 0).expect("a font");
        Self { font, face, plans, replacement }
    }

    pub(super) fn font(&self) -> Font {
        self.font.clone()
    }

    pub(super) fn units_per_em(&self) -> i32 {
        self.face.units_per_em()
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }

    fn has(&self, letter: char) -> bool {
        self.face.glyph_index(letter).is_some()
    }

    /// The glyphs of a run, from left to right.
    pub(super) fn shape(&self, text: &str, run: &Run) -> Vec<Placed> {
        let Some((script, direction, plan)) =
            self.plans.get(2 * run.script + usize::from(run.leftward))
        else {
            return Vec::new();
        };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(&text[run.range.clone()]);
        buffer.set_direction(*direction);
        buffer.set_script(*script);
        let shaped = rustybuzz::shape_with_plan(&self.face, plan, buffer);
        let start = |info: &rustybuzz::GlyphInfo| run.range.start + info.cluster as usize;
        let mut starts: Vec<_> = shaped.glyph_infos().iter().map(start).collect();
        starts.sort_unstable();
        starts.dedup();
        let placed = |(info, place): (&rustybuzz::GlyphInfo, &GlyphPosition)| {
            let start = start(info);
            let next = starts.partition_point(|other| *other <= start);
            let end = starts.get(next).copied().unwrap_or(run.range.end);
            self.placed(info.glyph_id, start..end, place)
        };
        shaped.glyph_infos().iter().zip(shaped.glyph_positions()).map(placed).collect()
    }

    fn placed(&self, id: u32, range: Range<usize>, at: &GlyphPosition) -> Placed {
        if id != 0 {
            let offset = (at.x_offset, at.y_offset);
            return Placed { id: GlyphId::new(id), range, advance: at.x_advance, offset };
        }
        let glyph = rustybuzz::ttf_parser::GlyphId(self.replacement as u16);
        let advance = self.face.glyph_hor_advance(glyph).map_or(at.x_advance, i32::from);
        Placed { id: GlyphId::new(self.replacement), range, advance, offset: (0, 0) }
    }

    /// Whether a glyph stands for what no font has.
    #[cfg(test)]
    pub(super) fn replaces(&self, glyph: &Placed) -> bool {
        assert_ne!(self.replacement, 0, "the font has the sign itself");
        glyph.id == GlyphId::new(self.replacement)
    }
}
