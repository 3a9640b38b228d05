//! What a supervisor is told to start, as bytes on its socket: how many follow, then texts that end in NUL, the
//! folder and the binary first, then a count and that many arguments, then the variables.

use std::ffi::{CStr, CString, OsStr};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use crate::command::Launch;

/// What a supervisor starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub folder: CString,
    pub binary: CString,
    /// Without the binary's own name.
    pub args: Vec<CString>,
    /// Each `NAME=value`.
    pub variables: Vec<CString>,
}

impl Order {
    /// A text with a NUL in it has no place here; the system has none for it either.
    pub fn of(launch: &Launch, tag: Option<&(String, String)>) -> Result<Self, std::ffi::NulError> {
        let text = |text: &OsStr| CString::new(text.as_bytes());
        let own = launch.env.iter().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        let tag = tag.map(|(name, value)| format!("{name}={value}").into_bytes());
        Ok(Order {
            folder: text(launch.folder.as_os_str())?,
            binary: text(launch.binary.as_os_str())?,
            args: launch.args.iter().map(|arg| text(arg.as_ref())).collect::<Result<_, _>>()?,
            variables: own.chain(tag).map(CString::new).collect::<Result<_, _>>()?,
        })
    }

    pub fn bytes(&self) -> Vec<u8> {
        let count = CString::new(self.args.len().to_string()).unwrap_or_default();
        let mut texts = Vec::new();
        for text in [&self.folder, &self.binary, &count].into_iter().chain(&self.args).chain(&self.variables) {
            texts.extend_from_slice(text.as_bytes_with_nul());
        }
        let mut bytes = (texts.len() as u64).to_le_bytes().to_vec();
        bytes.append(&mut texts);
        bytes
    }

    pub fn read(from: &mut impl Read) -> std::io::Result<Self> {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        // Read as it comes: the length was said by whoever is at the other end, the bytes are there or are not.
        let mut bytes = Vec::new();
        let length = u64::from_le_bytes(length);
        if from.take(length).read_to_end(&mut bytes)? as u64 != length {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Order::parse(&bytes).ok_or_else(|| std::io::Error::other("an order that can't be read"))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut text = || {
            let text = CStr::from_bytes_until_nul(rest).ok()?;
            rest = rest.get(text.count_bytes() + 1..)?;
            Some(text.to_owned())
        };
        let (folder, binary) = (text()?, text()?);
        let count: usize = text()?.to_str().ok()?.parse().ok()?;
        let args = (0..count).map(|_| text()).collect::<Option<_>>()?;
        Some(Order { folder, binary, args, variables: std::iter::from_fn(text).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_arrives_as_it_was_given() {
        let launch = Launch {
            binary: "/bin/a b".into(),
            args: vec![String::new(), "line\nfeed".to_owned(), "ü".to_owned()],
            folder: "/tmp".into(),
            env: vec![("A".to_owned(), "1=2".into()), ("B".to_owned(), "".into())],
            longest_line: 0,
        };
        let order = Order::of(&launch, Some(&("TAG".to_owned(), "x".to_owned()))).unwrap();
        let bytes = order.bytes();
        assert_eq!(Order::read(&mut bytes.as_slice()).unwrap(), order, "empty texts and line feeds included");
        assert_eq!(order.variables.len(), 3, "the tag is a variable like the others");
        for end in 0..bytes.len() {
            assert!(Order::read(&mut &bytes[..end]).is_err(), "half an order is none: {end}");
        }
        let launch = Launch { args: vec!["a\0b".to_owned()], ..launch };
        assert!(Order::of(&launch, None).is_err(), "no program can be given a NUL");
    }
}
