//! `outcomes.txt`: what happens in at least one execution of each model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/loom_custody/outcomes.txt")
}

fn read() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let mut all = BTreeMap::new();
    for line in text.lines() {
        match line.strip_prefix("    ") {
            None => drop(all.insert(line.to_owned(), BTreeSet::new())),
            Some(outcome) => drop(
                all.last_entry()
                    .expect("a name first")
                    .get_mut()
                    .insert(outcome.to_owned()),
            ),
        }
    }
    all
}

static WRITING: Mutex<()> = Mutex::new(());

/// Compares with the file; with more preemptions than usual there may be more outcomes.
pub(crate) fn compare(name: &str, seen: &BTreeSet<&'static str>) {
    let seen: BTreeSet<String> = seen.iter().map(|s| (*s).to_owned()).collect();
    if std::env::var_os("PAIRBOND_BLESS").is_some() {
        let _writing = WRITING.lock();
        let mut all = read();
        all.insert(name.to_owned(), seen);
        let text: String = all
            .iter()
            .map(|(name, outcomes)| {
                format!(
                    "{name}\n{}",
                    outcomes.iter().map(|o| format!("    {o}\n")).collect::<String>()
                )
            })
            .collect();
        return std::fs::write(path(), text).unwrap();
    }
    let expected = read()
        .remove(name)
        .unwrap_or_else(|| panic!("{name}: not in outcomes.txt; saw {seen:#?}"));
    let missing: Vec<_> = expected.difference(&seen).collect();
    assert!(missing.is_empty(), "{name}: never happened: {missing:?}");
    if std::env::var_os("LOOM_MAX_PREEMPTIONS").is_none() {
        assert_eq!(seen, expected, "{name}: something new happened");
    }
}
