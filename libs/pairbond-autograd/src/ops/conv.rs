//! Convolutions and pooling of images.
//!
//! A convolution, the gradient of its input and that of its weights are each linear in both of
//! their arguments, and the derivatives of each are the other two. So all of them have derivatives
//! of any order.

use pairbond::prelude::*;

use super::arguments::Ints;
use super::common::{in_order, run_detached};
use super::functions::flat_in;
use super::{add, into_tensor_result, reshape, scatter_add};
use crate::data::{Element, Float, dispatch, dispatch_float, room};
use crate::engine::{For, In, Tensors, record_op};
use crate::kernels::{Matrix, Windows, matmul_into, threads};
use crate::tensor::{T, Tensor, filled_tensor, from_vec};

/// Fewer products of numbers are not worth a thread.
const GRAIN: usize = 1 << 19;

/// So many numbers of sums that images give are kept at once.
const ROOM: usize = 1 << 18;

/// `[images, channels, height, width]`, weights `[channels out, channels in of a group, height,
/// width]`.
#[derive(Debug)]
struct Conv {
    images: usize,
    channels: usize,
    out_channels: usize,
    groups: usize,
    windows: Windows,
    count: [usize; 2],
}

/// What says which convolution it is, as parameters of nodes: they must be of types that a
/// collector knows.
type Params = ([Vec<usize>; 2], [[usize; 2]; 3], usize);

impl Conv {
    fn from_params((shapes, [stride, padding, dilation], groups): &Params) -> Result<Conv> {
        let (&[images, channels, height, width], &[out_channels, of_group, down, right]) =
            (&shapes[0][..], &shapes[1][..])
        else {
            return Err(Error::runtime_error(format!(
                "Expected 3D (unbatched) or 4D (batched) input to conv2d and 4D weights, but got input of size {:?} and weights of size {:?}",
                shapes[0], shapes[1]
            )));
        };
        if *groups > 1 && out_channels % groups != 0 {
            return Err(Error::runtime_error(format!(
                "Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of size [{:?}] instead",
                shapes[1]
            )));
        }
        if of_group * groups != channels || out_channels % (*groups).max(1) != 0 || *groups == 0 {
            return Err(Error::runtime_error(format!(
                "Given groups={groups}, weight of size {:?}, expected input{:?} to have {} channels, but got {channels} channels instead",
                shapes[1],
                shapes[0],
                of_group * groups
            )));
        }
        let windows = Windows {
            image: [height, width],
            window: [down, right],
            stride: *stride,
            padding: *padding,
            dilation: *dilation,
            ceil: false,
        };
        let count = window_counts(&windows)?;
        Ok(Conv {
            images,
            channels,
            out_channels,
            groups: *groups,
            windows,
            count,
        })
    }

    /// Rows and columns of the matrix of windows of a group.
    fn columns_shape(&self) -> [usize; 2] {
        let window = self.windows.window[0] * self.windows.window[1];
        [
            self.channels / self.groups * window,
            self.count[0] * self.count[1],
        ]
    }

    /// How many numbers a group of an image has, of the input and of the result, and how many
    /// weights there are for it.
    fn group_sizes(&self) -> [usize; 3] {
        let [window, places] = self.columns_shape();
        let of_group = self.out_channels / self.groups;
        let image = self.windows.image[0] * self.windows.image[1];
        [
            self.channels / self.groups * image,
            of_group * places,
            of_group * window,
        ]
    }

    /// Calls `run` for some images and groups with the number of each, its `size` numbers of the
    /// result, and a room for windows, of which each thread has one.
    fn run_parts<E: Float>(
        &self,
        out: &mut [E],
        size: usize,
        rooms: &mut [Vec<E>],
        run: impl Fn(usize, &mut [E], &mut [E]) + Sync,
    ) {
        let each = (out.len() / size.max(1)).div_ceil(rooms.len()).max(1);
        let pieces = out.chunks_mut((each * size).max(1)).zip(rooms).enumerate();
        threads::run_pieces(pieces, |(piece, (out, room))| {
            for (part, out) in out.chunks_exact_mut(size).enumerate() {
                run(piece * each + part, out, room);
            }
        });
    }

    /// Rooms for windows, for each of the threads that so many images and groups are worth.
    fn window_buffers<E: Float>(&self, parts: usize) -> Vec<Vec<E>> {
        let [window, places] = self.columns_shape();
        let grain = GRAIN.div_ceil((self.group_sizes()[1] * window).max(1));
        let rooms =
            (0..threads::piece_count(parts, grain)).map(|_| room::filled_vec(E::ZERO, window * places));
        rooms.collect()
    }

