//! `GET /contracts/{contractId}/usage/{metric}/series`: quantities by hour or by day, as a chart
//! shows them.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::billing::invoice::parse_bound;
use actors::domain::billing::subscription::Span;
use actors::domain::billing::test_clock::Moment;
use actors::domain::billing::usage::{MetricName, SEATS};
use actors::domain::quantity::plain_text;
use actors::domain::time::Timestamp;
use actors::query::usage::{self, Bucket, BucketWidth};
use actors::tables::CLOCKS;
use serde::Serialize;
use storage::Store;
use utoipa::ToSchema;

use crate::api::billing::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What `bucket` may name.
pub const BUCKETS: &[&str] = &["hour", "day"];

/// The most buckets of one answer.
const MAX_BUCKETS: i64 = 10_000;

/// How many days a series has that says not where it begins.
const USUAL_DAYS: i64 = 30;

const BOUND: &str = "a date or an RFC 3339 timestamp";

/// What was used of a metric, bucket by bucket.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesView {
    contract_id: u64,
    metric: String,
    /// `hour` or `day`, in UTC.
    bucket: &'static str,
    /// When the first bucket begins.
    from: Timestamp,
    /// When the last one ends.
    to: Timestamp,
    /// Every bucket, in order of time, also those without an event.
    points: Vec<PointView>,
}

/// One bucket.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PointView {
    /// When it begins.
    start: Timestamp,
    /// What its events come to by the metric's aggregation; `"0"` without one. Of
    /// `platform.seat.active` the seats that the day ends with; `"0"` on days to come.
    quantity: String,
    events: u64,
}

/// Whole buckets, as they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    from: Timestamp,
    to: Timestamp,
    width: BucketWidth,
}

pub async fn series(app: Arc<App>, request: Request) -> ApiResult {
    let (contract, seller) = (require_contract(&app, &request)?, request.seller_id());
    let metric = MetricName::parse(&request.text_param("metric")?).ok_or_else(ApiError::missing)?;
    if request.seller().metric(&metric).is_none() && !metric.is_seats() {
        return Err(ApiError::missing());
    }
    let window = Window::read(&request)?;
    let (span, name) = (window.days(), metric.clone());
    if metric.is_seats() && window.width == BucketWidth::Hour {
        return Err(ApiError::invalid(format!("bucket of {SEATS} must be day")));
    }
    let now = request.now;
    let read = move |store: &Store| {
        if !name.is_seats() {
            return usage::series(store, seller, contract, &name, span, window.width);
        }
        // A test clock may be ahead: the days behind it have come for its contract.
        let clock = store.get(CLOCKS, &(seller, contract))?;
        let tomorrow = Moment::of(clock.as_ref(), now).latest_day().plus_days(1);
        usage::seats_by_day(store, seller, contract, span.before(tomorrow))
    };
    let points = window.points(&app.blocking(read).await?);
    Ok(Response::ok(&SeriesView {
        contract_id: contract.0,
        metric: metric.as_str().to_owned(),
        bucket: name_of(window.width),
        from: window.from,
        to: window.to,
        points,
    }))
}

impl Window {
    fn read(request: &Request) -> Result<Self, ApiError> {
        let expected = format!("one of {}", BUCKETS.join(", "));
        let width = request.query_as("bucket", &expected, width)?.unwrap_or(BucketWidth::Day);
        let from = request.query_as("from", BOUND, parse_bound)?;
        let to = request.query_as("to", BOUND, parse_bound)?;
        Self::new(from, to, width, request.now).map_err(ApiError::invalid)
    }

    /// The whole buckets that have any part of the time between the bounds.
    fn new(
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        width: BucketWidth,
        now: Timestamp,
    ) -> Result<Self, String> {
        let seconds = seconds(width);
        let to = to.unwrap_or(now);
        let from = from.unwrap_or_else(|| floor(to, seconds).plus_seconds(-USUAL_DAYS * 86_400));
        if from >= to {
            return Err("from must be before to".to_owned());
        }
        let from = floor(from, seconds);
        let last = floor(Timestamp::from_micros(to.micros() - 1), seconds);
        let to = last.plus_seconds(seconds);
        let window = Self { from, to, width };
        match window.buckets() > MAX_BUCKETS {
            true => Err(format!("from and to must be at most {MAX_BUCKETS} buckets apart")),
            false => Ok(window),
        }
    }

    /// How many there are; the last one of the calendar may end a microsecond early.
    fn buckets(&self) -> i64 {
        let micros = seconds(self.width) * 1_000_000;
        (self.to.micros() - self.from.micros() + micros - 1) / micros
    }

    /// The days that have a part in it.
    fn days(&self) -> Span {
        let last = Timestamp::from_micros(self.to.micros() - 1);
        Span { start: self.from.date(), end: last.date().plus_days(1) }
    }

    /// Every bucket, with what was found of it.
    fn points(&self, found: &[Bucket]) -> Vec<PointView> {
        let known: BTreeMap<Timestamp, &Bucket> =
            found.iter().map(|bucket| (bucket.start, bucket)).collect();
        let starts = (0..self.buckets()).map(|n| self.from.plus_seconds(n * seconds(self.width)));
        let point = |start| {
            let bucket = known.get(&start);
            PointView {
                start,
                quantity: bucket.map_or_else(|| "0".to_owned(), |of| plain_text(of.quantity)),
                events: bucket.map_or(0, |of| of.events),
            }
        };
        starts.map(point).collect()
    }
}

