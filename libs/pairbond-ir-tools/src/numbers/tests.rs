use super::*;

/// One for every value, or a larger step without optimisation, where all take long.
fn sample_step(otherwise: usize) -> usize {
    if std::env::var_os("PAIRBOND_LONG").is_some() {
        1
    } else {
        otherwise
    }
}

/// The kinds of at most 16 bits, with all their bits.
fn small_kinds() -> impl Iterator<Item = (FloatKind, std::iter::StepBy<std::ops::Range<u128>>)> {
    let kinds = FloatKind::ALL.into_iter().filter(|kind| kind.bits() <= 16);
    kinds.map(move |kind| {
        let step = if kind.bits() == 16 { sample_step(13) } else { 1 };
        (kind, (0..1_u128 << kind.bits()).step_by(step))
    })
}

/// Values that a wide format has: ends, denormals, NaNs with payloads, and those around them.
fn wide_values(kind: FloatKind, mantissa: u32) -> impl Iterator<Item = u128> {
    let exponents = (1_u128 << (kind.bits() - 1 - mantissa)) - 1;
    let leading = u128::from(kind == FloatKind::F80) << 63;
    let all = (1_u128 << (mantissa - u32::from(leading != 0))) - 1;
    let exponents = [
        0,
        1,
        2,
        exponents / 2,
        exponents / 2 + 7,
        exponents - 1,
        exponents,
    ];
    let fractions = [
        0,
        1,
        2,
        0xABCD_EF12_3456 & all,
        all / 3,
        all / 2,
        all / 2 + 1,
        all - 1,
        all,
    ];
    [0, 1].into_iter().flat_map(move |sign: u128| {
        exponents.into_iter().flat_map(move |exponent| {
            fractions.into_iter().map(move |fraction| {
                let leading = if exponent == 0 { 0 } else { leading };
                sign << (kind.bits() - 1) | exponent << mantissa | leading | fraction
            })
        })
    })
}

#[track_caller]
fn comes_back(kind: FloatKind, bits: u128) {
    let (text, hexadecimal) = float_text(bits, kind);
    let back = match text.strip_prefix("0x") {
        Some(hex) if hexadecimal => u128::from_str_radix(hex, 16)
            .ok()
            .map(|bits| kind.canonical_bits(bits)),
        _ => kind.parse_literal(text.trim_start_matches('-'), text.starts_with('-')),
    };
    assert_eq!(back, Some(bits), "{kind:?} {bits:#x} {text}");
}

#[test]
fn all_values_of_small_kinds_come_back() {
    for (kind, all) in small_kinds() {
        for bits in all {
            comes_back(kind, bits);
            let value = kind.nearest(bits);
            assert_eq!(
                kind.decode(bits),
                value.is_finite().then_some(value),
                "{kind:?} {bits:#x}"
            );
            if !value.is_nan() {
                assert_eq!(kind.encode(value), bits, "{kind:?} {bits:#x} {value}");
            }
        }
    }
}

#[test]
fn between_two_values_the_even_one_is_nearer() {
    for (kind, all) in small_kinds() {
        for bits in all.filter(|bits| bits >> (kind.bits() - 1) == 0) {
            let (Some(low), Some(high)) = (kind.decode(bits), kind.decode(bits + 1)) else {
                continue;
            };
            if low <= 0.0 || low >= high {
                continue;
            }
            let middle = low / 2.0 + high / 2.0;
            let even = match kind {
                FloatKind::F8E8M0FNU => bits + 1,
                _ => bits + (bits & 1),
            };
            for (value, expected) in [
                (middle, even),
                (middle.next_down(), bits),
                (middle.next_up(), bits + 1),
                (low + (high - low) * 0.25, bits),
                (low + (high - low) * 0.75, bits + 1),
            ] {
                assert_eq!(kind.encode(value), expected, "{kind:?} {bits:#x} {value}");
            }
        }
    }
}

