//! A server's command as a person can type it in a terminal.

use sonde_registry::{CommandLine, Layer, Reach, Reference, ServerSpec};
use sonde_transport::Platform;

use super::machine::Machine;
use crate::shown::is_open;

impl Machine {
    /// What runs the server, in its folder; for an address, that.
    pub fn line(&self, spec: &ServerSpec) -> String {
        match &spec.reach {
            Reach::Command(line) => format!("{}{}", self.entering(line), self.command(spec, line)),
            Reach::Url(remote) => sonde_transport::shown_address(&remote.written),
        }
    }

    /// What gives it a first message.
    pub fn by_hand(&self, spec: &ServerSpec, line: &CommandLine, message: &str) -> String {
        let (folder, command) = (self.entering(line), self.command(spec, line));
        match self.platform {
            Platform::Unix => format!("{folder}printf '%s\\n' '{message}' | {command}"),
            Platform::Windows => format!("{folder}echo {message} | {command}"),
        }
    }

    fn entering(&self, line: &CommandLine) -> String {
        let (Some(written), Some(folder)) = (&line.written_folder, &line.folder) else { return String::new() };
        let folder = self.word(written, &folder.display().to_string());
        match self.platform {
            Platform::Unix => format!("cd {folder} && "),
            Platform::Windows => format!("cd /d {folder} && "),
        }
    }

    fn command(&self, spec: &ServerSpec, line: &CommandLine) -> String {
        // What is built in or typed is meant as it stands.
        if matches!(spec.origin.layer, Layer::BuiltIn | Layer::Typed) {
            return self.typed(&line.shown());
        }
        let filled = std::iter::once(&line.command).chain(&line.args);
        let shown = line.shown();
        let words = line.written.iter().zip(filled).zip(&shown).map(|((written, filled), shown)| {
            // A secret in clear is not told, though it must be typed.
            if written == shown { self.word(written, filled) } else { self.typed(std::slice::from_ref(shown)) }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// With what everybody may read filled in, and variables as the shell fills them in. What a person gives stays.
    fn word(&self, written: &str, filled: &str) -> String {
        let is_variable = |reference: &Reference| matches!(reference, Reference::Env(_));
        if is_open(written) {
            return self.typed(&[filled.to_owned()]);
        }
        match (self.platform, Reference::all_in(written).iter().all(is_variable)) {
            (Platform::Unix, true) => format!("\"{}\"", for_shell(written)),
            _ => self.typed(&[written.to_owned()]),
        }
    }
}

/// Within double quotes: a variable with its default is written as a shell writes it, and nothing else means anything.
fn for_shell(written: &str) -> String {
    let written = written.replace("${env:", "${");
    let mut text = String::with_capacity(written.len());
    let mut letters = written.chars().peekable();
    while let Some(letter) = letters.next() {
        let means_something = match letter {
            '$' => letters.peek() != Some(&'{'),
            '"' | '\\' | '`' => true,
            _ => false,
        };
        if means_something {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_typed_as_it_stands() {
        let here = Machine { platform: Platform::Unix, home: None };
        let strings = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let line = CommandLine {
            command: "/home/ada/shop/show.sh".to_owned(),
            args: strings(&["shop", "a b", "tok", "x\"tok$y", "${secret:KEY}"]),
            written: strings(&[
                "${workspaceFolder}/show.sh",
                "${workspaceFolderBasename}",
                "a b",
                "${env:SHOP_TOKEN}",
                "x\"${SHOP_TOKEN:-1}$y",
                "${secret:KEY}",
            ]),
            folder: Some("/home/ada/my shop".into()),
            written_folder: Some("${userHome}/my shop".to_owned()),
            ..CommandLine::default()
        };
        let mut spec = ServerSpec::built_in("shop", "x".to_owned(), Vec::new()).unwrap();
        spec.reach = Reach::Command(line);
        spec.origin.layer = Layer::Project;
        assert_eq!(
            here.line(&spec),
            "cd '/home/ada/my shop' && /home/ada/shop/show.sh shop 'a b' \"${SHOP_TOKEN}\" \"x\\\"${SHOP_TOKEN:-1}\\$y\" \
             '${secret:KEY}'"
        );
    }
}
