//! Maps: their properties, and maps made of maps.

use super::{AffineExpr, AffineMap, BinaryKind, DYNAMIC};

impl AffineMap {
    /// A map without symbols.
    pub(crate) fn of_dims(dims: u32, results: impl IntoIterator<Item = AffineExpr>) -> AffineMap {
        AffineMap {
            dims,
            symbols: 0,
            results: results.into_iter().collect(),
        }
    }

    /// The same inputs, other results.
    pub(crate) fn with_results(&self, results: impl IntoIterator<Item = AffineExpr>) -> AffineMap {
        let (dims, symbols) = (self.dims, self.symbols);
        AffineMap {
            dims,
            symbols,
            results: results.into_iter().collect(),
        }
    }

    /// Each of so many dimensions to itself.
    #[must_use]
    pub fn identity(dims: u32) -> AffineMap {
        Self::of_dims(dims, (0..dims).map(AffineExpr::Dim))
    }

    /// The place in memory of an element: strides, and the offset of the first. Each that is
    /// [`DYNAMIC`] is a symbol.
    #[must_use]
    pub fn strided(strides: &[i64], offset: i64) -> AffineMap {
        let mut symbols = 0;
        let mut number = |value: i64| {
            if value != DYNAMIC {
                return AffineExpr::Constant(value);
            }
            symbols += 1;
            AffineExpr::Symbol(symbols - 1)
        };
        let mut place = number(offset);
        for (dim, stride) in (0..).zip(strides) {
            let step = AffineExpr::new_binary(BinaryKind::Mul, AffineExpr::Dim(dim), number(*stride));
            place = AffineExpr::new_binary(BinaryKind::Add, place, step);
        }
        AffineMap {
            dims: strides.len() as u32,
            symbols,
            results: Box::new([place]),
        }
    }

    /// The strides and the offset of a map to one place, if it is linear.
    #[must_use]
    pub fn strides(&self) -> Option<(Vec<i64>, i64)> {
        let [place] = &self.results[..] else { return None };
        let (mut strides, mut offset) = (vec![0; self.dims as usize], 0);
        add_linear_terms(place, &mut strides, &mut offset)?;
        Some((strides, offset))
    }

    /// Whether it maps its dimensions to themselves.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.symbols == 0
            && self.results.len() == self.dims as usize
            && (0..)
                .zip(&self.results)
                .all(|(place, result)| *result == AffineExpr::Dim(place))
    }

    /// Whether each result is another dimension, and there are no symbols.
    #[must_use]
    pub fn is_projected_permutation(&self) -> bool {
        let dims = self.results.iter().map(|it| match it {
            AffineExpr::Dim(place) => Some(*place),
            _ => None,
        });
        let Some(mut dims) = dims.collect::<Option<Vec<_>>>() else {
            return false;
        };
        dims.sort_unstable();
        self.symbols == 0 && dims.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Whether it puts its dimensions into another order.
    #[must_use]
    pub fn is_permutation(&self) -> bool {
        self.results.len() == self.dims as usize && self.is_projected_permutation()
    }
}

/// Adds the terms of a sum to factors of dimensions and a constant; [`DYNAMIC`] is what depends on
/// symbols.
fn add_linear_terms(of: &AffineExpr, strides: &mut [i64], offset: &mut i64) -> Option<()> {
    let add = |to: &mut i64, it: Option<i64>| {
        *to = match it {
            Some(it) if *to != DYNAMIC => to.checked_add(it)?,
            _ => DYNAMIC,
        };
        Some(())
    };
    if let Some((left, right)) = of.operands_of_kind(BinaryKind::Add) {
        add_linear_terms(left, strides, offset)?;
        return add_linear_terms(right, strides, offset);
    }
    let (inner, by) = match of.operands_of_kind(BinaryKind::Mul) {
        Some((inner, AffineExpr::Constant(by))) => (inner, Some(*by)),
        Some((inner, by)) if by.is_symbolic() => (inner, None),
        _ => (of, Some(1)),
    };
    match inner {
        AffineExpr::Dim(place) => add(strides.get_mut(*place as usize)?, by),
        AffineExpr::Constant(value) => add(offset, by.and_then(|by| value.checked_mul(by))),
        other if other.is_symbolic() => add(offset, None),
        _ => None,
    }
}

/// Maps of as many dimensions and symbols without the symbols that none of them uses; `None`: the
/// maps do not have the same numbers of them.
pub(crate) fn without_unused_symbols(maps: &[&AffineMap]) -> Option<Vec<AffineMap>> {
    let Some(first) = maps.first() else {
        return Some(Vec::new());
    };
    if !maps
        .iter()
        .all(|it| (it.dims, it.symbols) == (first.dims, first.symbols))
    {
        return None;
    }
    let results = || maps.iter().flat_map(|it| &it.results);
    let is_used = |place: &u32| results().any(|it| it.any_part(&|part| *part == AffineExpr::Symbol(*place)));
    let used: Vec<u32> = (0..first.symbols).filter(is_used).collect();
    let renumbered = |it: &AffineExpr| match it {
        AffineExpr::Symbol(place) => {
            let place = used.binary_search(place).expect("it is used");
            Some(AffineExpr::Symbol(place as u32))
        }
        _ => None,
    };
    let compressed = |map: &&AffineMap| {
        let results = map.results.iter().map(|it| it.replace_parts(&renumbered));
        Some(AffineMap {
            dims: map.dims,
            symbols: used.len() as u32,
            results: results.collect::<Option<_>>()?,
        })
    };
    maps.iter().map(compressed).collect()
}
