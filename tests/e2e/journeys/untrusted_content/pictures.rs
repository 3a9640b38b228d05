//! Pictures that are too large, not what they are called or no pictures at all, and icons from anywhere.

use anyhow::{Context, Result};
use base64::prelude::*;
use e2e::{Act, Eyes, Journey, Trap, tool};
use serde_json::{Value, json};

use super::{call, choose, connect, measure, measured, show_tab};

/// U8
#[test]
fn a_picture_is_drawn_only_as_what_it_is_and_only_in_so_much_room_as_there_is() -> Result<()> {
    let trap = Trap::open()?;
    let pictures = pictures(&trap);
    let blocks: Vec<_> = pictures.iter().map(Picture::block).collect();
    let act =
        Act::with_tools([tool("pictures", json!({}))])?.answers("tools/call/pictures", json!({ "content": blocks }))?;
    Journey::new("pictures").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        measure(window).await?;
        connect(window, 1).await?;
        call(window, "pictures").await?;
        // Seen at one moment: what is shown may be read anew at any.
        let count = |form: Form| pictures.iter().filter(|picture| picture.form == form).count();
        let [drawn, hex, source] = [Form::Drawn, Form::Hex, Form::Source].map(count);
        let seen = window.until("every picture", &format!("({SEEN})({drawn}, {hex}, {source})")).await?;
        eyes.look("pictures").await?;
        measured(window, "U8").await?;
        let seen = seen.as_array().context("every block was seen")?;
        assert_eq!(seen.len(), pictures.len(), "as many blocks as were sent");
        for (seen, picture) in seen.iter().zip(&pictures) {
            assert_eq!(seen["form"], picture.form.word(), "{}: {seen}", picture.what);
            let said = seen["said"].as_str().unwrap_or_default();
            assert!(said.contains(picture.said), "of {} is said `{}`: {seen}", picture.what, picture.said);
        }
        trap.caught_nobody().await
    })
}

struct Picture {
    what: &'static str,
    /// As the server says.
    mime: &'static str,
    data: String,
    form: Form,
    /// In words, beside it.
    said: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Drawn,
    Hex,
    Source,
    /// Words alone.
    Told,
}

impl Form {
    fn word(self) -> &'static str {
        match self {
            Form::Drawn => "drawn",
            Form::Hex => "hex",
            Form::Source => "source",
            Form::Told => "told",
        }
    }
}

impl Picture {
    fn block(&self) -> Value {
        json!({ "type": "image", "mimeType": self.mime, "data": self.data })
    }
}

fn pictures(trap: &Trap) -> Vec<Picture> {
    let url = format!("http://{}", trap.address());
    let drawing = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"top.canary='svg'\"><script>top.canary='script'</script>\
         <foreignObject><img xmlns=\"http://www.w3.org/1999/xhtml\" src=\"{url}/foreign\"/></foreignObject>\
         <image href=\"{url}/image\"/><use href=\"{url}/use#x\"/><style>@import '{url}/style';</style></svg>"
    );
    let frames = [10_000_u32.to_be_bytes(), [0; 4]].concat();
    let page = b"<!DOCTYPE html><script>top.canary='page'</script>";
    let of =
        |what, mime, bytes: &[u8], form, said| Picture { what, mime, data: BASE64_STANDARD.encode(bytes), form, said };
    vec![
        of(
            "2,500 million pixels",
            "image/png",
            &png(50_000, 50_000, &[]),
            Form::Hex,
            "50000 × 50000 pixels, more than are drawn here",
        ),
        of(
            "10,000 frames",
            "image/png",
            &png(1000, 1000, &[(b"acTL", &frames)]),
            Form::Hex,
            "10000 frames of 1000 × 1000 pixels, more than are drawn here",
        ),
        of("a GIF that is called PNG", "image/png", &gif(b""), Form::Drawn, "the bytes are image/gif"),
        of(
            "a GIF that is a script too",
            "image/png",
            &gif(b"=1;top.canary='polyglot'//"),
            Form::Drawn,
            "the bytes are image/gif",
        ),
        of("a page that is called PNG", "image/png", page, Form::Hex, "the bytes are text/html"),
        of("a drawing", "image/svg+xml", drawing.as_bytes(), Form::Source, ""),
        of("a drawing that is called PNG", "image/png", drawing.as_bytes(), Form::Hex, "the bytes are no such picture"),
        of("HEIC", "image/heic", b"\0\0\0\x18ftypheic\0\0\0\0heicmif1", Form::Hex, ""),
        of("TIFF", "image/tiff", b"II*\0\x08\0\0\0\0\0\0\0", Form::Hex, ""),
        of("ICO", "image/x-icon", b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0", Form::Hex, ""),
        of("half a head", "image/png", &png(40, 40, &[])[..20], Form::Hex, "it does not say how large it is"),
        of("a head alone", "image/png", &png(40, 40, &[]), Form::Told, "this system can't draw it"),
        Picture {
            what: "an address in the place of bytes",
            mime: "image/png",
            data: format!("{url}/data.png"),
            form: Form::Told,
            said: "these bytes are not base64",
        },
    ]
}