#[test]
fn wide_kinds_come_back() {
    for (kind, mantissa) in [
        (FloatKind::TF32, 10),
        (FloatKind::F32, 23),
        (FloatKind::F64, 52),
        (FloatKind::F80, 64),
        (FloatKind::F128, 112),
    ] {
        for bits in wide_values(kind, mantissa).step_by(if kind.bits() > 64 { sample_step(5) } else { 1 }) {
            comes_back(kind, bits);
        }
    }
}

#[test]
fn f80_and_f128_hold_what_an_f64_cannot() {
    for kind in [FloatKind::F80, FloatKind::F128] {
        for text in [
            "1.500000e+309",
            "-1.250000e+4931",
            "1.500000e-4931",
            "1.000000e-01",
        ] {
            let bits = kind
                .parse_literal(text.trim_start_matches('-'), text.starts_with('-'))
                .expect(text);
            assert_eq!(float_text(bits, kind), (text.to_owned(), false));
        }
        assert_eq!(
            kind.nearest(kind.parse_literal("1.0e+309", true).unwrap()),
            f64::NEG_INFINITY
        );
        assert_eq!(kind.nearest(kind.parse_literal("1.0e-400", false).unwrap()), 0.0);
        // Rounded to nearest, where the rest is not cut off.
        assert_eq!(
            kind.nearest(kind.parse_literal("0.1", false).unwrap()).to_bits(),
            0.1_f64.to_bits()
        );
        assert_eq!(
            kind.nearest(kind.parse_literal("0.3", false).unwrap()).to_bits(),
            0.3_f64.to_bits()
        );
        assert_eq!(
            kind.decode(kind.parse_literal("0.1", false).unwrap()),
            None,
            "an f64 has fewer bits"
        );
    }
    // LLVM cuts digits off before it rounds.
    let (text, _) = float_text(
        FloatKind::F80.parse_literal("1.0E+309", false).unwrap(),
        FloatKind::F80,
    );
    assert_eq!(text, "9.99999999999999999986E+308");
    let tenth = FloatKind::F128.encode(0.1);
    assert_eq!(
        float_text(tenth, FloatKind::F128).0,
        "0.100000000000000005551115123125782702"
    );
    assert_eq!(FloatKind::F80.encode(1.0), 0x3FFF_8000_0000_0000_0000);
    assert_eq!(FloatKind::F128.encode(1.0), 0x3FFF << 112);
    // No processor makes these: a denormal with a leading bit is that normal number, a number
    // without one is no number.
    assert_eq!(
        FloatKind::F80.canonical_bits(0x8000_0000_0000_0000),
        0x1_8000_0000_0000_0000
    );
    assert!(FloatKind::F80.nearest(0x3FFF_4000_0000_0000_0000).is_nan());
}

/// Halfway between 1 and the next of f128; what follows decides, however far behind.
#[test]
fn very_long_literals() {
    let half = num_bigint::BigUint::from(5_u8).pow(113);
    let one = 0x3FFF_u128 << 112;
    for zeros in [0, 30_000, 3_000_000] {
        let zeros = "0".repeat(zeros);
        for (last, expected) in [("", one), ("0", one), ("1", one + 1)] {
            let text = format!("1.{half:0>113}{zeros}{last}");
            assert_eq!(
                FloatKind::F128.parse_literal(&text, false),
                Some(expected),
                "{} {last}",
                zeros.len()
            );
            let text = format!("0.{zeros}1{half:0>113}{zeros}{last}e+{}", zeros.len() + 1);
            assert_eq!(
                FloatKind::F128.parse_literal(&text, false),
                Some(expected),
                "{} {last}",
                zeros.len()
            );
        }
    }
}

