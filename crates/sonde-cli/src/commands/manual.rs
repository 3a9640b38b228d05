//! Completions and the manual page, made from the arguments themselves.

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::console::Console;
use crate::failure::{Exit, Failure};

pub fn completions(shell: clap_complete::Shell, console: &Console) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sonde", &mut script);
    console.print_bytes(&script)?;
    Ok(Exit::Ok)
}

/// One page: the commands first, then each with its own options.
pub fn page(console: &Console) -> Result<Exit, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for part in command.get_subcommands().filter(|part| part.get_name() != "help") {
        section(part, &format!("sonde {}", part.get_name()), &mut page)?;
        for part_of in part.get_subcommands().filter(|part| part.get_name() != "help") {
            section(part_of, &format!("sonde {} {}", part.get_name(), part_of.get_name()), &mut page)?;
        }
    }
    console.print_bytes(&page)?;
    Ok(Exit::Ok)
}

fn section(command: &clap::Command, name: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    page.extend(format!(".SH {}\n", name.to_uppercase().replace('-', "\\-")).bytes());
    let man = clap_mangen::Man::new(command.clone().bin_name(name.to_owned()));
    man.render_description_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_options_section(page)
}