    fn convolve_group<E: Float>(&self, image: &[E], weight: &[E]) -> Vec<E> {
        let ([window, places], of_group) = (self.columns_shape(), self.out_channels / self.groups);
        let ([from, to, weights], parts) = (self.group_sizes(), self.images * self.groups);
        let mut out = room::filled_vec(E::ZERO, parts * to);
        self.run_parts(
            &mut out,
            to,
            &mut self.window_buffers(parts),
            |part, out, columns| {
                self.windows.write_columns(
                    &image[part * from..],
                    self.channels / self.groups,
                    columns,
                    E::ZERO,
                );
                let weight = Matrix::row_major(&weight[part % self.groups * weights..], of_group, window);
                matmul_into(out, weight, Matrix::row_major(columns, window, places));
            },
        );
        out
    }

    fn to_input<E: Float>(&self, grad: &[E], weight: &[E]) -> Vec<E> {
        let ([window, places], of_group) = (self.columns_shape(), self.out_channels / self.groups);
        let ([to, from, weights], parts) = (self.group_sizes(), self.images * self.groups);
        let mut out = room::filled_vec(E::ZERO, parts * to);
        self.run_parts(
            &mut out,
            to,
            &mut self.window_buffers(parts),
            |part, out, columns| {
                let weight =
                    Matrix::row_major(&weight[part % self.groups * weights..], of_group, window).transposed();
                let grad = Matrix::row_major(&grad[part * from..], of_group, places);
                matmul_into(columns, weight, grad);
                self.windows
                    .add_columns(columns, self.channels / self.groups, out, |v, w| v + w);
            },
        );
        out
    }

    /// What each image gives is summed up in their order. Threads have as many at once as there is
    /// room for.
    fn to_weight<E: Float>(&self, grad: &[E], image: &[E]) -> Vec<E> {
        let ([window, places], of_group) = (self.columns_shape(), self.out_channels / self.groups);
        let ([from, grads, weights], parts) = (self.group_sizes(), self.images * self.groups);
        let mut out = room::filled_vec(E::ZERO, self.groups * weights);
        let at_once = (ROOM / weights.max(1)).clamp(1, parts.max(1));
        let mut rooms = self.window_buffers(at_once);
        let at_once = if rooms.len() == 1 { 1 } else { at_once };
        let mut sums = room::filled_vec(E::ZERO, at_once * weights);
        for first in (0..parts).step_by(at_once) {
            let sums = &mut sums[..at_once.min(parts - first) * weights];
            self.run_parts(sums, weights, &mut rooms, |part, out, columns| {
                let part = first + part;
                self.windows.write_columns(
                    &image[part * from..],
                    self.channels / self.groups,
                    columns,
                    E::ZERO,
                );
                let grad = Matrix::row_major(&grad[part * grads..], of_group, places);
                matmul_into(out, grad, Matrix::row_major(columns, window, places).transposed());
            });
            for (part, sums) in (first..).zip(sums.chunks_exact(weights.max(1))) {
                let group = out[part % self.groups * weights..].iter_mut();
                group.zip(sums).for_each(|(sum, &part)| *sum = *sum + part);
            }
        }
        out
    }
}

fn window_counts(windows: &Windows) -> Result<[usize; 2]> {
    let bad = || {
        Error::runtime_error(format!(
            "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x {}). Kernel size can't be greater than actual input size",
            windows.image[0] + 2 * windows.padding[0],
            windows.image[1] + 2 * windows.padding[1],
            windows.window[0],
            windows.window[1]
        ))
    };
    let lengths = [
        ("stride", windows.stride),
        ("dilation", windows.dilation),
        ("kernel size", windows.window),
    ];
    if let Some((what, _)) = lengths.iter().find(|(_, length)| length.contains(&0)) {
        return Err(Error::runtime_error(format!(
            "non-positive {what} is not supported"
        )));
    }
    windows.window_counts().ok_or_else(bad)
}

/// `name node shape-of-result kernel, derivatives by the first and the second argument`.
macro_rules! bilinear {
    ($($name:ident $node:literal $kernel:ident |$conv:ident, $p:ident| $shape:expr, |$g:ident, $one:ident, $other:ident| [$first:expr, $second:expr];)*) => {$(
        fn $name(a: &T, b: &T, params: Params) -> Result<T> {
            let ($conv, $p) = (Conv::from_params(&params)?, &params);
            let _ = $p;
            let (one, other) = (in_order(a), in_order(b));
            let (left, right) = (one.storage().read_memory(), other.storage().read_memory());
            let out: Result<T> = dispatch_float!(a.dtype(), "conv2d", E => {
                let numbers = run_detached(a.numel() * b.numel(), || $conv.$kernel(left.typed_slice::<E>(), right.typed_slice::<E>()));
                Ok(from_vec(numbers, &$shape))
            });
            record_op($node, [a, b], &[For(0, b), For(1, a)], params, out?, |given, $p| {
                let $g = &given.result_grad();
                Ok([
                    given.when(0, || {
                        let $other = given.tensor_for(0)?;
                        $first
                    })?,
                    given.when(1, || {
                        let $one = given.tensor_for(1)?;
                        $second
                    })?,
                ])
            })
        }
    )*};
}