/// A PNG that says what it is and has nothing in it.
fn png(width: u32, height: u32, more: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, data) in [(b"IHDR", head.as_slice())].into_iter().chain(more.iter().copied()) {
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(name);
        bytes.extend(data);
        bytes.extend([0; 4]);
    }
    bytes
}

/// One pixel, and what follows it.
fn gif(more: &[u8]) -> Vec<u8> {
    let head = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff";
    let pixel = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0\x3b";
    [&head[..], pixel, more].concat()
}

/// In what form each block is shown and what is said of it, once so many are in each form.
const SEEN: &str = r"(drawn, hex, source) => {
  const count = (selector) => $$(`[data-content=image] ${selector}`).length;
  if (count('img') !== drawn || count('.hex') !== hex || count('pre') !== source) return null;
  const settled = 'img, .hex, pre, [data-problem], [data-broken]';
  if (!$$('.binary').every((bytes) => bytes.querySelector(settled) !== null)) return null;
  if (!$$('.binary img').every((image) => image.complete && image.naturalWidth > 0)) return null;
  return $$('[data-content=image]').map((block) => {
    const has = (selector) => block.querySelector(selector) !== null;
    const said = [...block.querySelectorAll('[data-problem], [data-mismatch], [data-broken]')];
    return {
      form: has('img') ? 'drawn' : has('.hex') ? 'hex' : has('pre') ? 'source' : 'told',
      said: said.map((words) => words.innerText).join(' '),
    };
  });
}";

/// U9
#[test]
fn no_icon_is_fetched_and_one_of_ten_megabytes_is_told_of_and_not_drawn() -> Result<()> {
    let trap = Trap::open()?;
    let address = trap.address();
    let remote = json!([
        { "src": format!("http://{address}/icon.png"), "mimeType": "image/png", "sizes": ["any"] },
        { "src": format!("https://{address}/icon.png") },
        { "src": format!("//{address}/icon.png") },
        { "src": "javascript:top.canary='icon'" },
    ]);
    let drawing = BASE64_STANDARD.encode("<svg xmlns='http://www.w3.org/2000/svg' onload=\"top.canary='icon'\"/>");
    let of = |kind: &str, data: &str| json!([{ "src": format!("data:{kind};base64,{data}") }]);
    let act = Act::with_tools([
        tool("remote", json!({ "icons": remote })),
        tool("heavy", json!({ "icons": of("image/png", &"A".repeat(10 << 20)) })),
        tool("drawing", json!({ "icons": of("image/svg+xml", &drawing) })),
        tool("small", json!({ "icons": of("image/png", &BASE64_STANDARD.encode(gif(b""))) })),
    ])?
    .says(json!({ "serverInfo": { "name": "act", "version": "1", "icons": remote } }))?
    .answers("resources/list", json!({ "resources": [{ "uri": "act://icon", "name": "icon", "icons": remote }] }))?;
    Journey::new("icons").entry("act", act.entry()).run(async |window| {
        let eyes = Eyes::over(window).await?;
        measure(window).await?;
        connect(window, 4).await?;
        window.until("the one that can be drawn", "$('[data-tool=small] img')?.naturalWidth === 1").await?;
        assert_eq!(window.count("[data-tool] img").await?, 1, "and no other is");
        eyes.look("list").await?;
        let unfit = "icons that are not shown: 1 that are no small PNG, JPEG, GIF or WebP";
        for (name, told) in [
            ("remote", "icons that are not shown: 4 at an address, which is not fetched"),
            ("heavy", unfit),
            ("drawing", unfit),
        ] {
            choose(window, name).await?;
            window.click("[data-pane=tool] [data-segment=schema]").await?;
            window
                .until("what became of them", &format!("$('[data-pane=tool] form').innerText.includes('{told}')"))
                .await?;
            eyes.look(name).await?;
        }
        call(window, "small").await?;
        show_tab(window, "resources").await?;
        window.until("the resource", "$('[data-resource]')").await?;
        eyes.look("resources").await?;
        show_tab(window, "overview").await?;
        window.until("what it says of itself", "$('[aria-label=\"Server info\"]')").await?;
        eyes.look("overview").await?;
        measured(window, "U9").await?;
        trap.caught_nobody().await
    })
}
