//! Convolutions: windows of an image as the columns of a matrix.

use super::threads;
use crate::data::room;

/// Fewer elements that windows look at are not worth a thread.
const GRAIN: usize = 1 << 15;

/// Which windows there are.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// Height and width of the image.
    pub image: [usize; 2],
    /// Height and width of a window.
    pub window: [usize; 2],
    /// How far the next window is, down and to the right.
    pub stride: [usize; 2],
    /// How many rows and columns of nothing there are around the image, on each side.
    pub padding: [usize; 2],
    /// How far the next element of a window is, down and to the right.
    pub dilation: [usize; 2],
    /// Also a last one that begins in the image (or before it) and goes beyond.
    pub ceil: bool,
}

impl Windows {
    /// How many there are below and beside each other; `None`: the window is larger than the image.
    pub fn window_counts(&self) -> Option<[usize; 2]> {
        let along = |i: usize| {
            let extent = self.dilation[i] * (self.window[i] - 1) + 1;
            let left = (self.image[i] + 2 * self.padding[i]).checked_sub(extent)?;
            let most = if self.ceil {
                left.div_ceil(self.stride[i])
            } else {
                left / self.stride[i]
            };
            let begins = most * self.stride[i] < self.image[i] + self.padding[i];
            Some(if self.ceil && !begins { most } else { most + 1 })
        };
        Some([along(0)?, along(1)?])
    }

    /// Which windows have an element in the image at that offset, and where the first one has it:
    /// `(first, end, place)`.
    fn windows_inside(&self, axis: usize, offset: usize, count: usize) -> (usize, usize, usize) {
        let (stride, padding) = (self.stride[axis], self.padding[axis]);
        let at = offset * self.dilation[axis];
        let first = padding.saturating_sub(at).div_ceil(stride);
        let end = (self.image[axis] + padding)
            .saturating_sub(at)
            .div_ceil(stride)
            .min(count);
        (
            first,
            end.max(first),
            (first * stride + at).saturating_sub(padding),
        )
    }

    /// Calls `each` with the rows of elements that the image and the matrix of windows share: where
    /// it begins in the matrix, in the image, and how many elements it has, `stride[1]` apart in
    /// the image.
    fn for_shared_rows(&self, channels: usize, mut each: impl FnMut(usize, usize, usize)) {
        let [down, right] = self.window_counts().unwrap_or([0, 0]);
        for row in 0..channels * self.window[0] * self.window[1] {
            let (channel, within) = (
                row / (self.window[0] * self.window[1]),
                row % (self.window[0] * self.window[1]),
            );
            let (top, bottom, y) = self.windows_inside(0, within / self.window[1], down);
            let (left, end, x) = self.windows_inside(1, within % self.window[1], right);
            for line in top..if end > left { bottom } else { top } {
                let y = channel * self.image[0] + y + (line - top) * self.stride[0];
                each(
                    (row * down + line) * right + left,
                    y * self.image[1] + x,
                    end - left,
                );
            }
        }
    }

    /// Writes the windows of an image of several channels as columns: one row for each element of a
    /// window.
    pub fn write_columns<E: Copy>(&self, image: &[E], channels: usize, out: &mut [E], zero: E) {
        out.fill(zero);
        let step = self.stride[1];
        self.for_shared_rows(channels, |to, from, len| {
            if step == 1 {
                out[to..to + len].copy_from_slice(&image[from..from + len]);
            } else {
                (0..len).for_each(|i| out[to + i] = image[from + i * step]);
            }
        });
    }

    /// Adds the columns to the image that they are windows of.
    pub fn add_columns<E: Copy>(
        &self,
        columns: &[E],
        channels: usize,
        image: &mut [E],
        add: impl Fn(E, E) -> E,
    ) {
        let step = self.stride[1];
        self.for_shared_rows(channels, |from, to, len| {
            (0..len).for_each(|i| image[to + i * step] = add(image[to + i * step], columns[from + i]));
        });
    }

    /// The elements at these places in their channels, as many in each.
    pub fn gather_places<E: Copy + Send + Sync>(&self, images: &[E], places: &[i64], zero: E) -> Vec<E> {
        let [down, right] = self.window_counts().unwrap_or([0, 0]);
        let size = self.image[0] * self.image[1];
        let mut out = room::filled_vec(zero, places.len());
        threads::split_result(
            &mut out,
            down * right,
            GRAIN.div_ceil((down * right).max(1)),
            |first, out| {
                let images = images[first * size..].chunks_exact(size.max(1));
                let places = places[first * down * right..].chunks_exact(down * right);
                for ((image, places), out) in images.zip(places).zip(out.chunks_exact_mut(down * right)) {
                    let values = places.iter().map(|&place| image[place as usize]);
                    out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
                }
            },
        );
        out
    }

    /// The place in its channel of the largest element of each window.
    pub fn largest_places<E: Copy + PartialOrd + Sync>(&self, images: &[E], channels: usize) -> Vec<i64> {
        let [down, right] = self.window_counts().unwrap_or([0, 0]);
        let size = self.image[0] * self.image[1];
        let mut out = room::filled_vec(0, channels * down * right);
        let looks = down * right * self.window[0] * self.window[1];
        threads::split_result(
            &mut out,
            down * right,
            GRAIN.div_ceil(looks.max(1)),
            |first, out| {
                let images = images[first * size..].chunks_exact(size.max(1));
                for (image, out) in images.zip(out.chunks_exact_mut(down * right)) {
                    for (at, out) in out.iter_mut().enumerate() {
                        *out = self.largest_at(image, [at / right, at % right]) as i64;
                    }
                }
            },
        );
        out
    }

    fn largest_at<E: Copy + PartialOrd>(&self, image: &[E], at: [usize; 2]) -> usize {
        let mut best: Option<(usize, E)> = None;
        for i in 0..self.window[0] {
            let y = (at[0] * self.stride[0] + i * self.dilation[0]).wrapping_sub(self.padding[0]);
            for j in 0..self.window[1] {
                let x = (at[1] * self.stride[1] + j * self.dilation[1]).wrapping_sub(self.padding[1]);
                if y >= self.image[0] || x >= self.image[1] {
                    continue;
                }
                let place = y * self.image[1] + x;
                let value = image[place];
                // Also a NaN, which is larger than nothing.
                if best.is_none_or(|(_, most)| value > most || value.partial_cmp(&value).is_none()) {
                    best = Some((place, value));
                }
            }
        }
        best.map_or(0, |(place, _)| place)
    }
}
