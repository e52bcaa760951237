//! Pages as what is to be drawn on them, before anything is drawn: how many there are is known
//! only at the end, and each of them says it.

use super::type_setting::{Length, Style, Text};

/// A4.
pub(super) const WIDTH: Length = 59_528;
pub(super) const HEIGHT: Length = 84_189;
pub(super) const LEFT: Length = 5_400;
pub(super) const RIGHT: Length = WIDTH - LEFT;
/// Where the first line of a page may begin, and its last must end.
pub(super) const TOP: Length = 5_400;
pub(super) const BOTTOM: Length = HEIGHT - 6_600;

/// Red, green and blue, as the hosted pages have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

pub(super) const INK: Colour = Colour(0x12, 0x18, 0x26);
pub(super) const SOFT: Colour = Colour(0x5a, 0x64, 0x78);
pub(super) const LINE: Colour = Colour(0xd5, 0xdb, 0xe6);
pub(super) const ACCENT: Colour = Colour(0x1f, 0x4f, 0xd8);
pub(super) const TINT: Colour = Colour(0xee, 0xf3, 0xff);
pub(super) const GOOD: Colour = Colour(0x0b, 0x6b, 0x3f);
pub(super) const BAD: Colour = Colour(0xb3, 0x18, 0x1f);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) left: Length,
    pub(super) top: Length,
    pub(super) width: Length,
    pub(super) height: Length,
}

#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// A text, its base line beginning at this place.
    Text {
        left: Length,
        base: Length,
        text: Text,
        colour: Colour,
    },
    Filled(Area, Colour),
    /// Dark squares of one size, each by its place from the left and the top.
    Squares {
        area: Area,
        across: i32,
        dark: Vec<(i32, i32)>,
    },
    Link(Area, String),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) marks: Vec<Mark>,
}

/// The pages so far, the last of which is written on.
#[derive(Debug)]
pub(super) struct Sheets {
    pub(super) pages: Vec<Page>,
    /// How far down the last page is written.
    pub(super) y: Length,
}

impl Sheets {
    pub(super) fn new() -> Self {
        Self { pages: vec![Page::default()], y: TOP }
    }

    pub(super) fn turn(&mut self) {
        self.pages.push(Page::default());
        self.y = TOP;
    }

    pub(super) fn has_room(&self, height: Length) -> bool {
        self.y + height <= BOTTOM
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        if let Some(page) = self.pages.last_mut() {
            page.marks.push(mark);
        }
    }

    pub(super) fn left(&mut self, left: Length, base: Length, text: Text, colour: Colour) {
        if !text.text.is_empty() {
            self.mark(Mark::Text { left, base, text, colour });
        }
    }

    /// A text that ends at `right`.
    pub(super) fn right(&mut self, right: Length, base: Length, text: Text, colour: Colour) {
        self.left(right - text.width, base, text, colour);
    }

    /// Texts one below the other, the first with its base line at `base`; answers where the next
    /// would be.
    pub(super) fn column(
        &mut self,
        left: Length,
        base: Length,
        texts: impl IntoIterator<Item = Text>,
        colour: Colour,
    ) -> Length {
        let mut base = base;
        for text in texts {
            let leading = text.style.leading();
            self.left(left, base, text, colour);
            base += leading;
        }
        base
    }

    /// A thin line across, of the whole width between the margins.
    pub(super) fn rule(&mut self, y: Length, thickness: Length, colour: Colour) {
        self.rule_from(LEFT, y, thickness, colour);
    }

    pub(super) fn rule_from(&mut self, left: Length, y: Length, height: Length, colour: Colour) {
        self.mark(Mark::Filled(Area { left, top: y, width: RIGHT - left, height }, colour));
    }
}

impl Style {
    /// From the base line to the top of what stands on it, about.
    pub(super) const fn rise(self) -> Length {
        self.size * 3 / 4
    }
}
