//! `rust_decimal`: `Decimal` is `decimal.Decimal`, with the digits behind the point that it has.

use rust_decimal::Decimal;

use crate::convert::Mismatch;
use crate::convert::library_values::convert;
use crate::value::Any;

convert! {
    Decimal, "decimal.Decimal", |source| match &source.read_parts("decimal.Decimal", &["__str__()"]) {
        Ok(parts) => match &parts[..] {
            [Any::Str(text)] => parse_decimal(text),
            _ => Err(Mismatch::Type),
        },
        // An int is exact, a float is not the number that it prints as.
        Err(Mismatch::Type) => source.read_i128().and_then(|whole| Decimal::try_from_i128_with_scale(whole, 0).map_err(|_| Mismatch::Overflow)),
        Err(_) => Err(Mismatch::Type),
    }, |value, out| out.write_constructed("decimal.Decimal", &[value.to_string().into()]);
}

/// Reads what Python writes: `1.50`, `1E+3`, `NaN`.
fn parse_decimal(text: &str) -> Result<Decimal, Mismatch> {
    let (digits, exponent) = text.split_once('E').unwrap_or((text, "0"));
    let exact = Decimal::from_str_exact(digits).ok();
    let exponent: Option<i64> = exponent.parse().ok();
    let (Some(mut number), Some(exponent)) = (exact, exponent) else {
        return Err(not_a_decimal(text));
    };
    // `1E+3` has no digits behind the point, and `1E-9` nine of them.
    let scale = i64::from(number.scale()) - exponent;
    if let Ok(scale) = u32::try_from(scale) {
        return number
            .set_scale(scale)
            .map(|()| number)
            .map_err(|_| not_a_decimal(text));
    }
    let factor = u32::try_from(-scale).ok().and_then(|up| 10_i128.checked_pow(up));
    let whole = factor.and_then(|factor| number.mantissa().checked_mul(factor));
    let whole = whole.and_then(|whole| Decimal::try_from_i128_with_scale(whole, 0).ok());
    whole.ok_or_else(|| not_a_decimal(text))
}

fn not_a_decimal(text: &str) -> Mismatch {
    Mismatch::Value(format!(
        "expected a finite decimal.Decimal of at most 28 digits, got Decimal('{text}')"
    ))
}
