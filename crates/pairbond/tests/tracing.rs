//! Events through the `tracing` crate.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use pairbond::event::{emit, to_tracing};
use pairbond::prelude::*;
use pairbond_testing::fake::Interpreter;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// One line for each event.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "pairbond"
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn events_become_tracing_events() {
    let lines = Lines::default();
    let dispatch = tracing::Dispatch::new(lines.clone());
    tracing::dispatcher::set_global_default(dispatch).expect("the first");
    let observing = to_tracing();
    emit(7, 2, 30, 40);
    let text = Str::from("a text of some length");
    drop(text);
    let interpreter = Interpreter::open_interpreter();
    assert!(interpreter.close());
    drop(observing);
    emit(7, 2, 31, 41);
    let lines = lines.0.lock().unwrap();
    assert_eq!(lines[0], "TRACE kind=\"device\" device_kind=7 device=2 a=30 b=40");
    let of_interpreters: Vec<_> = lines.iter().filter(|line| line.starts_with("DEBUG")).collect();
    let expected =
        ["opened", "disarmed"].map(|kind| format!("DEBUG kind=\"{kind}\" interpreter={}", interpreter.tag()));
    assert_eq!(of_interpreters, expected.each_ref());
    for (line, kind) in lines[1..].iter().zip(["made", "freed"]) {
        let start = format!("TRACE kind=\"{kind}\" type=\"pairbond.Str\" object=0x");
        assert!(
            line.starts_with(&start) && line.ends_with(" interpreter=0"),
            "{line}"
        );
    }
    assert_eq!(lines.len(), 5, "{lines:?}");
}
