//! `num-bigint`: `BigInt` and `BigUint` are `int`.

use num_bigint::{BigInt, BigUint};

use crate::convert::Mismatch;
use crate::convert::library_values::convert;
use crate::value;

convert! {
    BigInt, "int", |source| source.big_int().map(|number| BigInt::from(&number)), |value, out| out.big_int(&value::BigInt::from(value));
    BigUint, "an int that is not negative", |source| {
        let number = BigInt::from(&source.big_int()?);
        BigUint::try_from(number).map_err(|_| Mismatch::Overflow)
    }, |value, out| out.big_int(&value::BigInt::from(&BigInt::from(value.clone())));
}
