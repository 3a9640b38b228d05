//! Completions and the manual page, made from the arguments themselves.

use clap::CommandFactory;

use crate::arguments::{Arguments, EVERYWHERE};
use crate::console::Console;
use crate::failure::{Exit, Failure};

pub fn completions(shell: clap_complete::Shell, console: &Console) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "sonde", &mut script);
    console.print_bytes(&script)?;
    Ok(Exit::Ok)
}

/// One page: what holds for all commands, then each with its own options.
pub fn page(console: &Console) -> Result<Exit, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    page.extend(b".SH COMMANDS\n");
    for part in command.get_subcommands() {
        part_of_page(part, &format!("sonde {}", part.get_name()), &mut page)?;
        for smaller in part.get_subcommands() {
            part_of_page(smaller, &format!("sonde {} {}", part.get_name(), smaller.get_name()), &mut page)?;
        }
    }
    let mut ending = Vec::new();
    man.render_extra_section(&mut ending)?;
    page.extend(String::from_utf8_lossy(&ending).replace(".SH EXTRA", ".SH \"EXIT STATUS\"").bytes());
    console.print_bytes(&page)?;
    Ok(Exit::Ok)
}

/// A command under its own small heading, without what every command understands.
fn part_of_page(command: &clap::Command, name: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    let is_everywhere = |arg: &clap::Arg| arg.get_help_heading() == Some(EVERYWHERE) || arg.get_id() == "help";
    let own = command.clone().bin_name(name).mut_args(|arg| if is_everywhere(&arg) { arg.hide(true) } else { arg });
    let man = clap_mangen::Man::new(own);
    let mut sections = Vec::new();
    man.render_description_section(&mut sections)?;
    man.render_synopsis_section(&mut sections)?;
    man.render_options_section(&mut sections)?;
    page.extend(format!(".SS {}\n", name.replace('-', "\\-")).bytes());
    for line in String::from_utf8_lossy(&sections).lines() {
        // Sections of a page become paragraphs of a part.
        match line.strip_prefix(".SH ") {
            Some(_) => page.extend(b".PP\n"),
            None => page.extend(format!("{line}\n").bytes()),
        }
    }
    Ok(())
}