bilinear! {
    forward "ConvolutionBackward0" convolve_group |conv, p| [conv.images, conv.out_channels, conv.count[0], conv.count[1]],
        |g, image, weight| [to_input(g, &weight, p.clone()), to_weight(g, &image, p.clone())];
    to_input "ConvolutionInputBackward0" to_input |_conv, p| p.0[0],
        |g, grad, weight| [forward(g, &weight, p.clone()), to_weight(&grad, g, p.clone())];
    to_weight "ConvolutionWeightBackward0" to_weight |_conv, p| p.0[1],
        |g, grad, image| [forward(&image, g, p.clone()), to_input(&grad, g, p.clone())];
}

/// Convolution of images with several channels.
#[pairbond::function]
pub(crate) fn conv2d(
    input: Ref<Tensor>,
    weight: Ref<Tensor>,
    bias: Option<Ref<Tensor>>,
    #[default(Ints(vec![1]))] stride: Ints,
    #[default(Ints(vec![0]))] padding: Ints,
    #[default(Ints(vec![1]))] dilation: Ints,
    #[default(1)] groups: usize,
) -> Result<Ref<Tensor>> {
    let input = T::from_tensor(input);
    let weight = T::from_tensor(weight);
    let bias = bias.map(T::from_tensor);

    if input.dtype() != weight.dtype() {
        return Err(Error::runtime_error(format!(
            "Input type ({}) and bias type ({}) should be the same",
            input.dtype().name(),
            weight.dtype().name()
        )));
    }
    let alone = input.shape().len() == 3;
    let images = if alone {
        super::unsqueeze(&input, 0)?
    } else {
        input
    };
    let shapes = [images.shape().to_vec(), weight.shape().to_vec()];
    let places = [
        stride.as_pair("stride")?,
        padding.as_pair("padding")?,
        dilation.as_pair("dilation")?,
    ];
    let mut out = forward(&images, &weight, (shapes, places, groups))?;
    if let Some(bias) = bias {
        if bias.shape() != [weight.shape()[0]] {
            return Err(Error::runtime_error(format!(
                "Given weight of size {:?}, expected bias to be 1-dimensional with {} elements, but got bias of size {:?} instead",
                weight.shape(),
                weight.shape()[0],
                bias.shape()
            )));
        }
        out = add(&out, &reshape(&bias, &[bias.numel(), 1, 1])?)?;
    }
    into_tensor_result(if alone {
        super::squeeze_axes(&out, &[0])
    } else {
        Ok(out)
    })
}

/// The largest of each window, and optionally where it is.
#[pairbond::function]
#[name("_max_pool2d")]
pub(crate) fn max_pool2d(
    input: Ref<Tensor>,
    kernel_size: Ints,
    #[required] stride: Option<Ints>,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
) -> Result<(Ref<Tensor>, Ref<Tensor>)> {
    let input = T::from_tensor(input);

    let no_image = || Error::runtime_error("non-empty 3D or 4D (batch mode) tensor expected for input");
    let (&[ref outer @ .., height, width], 3 | 4) = (input.shape(), input.shape().len()) else {
        return Err(no_image());
    };
    if height * width == 0 {
        return Err(no_image());
    }
    let window = kernel_size.as_pair("kernel_size")?;
    let windows = Windows {
        image: [height, width],
        window,
        stride: stride.map_or(Ok(window), |stride| stride.as_pair("stride"))?,
        padding: padding.as_pair("padding")?,
        dilation: dilation.as_pair("dilation")?,
        ceil: ceil_mode,
    };
    if (0..2).any(|i| windows.padding[i] * 2 > window[i]) {
        return Err(Error::runtime_error(
            "pad should be at most half of effective kernel size",
        ));
    }
    let [down, right] = window_counts(&windows)?;
    let channels: usize = outer.iter().product();
    let from = in_order(&input);
    let memory = from.storage().read_memory();
    let places = dispatch!(input.dtype(), E => run_detached(input.numel(), || windows.largest_places(memory.typed_slice::<E>(), channels)));
    let shape = [outer, &[down, right]].concat();
    let out = dispatch!(input.dtype(), E => from_vec(windows.gather_places(memory.typed_slice::<E>(), &places, E::ZERO), &shape));
    let places = from_vec(places, &[channels, down * right]);
    let params = (input.shape().to_vec(), channels);
    let out = record_op(
        "MaxPool2DWithIndicesBackward0",
        [&input],
        &[In(&places), In(&input)],
        params,
        out,
        |g, (shape, channels)| {
            let (places, input) = (g.saved_tensor(0)?, g.saved_tensor(1)?);
            let zeros = filled_tensor(
                0.0,
                &[*channels, shape.iter().product::<usize>() / (*channels).max(1)],
                g.result_grad().dtype(),
            );
            let grad = reshape(&g.result_grad(), places.shape())?;
            let grad = reshape(&scatter_add(&zeros, 1, &places, &grad)?, shape)?;
            Ok([Some(flat_in(
                grad,
                &input,
                "MaxPool2DWithIndicesBackwardBackward0",
            )?)])
        },
    )?;
    let places = reshape(&places, &shape)?;
    Ok((out.into(), places.into()))
}
