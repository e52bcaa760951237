//! Pages drawn with krilla, as PDF/A-3b.

use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::configure::{Archival, ConfigurationBuilder};
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::num::NormalizedF32;
use krilla::page::{Page as Drawn, PageSettings};
use krilla::paint::Fill;
use krilla::surface::{Location, Surface};
use krilla::text::{Glyph, GlyphId};
use krilla::{Document, SerializeSettings};

use super::fonts::Placed;
use super::sheet::{Area, Colour, HEIGHT, Mark, Page, WIDTH};
use super::type_setting::{Length, Text};

/// An empty document that is going to be PDF/A-3b.
pub(super) fn document() -> Document {
    let configuration = ConfigurationBuilder::new().with_archival_validator(Archival::A3_B);
    let configuration = configuration.finish().unwrap_or_default();
    Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() })
}

pub(super) fn pages(document: &mut Document, pages: &[Page]) {
    for page in pages {
        let Some(settings) = PageSettings::from_wh(points(WIDTH), points(HEIGHT)) else { continue };
        let mut drawn = document.start_page_with(settings);
        links(&mut drawn, page);
        let mut surface = drawn.surface();
        for mark in &page.marks {
            draw(&mut surface, mark);
        }
        surface.finish();
        drawn.finish();
    }
}

fn links(drawn: &mut Drawn<'_>, page: &Page) {
    for mark in &page.marks {
        let Mark::Link(area, uri) = mark else { continue };
        let Some(area) = rect(*area) else { continue };
        let target = Target::Action(Action::from(LinkAction::new(uri.clone())));
        drawn.add_annotation(Annotation::new_link(LinkAnnotation::new(area, target), None));
    }
}

fn draw(surface: &mut Surface<'_>, mark: &Mark) {
    match mark {
        Mark::Text { left, base, text, colour } => write(surface, (*left, *base), text, *colour),
        Mark::Filled(area, colour) => fill(surface, [rect(*area)], *colour),
        Mark::Squares { area, across, dark } => {
            let square = |(column, row): &(i32, i32)| rect(cell(*area, *across, *column, *row));
            fill(surface, dark.iter().map(square), Colour(0, 0, 0));
        }
        Mark::Link(..) => {}
    }
}

/// One of the squares that an area is divided into, so that neighbours meet without a gap.
fn cell(area: Area, across: i32, column: i32, row: i32) -> Area {
    let edge = |whole: Length, place: i32| whole * place / across.max(1);
    let (left, top) = (edge(area.width, column), edge(area.height, row));
    Area {
        left: area.left + left,
        top: area.top + top,
        width: edge(area.width, column + 1) - left,
        height: edge(area.height, row + 1) - top,
    }
}

fn write(surface: &mut Surface<'_>, (left, base): (Length, Length), text: &Text, colour: Colour) {
    surface.set_fill(Some(paint(colour)));
    let mut left = left;
    for part in text.style.shape(&text.text) {
        let (font, upem) = (part.cut.font(), part.cut.units_per_em());
        let width = part.width(text.style.size);
        let glyphs: Vec<_> = part.glyphs.into_iter().map(|glyph| Shown { glyph, upem }).collect();
        let at = Point::from_xy(points(left), points(base));
        let size = points(text.style.size);
        surface.draw_glyphs(at, &glyphs, font, &text.text, size, false);
        left += width;
    }
}

fn fill(surface: &mut Surface<'_>, areas: impl IntoIterator<Item = Option<Rect>>, colour: Colour) {
    let mut path = PathBuilder::new();
    for area in areas.into_iter().flatten() {
        path.push_rect(area);
    }
    if let Some(path) = path.finish() {
        surface.set_fill(Some(paint(colour)));
        surface.draw_path(&path);
    }
}

fn paint(Colour(red, green, blue): Colour) -> Fill {
    let paint = rgb::Color::new(red, green, blue).into();
    Fill { paint, opacity: NormalizedF32::ONE, ..Fill::default() }
}

fn rect(area: Area) -> Option<Rect> {
    let (left, top) = (points(area.left), points(area.top));
    Rect::from_ltrb(left, top, points(area.left + area.width), points(area.top + area.height))
}

/// A length as the PDF writer takes it.
#[expect(clippy::float_arithmetic, reason = "a place on a page")]
fn points(length: Length) -> f32 {
    length as f32 / 100.0
}

struct Shown {
    glyph: Placed,
    upem: i32,
}

impl Shown {
    #[expect(clippy::float_arithmetic, reason = "a place on a page")]
    fn scaled(&self, units: i32, size: f32) -> f32 {
        units as f32 * size / self.upem as f32
    }
}

impl Glyph for Shown {
    fn glyph_id(&self) -> GlyphId {
        self.glyph.id
    }

    fn text_range(&self) -> std::ops::Range<usize> {
        self.glyph.range.clone()
    }

    fn x_advance(&self, size: f32) -> f32 {
        self.scaled(self.glyph.advance, size)
    }

    fn x_offset(&self, size: f32) -> f32 {
        self.scaled(self.glyph.offset.0, size)
    }

    fn y_offset(&self, size: f32) -> f32 {
        self.scaled(self.glyph.offset.1, size)
    }

    fn y_advance(&self, _: f32) -> f32 {
        0.0
    }

    fn location(&self) -> Option<Location> {
        None
    }
}