fn width(name: &str) -> Option<BucketWidth> {
    match name {
        "hour" => Some(BucketWidth::Hour),
        "day" => Some(BucketWidth::Day),
        _ => None,
    }
}

fn name_of(width: BucketWidth) -> &'static str {
    match width {
        BucketWidth::Hour => "hour",
        BucketWidth::Day => "day",
    }
}

fn seconds(width: BucketWidth) -> i64 {
    match width {
        BucketWidth::Hour => 3_600,
        BucketWidth::Day => 86_400,
    }
}

/// The beginning of the bucket in which an instant lies.
fn floor(at: Timestamp, seconds: i64) -> Timestamp {
    let micros = seconds * 1_000_000;
    Timestamp::from_micros(at.micros().div_euclid(micros) * micros)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/usage/{metric}/series", series)
            .named("getUsageSeries")
            .summary("Read usage by hour or day")
            .describe(
                "Buckets are whole hours or days in UTC: all that have a part of the time from \
                 `from` up to `to`, at most 10,000. By default `bucket` is `day`, `to` is now, \
                 and `from` is 30 days before `to`. A bucket without an event is `\"0\"`. Each \
                 bucket is aggregated for itself, so those of `sum` and `count` add up to the \
                 period's quantity and others need not. Events that no subscription covers are \
                 in it; late ones are not. Seats, `platform.seat.active`, are told by day alone: \
                 each day has those that it ends with, today those of now and days to come none, \
                 so that they too add up to the period's quantity.",
            )
            .path_id("contractId")
            .path_text("metric", "The name of a registered metric.")
            .query_time("from", "Where the first bucket lies.")
            .query_time("to", "What the last bucket lies before.")
            .query_one_of("bucket", BUCKETS, "How long a bucket is; of seats a day.")
            .answer::<SeriesView>(200, "Every bucket, in order of time.")
            .refuses(
                400,
                "A bound is malformed, `from` is not before `to`, there are too many buckets, or \
                 they are of seats by the hour.",
            )
            .refuses(404, "The contract or the metric is unknown, or another seller's."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        parse_bound(text).expect("an instant")
    }

    fn window(from: &str, to: &str, width: BucketWidth) -> Result<String, String> {
        let given = |text: &str| (!text.is_empty()).then(|| at(text));
        let now = at("2027-01-15T09:30:00Z");
        let window = Window::new(given(from), given(to), width, now)?;
        Ok(format!("{} {} {}", window.from, window.to, window.buckets()))
    }

    #[test]
    fn bounds_are_widened_to_whole_buckets() {
        use BucketWidth::{Day, Hour};
        for (from, to, width, expected) in [
            ("2027-01-15", "2027-01-16", Day, "2027-01-15T00:00:00Z 2027-01-16T00:00:00Z 1"),
            ("2027-01-15", "2027-01-16", Hour, "2027-01-15T00:00:00Z 2027-01-16T00:00:00Z 24"),
            (
                "2027-01-15T08:59:59Z",
                "2027-01-15T10:00:00.000001Z",
                Hour,
                "2027-01-15T08:00:00Z 2027-01-15T11:00:00Z 3",
            ),
            (
                "2027-01-15T08:00:00Z",
                "2027-01-15T09:00:00Z",
                Day,
                "2027-01-15T00:00:00Z 2027-01-16T00:00:00Z 1",
            ),
            ("", "", Day, "2026-12-16T00:00:00Z 2027-01-16T00:00:00Z 31"),
            ("", "2027-01-15", Day, "2026-12-16T00:00:00Z 2027-01-15T00:00:00Z 30"),
            ("2027-01-15", "", Hour, "2027-01-15T00:00:00Z 2027-01-15T10:00:00Z 10"),
            ("1969-12-31", "1970-01-02", Day, "1969-12-31T00:00:00Z 1970-01-02T00:00:00Z 2"),
        ] {
            assert_eq!(window(from, to, width).as_deref(), Ok(expected), "{from} {to}");
        }
        for (from, to, width) in [
            ("2027-01-15", "2027-01-15", Day),
            ("2027-01-16", "2027-01-15", Day),
            ("2027-01-16", "", Day),
            ("2026-01-01", "2027-03-01", Hour),
            ("1990-01-01", "2027-01-01", Day),
        ] {
            assert!(window(from, to, width).is_err(), "{from} {to}");
        }
        assert!(window("2026-01-01", "2027-01-01", Hour).is_ok());
    }

    #[test]
    fn buckets_without_events_are_zero() {
        let (from, to) = (at("2027-01-15T08:00:00Z"), at("2027-01-15T11:00:00Z"));
        let window = Window { from, to, width: BucketWidth::Hour };
        let bucket = |start: &str, quantity: &str| Bucket {
            start: at(start),
            quantity: quantity.parse().expect("a decimal"),
            events: 2,
        };
        let found = [bucket("2027-01-15T07:00:00Z", "9"), bucket("2027-01-15T09:00:00Z", "1.50")];
        let points: Vec<_> =
            window.points(&found).iter().map(|p| (p.quantity.clone(), p.events)).collect();
        let zero = || ("0".to_owned(), 0);
        assert_eq!(points, [zero(), ("1.5".to_owned(), 2), zero()]);
    }
}
