//! Sums, products, quotients and powers, of tensors and of a tensor and a number.

use pairbond::prelude::*;

use super::common::{fit_grad, grad_like, map, promote_both, record_fit, to_floating, zip};
use super::{bitwise_op, eq_scalar, flat_in, ge_scalar, log, masked_fill, to_dtype_untracked, zero_grad};
use crate::data::{DType, Element, dispatch, dispatch_float};
use crate::engine::{For, In, Out, Tensors, record_op};
use crate::kernels::Work;
use crate::tensor::{Scalar, T};

pub(crate) fn add(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = zip!(dispatch(dtype), &one, &other, |v, w| v.add(w))?;
    let params = (record_fit(a, &out), record_fit(b, &out));
    record_op("AddBackward0", [a, b], &[], params, out, |g, (a, b)| {
        Ok([
            g.when(0, || fit_grad(&g.result_grad(), a))?,
            g.when(1, || fit_grad(&g.result_grad(), b))?,
        ])
    })
}

pub(crate) fn sub(a: &T, b: &T) -> Result<T> {
    check_minus(a.dtype(), b.dtype())?;
    let (one, other, dtype) = promote_both(a, b);
    let out = zip!(dispatch(dtype), &one, &other, |v, w| v.add(w.mul(E::of_i64(-1))))?;
    let params = (record_fit(a, &out), record_fit(b, &out));
    record_op("SubBackward0", [a, b], &[], params, out, |g, (a, b)| {
        Ok([
            g.when(0, || fit_grad(&g.result_grad(), a))?,
            g.when(1, || fit_grad(&neg(&g.result_grad())?, b))?,
        ])
    })
}

pub(crate) fn mul(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = zip!(dispatch(dtype), &one, &other, |v, w| v.mul(w))?;
    let (params, saves) = ((record_fit(a, &out), record_fit(b, &out)), [For(0, b), For(1, a)]);
    record_op("MulBackward0", [a, b], &saves, params, out, |g, (a, b)| {
        let times_other = |input| mul(&g.result_grad(), &g.tensor_for(input)?);
        Ok([
            g.when(0, || fit_grad(&times_other(0)?, a))?,
            g.when(1, || fit_grad(&times_other(1)?, b))?,
        ])
    })
}

pub(crate) fn div(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let dtype = if dtype.is_float() { dtype } else { DType::Float32 };
    let (one, other) = (to_dtype_untracked(&one, dtype), to_dtype_untracked(&other, dtype));
    let out = zip!(dispatch_float(dtype, "div"), &one, &other, |v, w| v / w)?;
    let (params, saves) = (record_fit(a, &out), [In(b), For(1, a)]);
    record_op("DivBackward0", [a, b], &saves, params, out, |g, fit| {
        let b = g.saved_tensor(0)?;
        Ok([
            g.when(0, || fit_grad(&div(&g.result_grad(), &b)?, fit))?,
            g.when(1, || {
                let slope = div(&div(&g.saved_tensor(1)?, &b)?, &b)?;
                grad_like(&neg(&mul(&g.result_grad(), &slope)?)?, &b)
            })?,
        ])
    })
}

fn no_minus(why: &str) -> Error {
    Error::new(ErrorKind::NotImplemented, why)
}

