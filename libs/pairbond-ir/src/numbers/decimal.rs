//! Decimal digits as LLVM's `APFloat::toString` writes them: what is certainly not needed is cut off, then the rest is rounded half up. What is cut off may
//! include the digit that rounding would look at, so that a last digit is sometimes too small; texts must agree with theirs.

/// At most `count` significant digits without zeros at the end, and the power of ten of the last one. Not of zero.
fn digits(value: f64, count: usize) -> (String, i32) {
    // 767 digits are as many as any f64 has.
    let exact = format!("{:.766e}", value.abs());
    let (mantissa, exponent) = exact.split_once('e').expect("it is written so");
    let mut all: Vec<u8> = mantissa.bytes().filter(|digit| *digit != b'.').collect();
    let mut first: i32 = exponent.parse().expect("it is written so");
    while all.last() == Some(&b'0') {
        all.pop();
    }
    let whole = if power(value) < 0 {
        all.len()
    } else {
        first as usize + 1
    };
    all.truncate(whole - removable(value, count).min(whole - 1));
    if all.len() > count {
        let up = all[count] >= b'5';
        all.truncate(count);
        if up {
            while all.last() == Some(&b'9') {
                all.pop();
            }
            match all.last_mut() {
                Some(last) => *last += 1,
                None => {
                    all.push(b'1');
                    first += 1;
                }
            }
        }
    }
    while all.last() == Some(&b'0') {
        all.pop();
    }
    let last = first - (all.len() as i32 - 1);
    (String::from_utf8(all).expect("digits"), last)
}

/// The power of two that an odd number is multiplied by.
fn power(value: f64) -> i32 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    match exponent {
        0 => fraction.trailing_zeros() as i32 - 1074,
        _ => (fraction | 1 << 52).trailing_zeros() as i32 + exponent - 1075,
    }
}

/// How many digits LLVM cuts off before it rounds, of the exact number as an integer.
fn removable(value: f64, count: usize) -> usize {
    let power = power(value);
    let scale = if power < 0 {
        f64::from(-power) * std::f64::consts::LOG2_10
    } else {
        0.0
    };
    let bits = (value.abs().log2() + scale).floor() as usize + 1;
    let needed = (count * 196).div_ceil(59);
    bits.saturating_sub(needed) * 59 / 196
}

fn sign(value: f64) -> &'static str {
    if value.is_sign_negative() { "-" } else { "" }
}

/// Six digits and zeros: `1.500000e+00`.
pub(super) fn scientific(value: f64) -> String {
    if value == 0.0 {
        return format!("{}0.000000e+00", sign(value));
    }
    let (digits, last) = digits(value, 6);
    let exponent = last + digits.len() as i32 - 1;
    let (head, tail) = digits.split_at(1);
    let mark = if exponent < 0 { '-' } else { '+' };
    format!("{}{head}.{tail:0<6}e{mark}{:02}", sign(value), exponent.abs())
}

/// As many digits as it takes, up to `precision`, with an exponent only for what is far from one: `0.333333343`, `1.0E-10`.
pub(super) fn natural(value: f64, precision: usize) -> String {
    if value == 0.0 {
        return format!("{}0", sign(value));
    }
    const PADDING: i32 = 3;
    let (digits, last) = digits(value, precision);
    let count = digits.len() as i32;
    let highest = last + count - 1;
    let far = if last >= 0 {
        last > PADDING || count + last > precision as i32
    } else {
        highest < 0 && -highest > PADDING
    };
    let mut text = sign(value).to_owned();
    if far {
        let (head, tail) = digits.split_at(1);
        let tail = if tail.is_empty() { "0" } else { tail };
        let mark = if highest < 0 { '-' } else { '+' };
        text += &format!("{head}.{tail}E{mark}{}", highest.abs());
    } else if last >= 0 {
        text += &digits;
        text.extend(std::iter::repeat_n('0', last as usize));
    } else if highest >= 0 {
        let (whole, part) = digits.split_at((highest + 1) as usize);
        text += &format!("{whole}.{part}");
    } else {
        text += "0.";
        text.extend(std::iter::repeat_n('0', (-highest - 1) as usize));
        text += &digits;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_llvm_writes_them() {
        assert_eq!(scientific(1.5), "1.500000e+00");
        assert_eq!(scientific(-0.0), "-0.000000e+00");
        assert_eq!(scientific(0.101_562_5), "1.015630e-01");
        assert_eq!(
            scientific(9.999_999_9),
            "9.999990e+00",
            "not rounded, as LLVM has cut off the digit that says so"
        );
        assert_eq!(scientific(1e-300), "1.000000e-300");
        assert_eq!(scientific(1e-320), "9.999880e-321");
        assert_eq!(natural(f64::from(1.0_f32 / 3.0), 9), "0.333333343");
        assert_eq!(natural(0.333_333_333_333_3, 17), "0.33333333333330001");
        assert_eq!(natural(16_777_217.0, 17), "16777217");
        assert_eq!(natural(1.234_567_8e-10, 17), "1.2345678000000001E-10");
        assert_eq!(natural(1_234_567.5, 17), "1234567.5");
        assert_eq!(natural(1.234_567_8e30, 17), "1.2345678E+30");
    }
}
