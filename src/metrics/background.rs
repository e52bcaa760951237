//! Figures of what works by itself: workers, queues, calls to processors, deliveries of webhooks.

use std::fmt;

use actors::background::{Background, Figures};
use actors::payment::BreakerState;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

pub(super) struct Behind(pub(super) Background);

impl fmt::Debug for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Behind").finish_non_exhaustive()
    }
}

impl Collector for Behind {
    fn encode(&self, mut to: DescriptorEncoder<'_>) -> fmt::Result {
        let Figures { workers, queues, held_messages, calls, deliveries } = self.0.figures();
        let level = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);

        let restarts = "Times that a worker ended and was started again";
        let mut all =
            to.encode_descriptor("worker_restarts", restarts, None, MetricType::Counter)?;
        for worker in workers {
            let labels = [("worker", worker.name)];
            ConstCounter::new(worker.restarts).encode(all.encode_family(&labels)?)?;
        }
        let lines = "Addressees or timers in a queue, by how they stand";
        let mut all = to.encode_descriptor("queue_lines", lines, None, MetricType::Gauge)?;
        for (queue, at) in queues {
            let states = [
                ("ready", at.ready),
                ("under_way", at.under_way),
                ("pausing", at.pausing - at.parked.min(at.pausing)),
                ("parked", at.parked),
            ];
            for (state, count) in states {
                let labels = [("queue", queue), ("state", state)];
                ConstGauge::new(level(count)).encode(all.encode_family(&labels)?)?;
            }
        }
        let levels = [
            ("messages_held", "Messages between rooms in memory", level(held_messages)),
            ("processor_calls", "Calls to processors under way", level(calls.under_way)),
            ("deliveries_held", "Deliveries of webhooks in memory", level(deliveries.held)),
            ("deliveries_waiting", "Those that wait for an attempt", level(deliveries.waiting)),
        ];
        for (name, help, value) in levels {
            let gauge = ConstGauge::new(value);
            gauge.encode(to.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let counts = [
            ("delivery_attempts", "Attempts of deliveries of webhooks", deliveries.attempts),
            ("deliveries_delivered", "Deliveries that were taken", deliveries.delivered),
            ("deliveries_failed", "Deliveries that were given up", deliveries.failed),
        ];
        for (name, help, value) in counts {
            let counter = ConstCounter::new(value);
            counter.encode(to.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        let left =
            "Terminals whose processor did not answer and is left alone, or tried (half_open)";
        let mut all = to.encode_descriptor("processor_breakers", left, None, MetricType::Gauge)?;
        for ((seller, terminal), state) in calls.held_back {
            let (seller, terminal) =
                (seller.0.to_string(), terminal.map_or_else(String::new, |id| id.0.to_string()));
            let state = match state {
                BreakerState::HalfOpen => "half_open",
                BreakerState::Open | BreakerState::Closed => "open",
            };
            let labels =
                [("seller", seller.as_str()), ("terminal", terminal.as_str()), ("state", state)];
            ConstGauge::new(1_i64).encode(all.encode_family(&labels)?)?;
        }
        Ok(())
    }
}