#[test]
fn large_kinds() {
    assert_eq!(FloatKind::F32.encode(0.1), u128::from(0.1_f32.to_bits()));
    assert_eq!(FloatKind::F32.encode(1e-45), 1);
    assert_eq!(FloatKind::F32.encode(1e300), 0x7F80_0000);
    for value in [0.1, -1e300, 5e-324, 1.0, 0.0, -0.0, f64::MAX, f64::INFINITY] {
        assert_eq!(FloatKind::F64.encode(value), u128::from(value.to_bits()));
        for kind in [FloatKind::F64, FloatKind::F80, FloatKind::F128] {
            assert_eq!(
                kind.nearest(kind.encode(value)).to_bits(),
                value.to_bits(),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn nans_keep_sign_and_payload() {
    let nan = f64::from_bits(0xFFF8_1230_0000_0000);
    for (kind, bits) in [
        (FloatKind::F16, 0xFE04),
        (FloatKind::BF16, 0xFFC0),
        (FloatKind::F32, 0xFFC0_9180),
        (FloatKind::F64, 0xFFF8_1230_0000_0000),
        (FloatKind::F80, 0xFFFF_C091_8000_0000_0000),
        (FloatKind::F128, 0xFFFF_8123 << 96),
        (FloatKind::F8E4M3FN, 0xFF),
        (FloatKind::F8E5M2FNUZ, 0x80),
    ] {
        assert_eq!(kind.encode(nan), bits, "{kind:?} {:#x}", kind.encode(nan));
        assert!(kind.nearest(bits).is_nan());
    }
    assert_eq!(
        FloatKind::F128.nearest(0xFFFF_8123 << 96).to_bits(),
        nan.to_bits()
    );
}

#[test]
fn as_llvm_writes_them() {
    let text = |value: f64, kind: FloatKind| float_text(kind.encode(value), kind).0;
    for (value, expected) in [
        (1.5, "1.500000e+00"),
        (0.0, "0.000000e+00"),
        (-0.0, "-0.000000e+00"),
        // Not rounded to six digits first, as LLVM has cut off the digit that says so.
        (0.101_562_5, "0.1015625"),
        (9.999_999_9, "9.9999999000000006"),
        (1e-300, "1.000000e-300"),
        (1e-320, "9.999880e-321"),
        (0.333_333_333_333_3, "0.33333333333330001"),
        (1.234_567_8e-10, "1.2345678000000001E-10"),
        (1_234_567.5, "1234567.5"),
        (1.234_567_8e30, "1.2345678E+30"),
        // It would be read as an integer.
        (16_777_217.0, "0x4170000010000000"),
        (f64::INFINITY, "0x7FF0000000000000"),
    ] {
        assert_eq!(text(value, FloatKind::F64), expected);
    }
    assert_eq!(text(1.0 / 3.0, FloatKind::F32), "0.333333343");
    assert_eq!(text(1.0 / 3.0, FloatKind::F8E4M3FNUZ), "3.437500e-01");
}

#[test]
fn integers_that_fit_come_back() {
    for (text, negative, width, shown) in [
        ("127", false, 8, "127"),
        ("255", false, 8, "-1"),
        ("128", true, 8, "-128"),
        ("0x1F", false, 32, "31"),
        ("340282366920938463463374607431768211455", false, 128, "-1"),
        (
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
            false,
            257,
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        ),
        ("0", false, 0, "0"),
        ("1", true, 1, "-1"),
    ] {
        let value = parse_integer(text, negative, width, Sign::Signless).expect(text);
        assert_eq!(integer_text(&value, width, true), shown);
    }
    for (text, negative, width, sign) in [
        ("256", false, 8, Sign::Signless),
        ("129", true, 8, Sign::Signless),
        ("128", false, 8, Sign::Signed),
        ("1", true, 8, Sign::Unsigned),
        ("0", true, 8, Sign::Signless),
        ("1", true, 0, Sign::Signless),
        ("1", false, 0, Sign::Signless),
    ] {
        assert_eq!(
            parse_integer(text, negative, width, sign),
            None,
            "{negative} {text} {width}"
        );
    }
    assert_eq!(
        fit_bigint(&(-1).into(), 17, Sign::Signless).as_deref(),
        Some(&[0xFF, 0xFF, 1][..])
    );
    assert_eq!(fit_bigint(&0.into(), 0, Sign::Signed).as_deref(), Some(&[][..]));
}
