//! A picture of a whole X display.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};
use x11rb::rust_connection::RustConnection;

use crate::process;

/// Two captures this far apart that are the same mean that nothing moves any more.
const STILL_FOR: Duration = Duration::from_millis(200);

/// A caret may blink for ever; then the picture is as good as it gets.
const STILL_WITHIN: Duration = Duration::from_secs(5);

/// Red, green and blue of each pixel, row by row.
#[derive(PartialEq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// A display of one colour: the window has not been drawn yet.
    fn is_empty(&self) -> bool {
        let mut pixels = self.rgb.chunks_exact(3);
        let first = pixels.next();
        pixels.all(|pixel| Some(pixel) == first)
    }
}

/// Takes the picture once something is drawn and nothing changes any more, after five seconds at the latest.
pub fn take_when_still(display: &str) -> Result<Picture> {
    let (connection, screen) = x11rb::connect(Some(display))
        .with_context(|| format!("the display {display} does not accept the screenshot's connection"))?;
    let deadline = Instant::now() + STILL_WITHIN;
    let mut before = capture(&connection, screen)?;
    loop {
        process::check_interrupted()?;
        std::thread::sleep(STILL_FOR);
        let now = capture(&connection, screen)?;
        if (now == before && !now.is_empty()) || Instant::now() > deadline {
            return Ok(now);
        }
        before = now;
    }
}

pub fn save(picture: &Picture, file: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let mut encoder =
        png::Encoder::new(BufWriter::new(File::create(file).with_context(cannot)?), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().with_context(cannot)?;
    writer.write_image_data(&picture.rgb).with_context(cannot)?;
    writer.finish().with_context(cannot)
}

fn capture(connection: &RustConnection, screen: usize) -> Result<Picture> {
    let setup = connection.setup();
    let screen = setup.roots.get(screen).context("the display has no screen")?;
    let (width, height) = (screen.width_in_pixels, screen.height_in_pixels);
    // The root's image contains every window on top of it.
    let image = connection.get_image(ImageFormat::Z_PIXMAP, screen.root, 0, 0, width, height, u32::MAX)?.reply()?;
    ensure!(
        image.depth == 24 && image.data.len() == usize::from(width) * usize::from(height) * 4,
        "the display has a depth of {} bits, and a screenshot needs 24",
        image.depth
    );
    let blue_first = setup.image_byte_order == x11rb::protocol::xproto::ImageOrder::LSB_FIRST;
    let rgb = image
        .data
        .chunks_exact(4)
        .flat_map(|pixel| match pixel {
            [blue, green, red, _] if blue_first => [*red, *green, *blue],
            [_, red, green, blue] => [*red, *green, *blue],
            _ => [0; 3],
        })
        .collect();
    Ok(Picture { width: width.into(), height: height.into(), rgb })
}
