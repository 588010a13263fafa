//! Any description of memory, as buffers and DLPack capsules bring it: it is refused in words, or
//! every element that the array then shows lies where the description says; and any slices,
//! transpositions, copies and assignments of that against a model made of offsets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pairbond_value::value::{Any, Array, ArrayBody, DType, Device, Lent, Tensor};

const BYTES: usize = 1 << 12;

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }
    /// Mostly small, now and then at the edges.
    fn number(&mut self) -> i64 {
        match self.byte() {
            kind @ 0..=239 => i64::from(kind % 16) - 4,
            240 => i64::MAX,
            241 => i64::MIN,
            242 => 1 << 62,
            243 => 1 << 31,
            244 => -(1 << 40),
            _ => i64::from(i16::from_le_bytes([self.byte(), self.byte()])),
        }
    }
}

/// The offsets of the first and the last byte, if the elements lie within the memory.
fn lies_within(array: &ArrayBody, start: *const u8) -> bool {
    let first = (array.start_ptr() as usize).wrapping_sub(start as usize) as isize;
    let all = array.shape().iter().zip(array.strides());
    let reach = |positive: bool| -> i128 {
        let one = |(n, stride): (&usize, &isize)| (*n as i128 - 1) * *stride as i128;
        all.clone().map(one).filter(|reach| (*reach > 0) == positive).sum()
    };
    let (low, high) = (i128::from(first as i64) + reach(false), i128::from(first as i64) + reach(true));
    low >= 0 && high + array.item_size() as i128 <= BYTES as i128
}

fn all(array: &ArrayBody) -> Vec<isize> {
    array.offsets().map(|offset| array.start_ptr() as isize + offset).collect()
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut memory = vec![0_u64; BYTES / 8];
    let start = memory.as_mut_ptr().cast::<u8>();
    let axes = usize::from(input.byte() % 5);
    let dtype = match input.byte() {
        kind @ 0..=199 => [DType { code: 1, bits: 8, lanes: 1 }, DType { code: 0, bits: 16, lanes: 1 }, DType { code: 2, bits: 64, lanes: 1 }]
            [usize::from(kind % 3)],
        kind => DType { code: kind >> 4, bits: input.byte(), lanes: u16::from(input.byte()) },
    };
    let mut shape: Vec<i64> = (0..axes).map(|_| input.number()).collect();
    let mut strides: Vec<i64> = (0..axes).map(|_| input.number()).collect();
    let flags = input.byte();
    let begin = usize::from(input.byte()) * 8;
    let array = if flags & 1 == 0 {
        let tensor = Tensor {
            data: if flags & 2 != 0 { std::ptr::null_mut() } else { start.cast() },
            device: Device { kind: 1, index: 0 },
            ndim: if flags & 4 != 0 { i32::from(input.byte() as i8) * (axes == 0) as i32 } else { axes as i32 },
            dtype,
            shape: if flags & 8 != 0 { std::ptr::null_mut() } else { shape.as_mut_ptr() },
            strides: if flags & 16 != 0 { std::ptr::null_mut() } else { strides.as_mut_ptr() },
            byte_offset: begin as u64,
        };
        if tensor.ndim > axes as i32 && !tensor.shape.is_null() {
            return; // A lie that nobody can find out.
        }
        // SAFETY: as many numbers as axes; elements are touched only where they lie within the
        // memory.
        unsafe { tensor.lend_array(flags & 32 != 0, Any::None) }
    } else {
        let shape: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
        let strides: Vec<isize> = strides.iter().map(|n| *n as isize).collect();
        let lent = Lent {
            start: start.wrapping_add(begin),
            dtype,
            device: Device { kind: 1, index: 0 },
            readonly: flags & 32 != 0,
            shape: &shape,
            strides: (flags & 16 == 0).then_some(&strides[..strides.len() - usize::from(flags & 64 != 0 && axes > 0)]),
        };
        // SAFETY: as many numbers as axes; elements are touched only where they lie within the
        // memory.
        unsafe { ArrayBody::from_lent(&lent, Any::None) }
    };
    let Ok(mut array) = array else { return };
    // Questions that touch no element have an answer, whatever it describes.
    let _ = (array.is_c_contiguous(), array.is_f_contiguous(), array.offset(&vec![0; axes]), array.item_size());
    if array.element_count() > BYTES || array.element_count() != 0 && !lies_within(&array, start) {
        return;
    }
    for _ in 0..8 {
        let axis = usize::from(input.byte() % 5);
        let before = all(&array);
        match input.byte() % 5 {
            0 => {
                let (from, step, count) = (input.number() as usize, input.number() as isize, input.number() as usize);
                let part = array.slice(axis, from, step, count);
                let n = array.shape().get(axis).copied();
                let last = (count as i128 - 1) * step as i128 + from as i128;
                let fits = n.is_some_and(|n| count == 0 || (step != 0 || count == 1) && from < n && (0..n as i128).contains(&last));
                assert_eq!(part.is_ok(), fits, "{from} {step} {count} of {:?}", array.shape());
                if let Ok(part) = part {
                    assert_eq!(part.shape()[axis], count);
                    assert!(all(&part).iter().all(|place| before.contains(place)));
                    array = part;
                }
            }
            1 => {
                let index = input.number() as usize;
                if let Ok(part) = array.at(axis, index) {
                    assert!(index < array.shape()[axis] && part.shape().len() + 1 == array.shape().len());
                    assert!(all(&part).iter().all(|place| before.contains(place)));
                    array = part;
                }
            }
            2 => {
                let (mut once, turned) = (before, array.transposed());
                let mut twice = all(&turned);
                once.sort_unstable();
                twice.sort_unstable();
                assert_eq!(once, twice);
                array = turned;
            }
            3 => {
                let copy = array.copy().expect("it is here");
                assert!(copy.is_c_contiguous() && copy.shape() == array.shape());
                assert_eq!(array.copy_elements_from(&copy).is_ok(), !array.is_readonly());
            }
            _ => {
                let shown = Array::from_ref(pairbond_core::object::Ref::new(array.slice_all()));
                if let Ok(view) = shown.view::<u8>() {
                    let index: Vec<usize> = (0..shown.shape().len()).map(|_| input.number() as usize).collect();
                    let inside = index.iter().zip(shown.shape()).all(|(at, n)| at < n);
                    assert_eq!(view.get(&index).is_some(), inside);
                    assert_eq!(view.to_vec().len(), before.len());
                }
            }
        }
    }
});
