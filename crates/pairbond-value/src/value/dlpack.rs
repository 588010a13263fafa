//! [`DType`] and [`Device`]: the names that DLPack gives to what an array's elements are and where
//! they lie.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// The type of an array's elements: `DLDataType`, with its layout. Written `"float32"`,
/// `"int8x4"` (four lanes), `"bool"`.
///
/// ```
/// use pairbond_value::value::DType;
///
/// let half: DType = "float16".parse()?;
/// assert_eq!((half.code, half.bits, half.lanes), (2, 16, 1));
/// assert_eq!("uint8x4".parse::<DType>()?.to_string(), "uint8x4");
/// assert!("float".parse::<DType>().is_err());
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct DType {
    /// `DLDataTypeCode`.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes of a vector; 1 for a scalar.
    pub lanes: u16,
}

/// Where an array lies: `DLDevice`, with its layout. Written `"cpu"`, `"cuda:1"`.
///
/// ```
/// use pairbond_value::value::Device;
///
/// assert_eq!("cuda:1".parse::<Device>()?, Device { kind: 2, index: 1 });
/// assert_eq!(Device { kind: 1, index: 0 }.to_string(), "cpu:0");
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Device {
    /// `DLDeviceType`.
    pub kind: i32,
    /// Which of its kind.
    pub index: i32,
}

impl DType {
    /// The bytes of one element.
    ///
    /// # Errors
    /// `ValueError` when that is no whole number of them.
    pub fn item_size(self) -> Result<usize, Error> {
        if self.bits == 0 || !self.bits.is_multiple_of(8) || self.lanes == 0 {
            return Err(Error::value_error(format!(
                "an array cannot be of {self}: its elements are not made of bytes"
            )));
        }
        Ok(usize::from(self.bits / 8) * usize::from(self.lanes))
    }
}

/// `DLDataTypeCode` by number. Those whose name says the bits stand with them.
const CODES: [&str; 6] = ["int", "uint", "float", "handle", "bfloat", "complex"];
const BOOL: u8 = 6;

/// `DLDeviceType` by number.
const DEVICES: [(i32, &str); 15] = [
    (1, "cpu"),
    (2, "cuda"),
    (3, "cuda_host"),
    (4, "opencl"),
    (7, "vulkan"),
    (8, "metal"),
    (9, "vpi"),
    (10, "rocm"),
    (11, "rocm_host"),
    (12, "ext_dev"),
    (13, "cuda_managed"),
    (14, "oneapi"),
    (15, "webgpu"),
    (16, "hexagon"),
    (17, "maia"),
];

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match CODES.get(usize::from(self.code)) {
            _ if self.code == BOOL && self.bits == 8 => f.write_str("bool")?,
            _ if self.code == BOOL => write!(f, "bool{}", self.bits)?,
            Some(name) => write!(f, "{name}{}", self.bits)?,
            None => write!(f, "code{}_{}", self.code, self.bits)?,
        }
        if self.lanes == 1 {
            Ok(())
        } else {
            write!(f, "x{}", self.lanes)
        }
    }
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || {
            Error::value_error(format!(
                "unknown dtype '{text}': it is one of {}, a number of bits, and maybe lanes, as in 'float32' or 'int8x4'; or 'bool'",
                CODES.join(", ")
            ))
        };
        let (scalar, lanes) = match text.split_once('x').filter(|(name, _)| *name != "comple") {
            Some((scalar, lanes)) => (scalar, lanes.parse().map_err(|_| unknown())?),
            None => match text.strip_prefix("complex").and_then(|rest| rest.split_once('x')) {
                Some((bits, lanes)) => (
                    &text[.."complex".len() + bits.len()],
                    lanes.parse().map_err(|_| unknown())?,
                ),
                None => (text, 1),
            },
        };
        if scalar == "bool" {
            return Ok(DType {
                code: BOOL,
                bits: 8,
                lanes,
            });
        }
        let (code, bits) = if let Some(rest) = scalar.strip_prefix("code") {
            let (code, bits) = rest.split_once('_').ok_or_else(unknown)?;
            (code.parse().map_err(|_| unknown())?, bits)
        } else if let Some(bits) = scalar.strip_prefix("bool") {
            (BOOL, bits)
        } else {
            let name = |name: &&&str| {
                scalar
                    .strip_prefix(**name)
                    .is_some_and(|bits| bits.starts_with(|c: char| c.is_ascii_digit()))
            };
            let name = CODES.iter().find(name).ok_or_else(unknown)?;
            let code = CODES.iter().position(|other| other == name).unwrap_or_default();
            (code as u8, &scalar[name.len()..])
        };
        let bits = bits.parse().map_err(|_| unknown())?;
        Ok(DType { code, bits, lanes })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DEVICES.iter().find(|(kind, _)| *kind == self.kind) {
            Some((_, name)) => write!(f, "{name}:{}", self.index),
            None => write!(f, "device{}:{}", self.kind, self.index),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || {
            let names: Vec<&str> = DEVICES.iter().map(|(_, name)| *name).collect();
            Error::value_error(format!(
                "unknown device '{text}': it is one of {}, with a number after a colon or not",
                names.join(", ")
            ))
        };
        let (name, index) = match text.split_once(':') {
            Some((name, index)) => (name, index.parse().map_err(|_| unknown())?),
            None => (text, 0),
        };
        let known = DEVICES
            .iter()
            .find(|(_, other)| *other == name)
            .map(|(kind, _)| *kind);
        let numbered = || name.strip_prefix("device")?.parse().ok();
        let kind = known.or_else(numbered).ok_or_else(unknown)?;
        Ok(Device { kind, index })
    }
}

untraced!(DType, Device, super::BigInt);