/// Truth values are not subtracted, nor subtracted from.
pub(crate) fn check_minus(one: DType, other: DType) -> Result<()> {
    match (one == DType::Bool, other == DType::Bool) {
        (false, false) => Ok(()),
        (true, true) => Err(no_minus(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        )),
        _ => Err(no_minus(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` \
             operator instead.",
        )),
    }
}

pub(crate) fn neg(a: &T) -> Result<T> {
    if a.dtype() == DType::Bool {
        return Err(no_minus(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ));
    }
    let out = map!(dispatch(a.dtype()), a, |v| v.mul(E::of_i64(-1)))?;
    record_op("NegBackward0", [a], &[], (), out, |g, ()| {
        Ok([Some(neg(&g.result_grad())?)])
    })
}

/// The numbers of a tensor and one number, in the dtype of a result of both.
fn with_number(a: &T, number: Scalar) -> T {
    to_dtype_untracked(a, number.dtype_with(a.dtype()))
}

pub(crate) fn add_scalar(a: &T, number: Scalar) -> Result<T> {
    let one = with_number(a, number);
    let out = map!(dispatch(one.dtype()), &one, |v| v.add(number.to_element::<E>()))?;
    record_op(
        "AddBackward0",
        [Some(a.as_tensor()), None],
        &[],
        (),
        out,
        |g, ()| Ok([Some(g.result_grad()), None]),
    )
}

/// `a` less a number.
pub(crate) fn sub_scalar(a: &T, number: Scalar) -> Result<T> {
    check_minus(a.dtype(), number.dtype())?;
    let one = with_number(a, number);
    let out = map!(dispatch(one.dtype()), &one, |v| v
        .add(number.to_element::<E>().mul(E::of_i64(-1))))?;
    record_op(
        "SubBackward0",
        [Some(a.as_tensor()), None],
        &[],
        (),
        out,
        |g, ()| Ok([Some(g.result_grad()), None]),
    )
}

/// A number less `a`.
pub(crate) fn scalar_sub(number: Scalar, a: &T) -> Result<T> {
    check_minus(number.dtype(), a.dtype())?;
    let one = with_number(a, number);
    let out = map!(dispatch(one.dtype()), &one, |v| number
        .to_element::<E>()
        .add(v.mul(E::of_i64(-1))))?;
    record_op("RsubBackward1", [a], &[], (), out, |g, ()| {
        Ok([Some(neg(&g.result_grad())?)])
    })
}

pub(crate) fn mul_scalar(a: &T, number: Scalar) -> Result<T> {
    let one = with_number(a, number);
    let out = map!(dispatch(one.dtype()), &one, |v| v.mul(number.to_element::<E>()))?;
    let inputs = [Some(a.as_tensor()), None];
    record_op(
        "MulBackward0",
        inputs,
        &[],
        number.to_element::<f64>(),
        out,
        |g, number| Ok([Some(mul_number(&g.result_grad(), g.number(number)?)?), None]),
    )
}

/// `a` times a number.
pub(crate) fn mul_number(a: &T, number: f64) -> Result<T> {
    mul_scalar(a, Scalar::Float(number))
}

/// `a` and a number more.
pub(crate) fn add_number(a: &T, number: f64) -> Result<T> {
    add_scalar(a, Scalar::Float(number))
}

pub(crate) fn div_scalar(a: &T, number: Scalar) -> Result<T> {
    let one = to_floating(a);
    let out = map!(dispatch_float(one.dtype(), "div"), &one, |v| v / number
        .to_element::<E>())?;
    let inputs = [Some(a.as_tensor()), None];
    record_op(
        "DivBackward0",
        inputs,
        &[],
        number.to_element::<f64>(),
        out,
        |g, number| {
            Ok([
                Some(div_scalar(&g.result_grad(), Scalar::Float(g.number(number)?))?),
                None,
            ])
        },
    )
}

/// The number divided by `a`.
pub(crate) fn scalar_div(number: Scalar, a: &T) -> Result<T> {
    mul_scalar(&reciprocal(a)?, number)
}

pub(crate) fn reciprocal(a: &T) -> Result<T> {
    let one = to_floating(a);
    let out = map!(dispatch_float(one.dtype(), "reciprocal"), &one, |v| 1.0 / v)?;
    record_op("ReciprocalBackward0", [a], &[Out], (), out, |g, ()| {
        let out = g.saved_tensor(0)?;
        Ok([Some(neg(&mul(&g.result_grad(), &mul(&out, &out)?)?)?)])
    })
}

/// The rest of a division has the sign of the divisor, as in Python.
pub(crate) fn remainder(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = match dtype {
        DType::Int64 | DType::Bool => {
            let (one, other) = (
                to_dtype_untracked(&one, DType::Int64),
                to_dtype_untracked(&other, DType::Int64),
            );
            check_nonzero(&other)?;
            zip_integers(&one, &other, |v, w| {
                v.wrapping_rem(w).wrapping_add(w).wrapping_rem(w)
            })
        }
        _ => zip!(dispatch_float(dtype, "remainder"), &one, &other, |v, w| {
            // The quotient may be rounded, and the rest is exact.
            let (rest, w) = (v.to_f64() % w.to_f64(), w.to_f64());
            E::of_f64(if rest != 0.0 && (rest < 0.0) != (w < 0.0) {
                rest + w
            } else {
                rest
            })
        }),
    }?;
    let (params, saves) = (record_fit(a, &out), [For(1, a), For(1, b)]);
    record_op("RemainderBackward0", [a, b], &saves, params, out, |g, fit| {
        Ok([
            g.when(0, || fit_grad(&g.result_grad(), fit))?,
            g.when(1, || {
                let (a, b) = (g.saved_tensor(0)?, g.saved_tensor(1)?);
                let grad = grad_like(&neg(&mul(&g.result_grad(), &whole_quotient(&a, &b)?)?)?, &b)?;
                flat_in(flat_in(grad, &a, "DivBackward3")?, &b, "DivBackward3")
            })?,
        ])
    })
}

/// The quotient rounded down, which has no derivative.
pub(crate) fn floor_divide(a: &T, b: &T) -> Result<T> {
    record_op(
        "NotImplemented",
        [a, b],
        &[],
        (),
        whole_quotient(a, b)?,
        |_, ()| -> Result<[Option<T>; 2]> {
            Err(Error::runtime_error(
                "derivative for aten::floor_divide is not implemented",
            ))
        },
    )
}

fn whole_quotient(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    match dtype {
        DType::Int64 | DType::Bool => {
            let (one, other) = (
                to_dtype_untracked(&one, DType::Int64),
                to_dtype_untracked(&other, DType::Int64),
            );
            check_nonzero(&other)?;
            zip_integers(&one, &other, |v, w| {
                let down = v.wrapping_rem(w) != 0 && (v < 0) != (w < 0);
                v.wrapping_div(w) - i64::from(down)
            })
        }
        _ => zip!(dispatch_float(dtype, "floor_divide"), &one, &other, |v, w| (v
            / w)
            .floor()),
    }
}

pub(super) fn check_nonzero(b: &T) -> Result<()> {
    let memory = b.storage().read_memory();
    let numbers = memory.typed_slice::<i64>();
    if b.geometry().element_places().any(|place| numbers[place] == 0) {
        return Err(Error::new(ErrorKind::ZeroDivision, "ZeroDivisionError"));
    }
    Ok(())
}

pub(super) fn zip_integers(a: &T, b: &T, f: impl Fn(i64, i64) -> i64 + Sync) -> Result<T> {
    let shape = super::common::shape_of(a, b)?;
    let (left, right) = (a.storage().read_memory(), b.storage().read_memory());
    let (left, right) = (
        super::common::of!(a, left, i64),
        super::common::of!(b, right, i64),
    );
    Ok(crate::tensor::from_vec(
        crate::kernels::zip_elements(left, right, &shape, Work::Light, f),
        &shape,
    ))
}

/// `a` to a power that is a number.
pub(crate) fn pow_scalar(a: &T, power: Scalar) -> Result<T> {
    if let Scalar::Bool(power) = power {
        let whole = pow_scalar(a, Scalar::Int(power.into()))?;
        return Ok(if a.dtype() == DType::Bool {
            to_dtype_untracked(&whole, DType::Bool)
        } else {
            whole
        });
    }
    if let (DType::Int64 | DType::Bool, Scalar::Int(power)) = (a.dtype(), power) {
        let power = u32::try_from(power).ok();
        let power = power
            .ok_or_else(|| Error::runtime_error("Integers to negative integer powers are not allowed."))?;
        let one = to_dtype_untracked(a, DType::Int64);
        let memory = one.storage().read_memory();
        let numbers = crate::kernels::map_elements(super::common::of!(one, memory, i64), Work::Light, |v| {
            v.wrapping_pow(power)
        });
        return Ok(crate::tensor::from_vec(numbers, a.shape()));
    }
    let (one, power) = (to_floating(a), power.to_element::<f64>());
    let out = if power == 2.0 {
        map!(dispatch_float(one.dtype(), "pow"), &one, |v| v * v)
    } else if power.fract() == 0.0 && power.abs() < 64.0 {
        map!(dispatch_float(one.dtype(), "pow"), &one, |v| v.powi(power as i32))
    } else {
        map!(heavy: dispatch_float(one.dtype(), "pow"), &one, |v| v
            .powf(E::of_f64(power)))
    };
    record_op("PowBackward0", [a], &[In(a)], power, out?, |g, power| {
        if *power == 0.0 {
            return Ok([Some(zero_grad(&g.result_grad()))]);
        }
        let slope = mul_number(
            &pow_scalar(&g.saved_tensor(0)?, Scalar::Float(*power - 1.0))?,
            *power,
        )?;
        Ok([Some(mul(&g.result_grad(), &slope)?)])
    })
}

pub(crate) fn pow(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = match dtype {
        DType::Int64 | DType::Bool => {
            let (one, other) = (
                to_dtype_untracked(&one, DType::Int64),
                to_dtype_untracked(&other, DType::Int64),
            );
            zip_integers(&one, &other, |v, w| {
                u32::try_from(w).map_or(0, |w| v.wrapping_pow(w))
            })
        }
        _ => zip!(heavy: dispatch_float(dtype, "pow"), &one, &other, |v, w| v.powf(w)),
    }?;
    let saves = [In(a), In(b), Out];
    let saves = &saves[..if b.requires_grad() { 3 } else { 2 }];
    record_op("PowBackward1", [a, b], saves, (), out, |g, ()| {
        let (a, b) = (g.saved_tensor(0)?, g.saved_tensor(1)?);
        Ok([
            g.when(0, || {
                let slope = mul(&b, &pow(&a, &add_number(&b, -1.0)?)?)?;
                // Where the power is zero nothing depends on the base, not even at zero.
                grad_like(
                    &mul(
                        &g.result_grad(),
                        &masked_fill(&slope, &eq_scalar(&b, Scalar::Int(0))?, 0.0)?,
                    )?,
                    &a,
                )
            })?,
            g.when(1, || {
                // Powers of zero are all zero where they are finite.
                let (zero, finite) = (eq_scalar(&a, Scalar::Int(0))?, ge_scalar(&b, Scalar::Int(0))?);
                let flat = bitwise_op(&zero, &finite, "bitwise_and", |v, w| v & w, |v, w| v & w)?;
                let slope = mul(&g.saved_tensor(2)?, &log(&a)?)?;
                grad_like(&masked_fill(&mul(&g.result_grad(), &slope)?, &flat, 0.0)?, &b)
            })?,
        ])
    })
}

/// The root of the sum of both squares, also where a square would overflow.
pub(crate) fn hypot(a: &T, b: &T) -> Result<T> {
    let (one, other, dtype) = promote_both(a, b);
    let out = zip!(heavy: dispatch_float(dtype, "hypot"), &one, &other, |v, w| v.hypot(w))?;
    let saves = [For(0, a), For(1, b), Out];
    record_op("HypotBackward0", [a, b], &saves, (), out, |g, ()| {
        // No number where both are zero, as in PyTorch.
        let share = |input| {
            let (operand, out) = (g.tensor_for(input)?, g.tensor_for(2)?);
            grad_like(&mul(&g.result_grad(), &div(&operand, &out)?)?, &operand)
        };
        Ok([g.when(0, || share(0))?, g.when(1, || share(1))?])
    })
}
