//! Containers with types, and objects that are keys.

use pairbond::prelude::*;

/// Holds a container of every kind.
#[pairbond::object("pairbond_testext.Shelf")]
pub(crate) struct Shelf {
    #[field]
    prices: Map<Str, f64>,
    #[field]
    tags: Set<Str>,
    #[field]
    numbers: List<i64>,
    #[field]
    rows: List<List<i64>>,
    #[field]
    labels: Map<Label, Option<Label>>,
    #[field]
    fixed: Tuple<Any>,
}

#[pairbond::methods]
impl Shelf {
    #[new]
    fn new() -> Self {
        Shelf {
            prices: Map::new(),
            tags: Set::new(),
            numbers: List::new(),
            rows: List::new(),
            labels: Map::new(),
            fixed: [1.into(), "two".into()].into_iter().collect(),
        }
    }

    fn new_row(&self) -> List<i64> {
        [1, 2].into_iter().collect()
    }

    fn total(&self) -> f64 {
        self.prices.values().sum()
    }

    fn same_map(&self, map: Map<Str, f64>) -> Map<Str, f64> {
        map
    }

    fn same_set(&self, set: Set<Str>) -> Set<Str> {
        set
    }

    fn frozen(&self, map: FrozenMap<Str, i64>) -> FrozenMap<Str, i64> {
        map
    }

    fn pair(&self, pair: Tuple<i64>) -> Tuple<i64> {
        pair
    }

    /// Changes a list on a thread that is not attached to Python: labels are made, replaced and
    /// dropped; the length is the same in the end.
    #[detach]
    fn churn(&self, list: List<Any>, rounds: i64) {
        for number in 0..rounds {
            let label = Ref::new(Label {
                name: "churned".into(),
                number,
            });
            list.push(Any::from(label));
            drop(list.remove(0));
        }
    }

    /// Changes `labels` likewise: keys and values come and go.
    #[detach]
    fn churn_labels(&self, rounds: i64) {
        let label = |number: i64| {
            Ref::new(Label {
                name: number.to_string().as_str().into(),
                number,
            })
        };
        for number in 0..rounds {
            self.labels.insert(label(number % 64), Some(label(number % 64)));
            self.labels.remove(&label((number + 13) % 64));
        }
    }

    /// Looks a key of any kind up natively, on a thread that is not attached to Python.
    #[detach]
    fn find(&self, map: Map<Any, Any>, key: Any) -> Result<Option<Any>, Error> {
        map.get(&key)
    }
}

/// Equal by name, and hashed by it.
#[pairbond::object("pairbond_testext.Label")]
pub(crate) struct Label {
    #[field]
    name: Str,
    #[field]
    number: i64,
}

#[pairbond::methods]
impl Label {
    #[new]
    fn new(name: Str, number: i64) -> Self {
        Label { name, number }
    }

    fn __eq__(&self, other: &Label) -> bool {
        self.name == other.name
    }

    fn __hash__(&self) -> u64 {
        self.name.bytes().map(u64::from).sum()
    }
}
