//! Tensors in files, in the format safetensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use pairbond::prelude::*;
use safetensors::{Dtype, SafeTensors, View};

use crate::data::{DType, Element, dispatch};
use crate::ops;
use crate::tensor::{T, Tensor, from_vec};

/// The bytes of a tensor, as they are in a file.
struct Bytes {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl View for &Bytes {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }
    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// An element in a file: the least byte first.
trait InFile: Element {
    fn write_bytes(self, out: &mut Vec<u8>);
    fn read_bytes(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! in_file {
    ($($t:ty),*) => {$(
        impl InFile for $t {
            fn write_bytes(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read_bytes(bytes: &[u8]) -> Vec<Self> {
                bytes.as_chunks().0.iter().map(|&chunk| <$t>::from_le_bytes(chunk)).collect()
            }
        }
    )*};
}
in_file!(i64, f32, f64);

impl InFile for bool {
    fn write_bytes(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }
    fn read_bytes(bytes: &[u8]) -> Vec<Self> {
        bytes.iter().map(|&byte| byte != 0).collect()
    }
}

fn bytes_of(tensor: &T) -> Bytes {
    let memory = ops::copy_untracked(tensor).storage().read_memory();
    let bytes = dispatch!(tensor.dtype(), E => {
        let mut bytes = Vec::with_capacity(tensor.numel() * size_of::<E>());
        memory.typed_slice::<E>().iter().for_each(|value| value.write_bytes(&mut bytes));
        bytes
    });
    let dtype = match tensor.dtype() {
        DType::Bool => Dtype::BOOL,
        DType::Int64 => Dtype::I64,
        DType::Float32 => Dtype::F32,
        DType::Float64 => Dtype::F64,
    };
    Bytes {
        dtype,
        shape: tensor.shape().to_vec(),
        bytes,
    }
}

/// Writes tensors under names.
#[pairbond::function]
#[name("_save_file")]
#[detach]
pub(crate) fn save_file(
    path: PathBuf,
    tensors: BTreeMap<String, Ref<Tensor>>,
    #[required] metadata: Option<HashMap<String, String>>,
) -> Result<()> {
    let all: Vec<(String, Bytes)> = tensors
        .into_iter()
        .map(|(name, tensor)| (name, bytes_of(&T::from_tensor(tensor))))
        .collect();
    let views = all.iter().map(|(name, bytes)| (name, bytes));
    let bytes = safetensors::serialize(views, metadata).or_raise(ErrorKind::Value)?;
    std::fs::write(&path, bytes).at_path(&path)
}

/// The tensors of a file, and the texts about them.
#[pairbond::function]
#[name("_load_file")]
#[detach]
#[allow(clippy::type_complexity, reason = "as stubs are to say it")]
pub(crate) fn load_file(path: PathBuf) -> Result<(BTreeMap<String, Ref<Tensor>>, BTreeMap<String, String>)> {
    let bytes = std::fs::read(&path).at_path(&path)?;
    let (_, header) = SafeTensors::read_metadata(&bytes).or_raise(ErrorKind::Value)?;
    let found = SafeTensors::deserialize(&bytes).or_raise(ErrorKind::Value)?;
    let tensor = |(name, view): (String, safetensors::tensor::TensorView<'_>)| {
        let dtype = match view.dtype() {
            Dtype::BOOL => DType::Bool,
            Dtype::I64 => DType::Int64,
            Dtype::F32 => DType::Float32,
            Dtype::F64 => DType::Float64,
            other => {
                return Err(Error::value_error(format!(
                    "{name}: there are no tensors of {other:?}"
                )));
            }
        };
        let tensor = dispatch!(dtype, E => from_vec(<E as InFile>::read_bytes(view.data()), view.shape()));
        Ok((name, tensor.into()))
    };
    let tensors = found.tensors().into_iter().map(tensor).collect::<Result<_>>()?;
    let texts = header.metadata().clone().unwrap_or_default();
    Ok((tensors, texts.into_iter().collect()))
}
