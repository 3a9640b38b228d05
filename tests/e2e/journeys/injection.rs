//! A server of which every string field that the official schema knows holds an attack, on every screen that shows it.

use std::path::Path;

use anyhow::Result;
use e2e::{Eyes, Injection, Journey, Sight};
use serde_json::json;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/injection/server.sh");

#[test]
fn no_string_of_a_server_becomes_more_than_text_on_any_screen() -> Result<()> {
    let schema = Injection::schema();
    if !schema.is_file() {
        eprintln!("left out: the official schema is not at {}", schema.display());
        return Ok(());
    }
    let injection = Injection::make(&schema)?;
    // By itself a window takes no questions; the entry says that it does.
    let questions = json!({ "sampling": { "tools": {}, "context": {} }, "elicitation": { "form": {}, "url": {} } });
    let entry = json!({
        "command": "sh",
        "args": [SERVER, injection.folder()],
        "sonde": { "capabilities": questions },
    });
    let journey = Journey::new("injection").server("injection", Path::new("sh"), &[]);
    journey.unapproved_entry("injection", entry).run(async |window| {
        let eyes = Eyes::open(window, &injection).await?;
        window.click("[data-server=injection]").await?;
        window.click("[data-action=connect]").await?;
        window.until("its tools", "$('[data-tool]')").await?;
        for steps in CHAPTERS {
            eyes.walk(steps).await?;
        }
        let sight = eyes.sight().await?;
        for (screen, unseen) in &sight.screens {
            assert!(unseen.is_empty(), "`{screen}` never showed {unseen:?}, so nothing is known of them there");
        }
        let caught = injection.trap.caught();
        assert!(caught.is_empty(), "nobody asks for an address of a server by himself: {caught:?}");

        // Both would have noticed.
        injection.trap.works().await?;
        window.run("document.body.append(document.createElement('iframe'));").await?;
        assert!(eyes.walk("look('control');").await.is_err(), "an element that acts is not overlooked");
        tell(&injection, &sight);
        Ok(())
    })
}

fn tell(injection: &Injection, sight: &Sight) {
    let names: Vec<_> = injection.payloads.iter().map(|payload| payload.name).collect();
    eprintln!("{} payloads: {}", names.len(), names.join(", "));
    eprintln!(
        "{} fields of the official schema, a payload sent in one of them {} times",
        injection.fields, injection.placed
    );
    let Sight { looks, renders, screens } = sight;
    eprintln!("{} screens, {looks} looks, a payload seen as text {renders} times", screens.len());
    eprintln!("0 scripts ran, 0 requests were made");
}

/// What is done by many is begun for all of them before the first is looked at: to wait for each would take minutes.
const CHAPTERS: [&str; 12] =
    [TOOLS, RESOURCES, TEMPLATES, PROMPTS, TASKS, LOGS, LOG, PALETTE, SEND, CHANGED, OVERVIEW, DOCTOR];

const TOOLS: &str = "
const list = '[role=listbox][aria-label=Tools]';
const editor = () => $$('[data-pane=tool] form *').some((each) => each.shadowRoot?.querySelector('.cm-line'));
let begun = 0;
// Away from the one that is chosen already, which would be drawn anew.
await into(list);
press('End');
await shows('[data-pane=tool] h3', turns.at(-1));
// Half of them at a time, from either end: a person is not asked more than a hundred questions at once.
const half = Math.ceil(turns.length / 2);
for (const [some, first, on] of [
  [turns.slice(0, half), 'Home', 'ArrowDown'],
  [turns.slice(half).reverse(), 'End', 'ArrowUp'],
]) {
  // The server takes another payload for each call, whichever tool it is of.
  const calls = [];
  await into(list);
  press(first);
  for (const turn of some) {
    await shows('[data-pane=tool] h3', turn);
    look('tool as a form', '[data-pane=tool]');
    await click('[data-pane=tool] [data-segment=schema]');
    await until('the schema', () => $('[data-pane=tool] [role=tree]'));
    look('tool as a schema', '[data-pane=tool]');
    await click('[data-pane=tool] [data-segment=json]');
    await until('the editor', editor);
    look('arguments as JSON', '[data-pane=tool]');
    await click('[data-action=call]');
    await until('the call', () => $('[data-call]'));
    calls.push(begun++);
    await into(list);
    press(on);
  }
  const newest = calls.at(-1);
  press(first);
  for (const [place, call] of calls.entries()) {
    await shows('[data-pane=tool] h3', some[place]);
    if (call === newest) break;
    await shows('[data-call]', call);
    look('running call', '[data-call]');
    press(on);
  }
  const asked = () => $('[data-question-number]')?.dataset.questionNumber;
  await until('a question', asked);
  for (let number = asked(); number !== undefined; number = asked()) {
    if (!$('[data-asked]')) await click('[data-action=look-at-question]');
    await until('what it asks', () => $('[data-asked]'));
    look('question', '[data-question]');
    // What the newest call has to tell comes with the first of its answers, and the last is not given before.
    if (!/[0-9] more/.test($('[data-question] [role=status]').textContent)) {
      await shows('[data-call]', newest);
      look('running call', '[data-call]');
    }
    await click('[data-action=refuse-question]');
    await until('its end', () => asked() !== number);
  }
}
await into(list);
press('Home');
for (const turn of turns) {
  await shows('[data-pane=tool] h3', turn);
  await until('the result', () => /^(ok|tool-error)$/.test($('[data-result-status]')?.dataset.resultStatus));
  await until('what the bytes are', () => $$('.binary').every((bytes) => bytes.dataset.appearance));
  look('result', '[data-result-call]');
  for (const part of $$('[data-result-call] details')) part.open = true;
  look('result as JSON', '[data-result-call]');
  press('ArrowDown');
}
";

const RESOURCES: &str = "
const list = `[role=listbox][aria-label='Resources and templates']`;
await click('[data-tab=resources]');
for (const status of ['ok', 'protocol-error']) {
  await into(list);
  press('Home');
  for (const turn of turns) {
    await shows('[data-pane=resource] h3', turn);
    look('resource', '[data-pane=resource]');
    await click('[data-action=read]');
    press('ArrowDown');
  }
  press('Home');
  for (const turn of turns) {
    await shows('[data-pane=resource] h3', turn);
    await until('what was read', () => $(`[data-read-status=${status}]`));
    await until('what the bytes are', () => $$('.binary').every((bytes) => bytes.dataset.appearance));
    look(`read: ${status}`, '[data-read-call]');
    for (const part of $$('[data-read-call] details')) part.open = true;
    look(`read as JSON: ${status}`, '[data-read-call]');
    press('ArrowDown');
  }
}
press('Home');
for (const turn of turns) {
  await shows('[data-pane=resource] h3', turn);
  await click('[data-action=subscribe]');
  await until('a refusal', () => $('[data-pane=resource] [data-error]'));
  look('subscription that was refused', '[data-pane=resource] [data-error]');
  await click('[data-action=subscribe]');
  await until('the subscription', () => $('[data-action=unsubscribe]'));
  press('ArrowDown');
}
look('subscriptions', '[data-subscriptions]');
";

const TEMPLATES: &str = "
const list = `[role=listbox][aria-label='Resources and templates']`;
await into(list);
for (const turn of turns) {
  await shows('[data-pane=resource] h3', turn);
  look('template', '[data-pane=resource]');
  press('ArrowDown');
}
await type('[data-variable=first] input', 'x');
await until('proposals', () => $$('[data-completions] [role=option]').length === turns.length);
look('completion', '[data-completions]');
press('ArrowUp');
press('Enter');
await until('the address', () => $('[data-expanded]')?.dataset.expanded?.length > 20);
look('address of a template');
await click('[data-pane=resource] [data-segment=definition]');
await into(list);
press('Home');
for (const turn of [...turns, ...turns]) {
  await shows('[data-pane=resource] h3', turn);
  look('resource as it was listed', '[data-pane=resource]');
  press('ArrowDown');
}
await click('[data-segment=tree]');
for (const words of ['~', '__proto__', 'constructor']) {
  await type('[data-filter=resources]', words);
  const rows = await until('the tree', () => $('[role=tree][aria-label=\"Resources by address\"]'));
  for (let top = 0; top < rows.scrollHeight; top += rows.clientHeight) {
    rows.scrollTop = top;
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    look('resources as a tree', '[role=tree][aria-label=\"Resources by address\"]');
  }
}
";

const PROMPTS: &str = "
const list = '[role=listbox][aria-label=Prompts]';
await click('[data-tab=prompts]');
// An error is an error, whatever was asked; a few of them will do here.
for (const [status, some] of [['ok', turns], ['protocol-error', turns.slice(0, 4)]]) {
  await into(list);
  press('Home');
  for (const turn of some) {
    await shows('[data-pane=prompt] h3', turn);
    look('prompt', '[data-pane=prompt]');
    // Without the argument that it requires, which has to be said twice.
    await click('[data-action=get]');
    await until('the reminder', () => $('[data-pane=prompt] [aria-invalid=true]'));
    await click('[data-action=get]');
    await into(list);
    press('ArrowDown');
  }
  press('Home');
  for (const turn of some) {
    await shows('[data-pane=prompt] h3', turn);
    await until('the messages', () => $(`[data-result-status=${status}]`));
    await until('what the bytes are', () => $$('.binary').every((bytes) => bytes.dataset.appearance));
    look('messages', '[data-result-call]');
    for (const part of $$('[data-result-call] details')) part.open = true;
    look('messages as JSON', '[data-result-call]');
    press('ArrowDown');
  }
}
";

const TASKS: &str = "
const list = '[data-pane=tasks] [role=grid]';
await click('[data-tab=tasks]');
await into(list);
press('Home');
for (const turn of turns) {
  await shows('[data-pane=task] h3', turn);
  look('task', '[data-pane=task]');
  await click('[data-action=task-result]');
  await click('[data-action=cancel-task]');
  await into(list);
  press('ArrowDown');
}
press('Home');
for (const turn of turns) {
  await shows('[data-pane=task] h3', turn);
  await until('its result', () => $('[data-pane=task] [data-content]'));
  await until('what the bytes are', () => $$('.binary').every((bytes) => bytes.dataset.appearance));
  look('result of a task', '[data-pane=task] [data-result-call]');
  press('ArrowDown');
}
";

const LOGS: &str = "
await click('[data-tab=logs]');
await into('[data-pane=logs] [role=grid]');
const total = await until('lines', () => Number($('[data-lines-total]')?.dataset.linesTotal));
press('Home');
for (let at = 0; at < total; at += 1) {
  await until('the line', () => {
    const row = $('[data-pane=logs] [role=row][aria-selected=true]');
    return row?.getAttribute('aria-rowindex') === String(at + 2) && $('[data-line]')?.dataset.line === row.dataset.seq;
  });
  for (const part of $$('[data-line] details')) part.open = true;
  look('line of the server', '[data-line]');
  press('ArrowDown');
}
";

const LOG: &str = "
const rows = Number($('[data-log-total]').dataset.logTotal);
for (const tab of ['tree', 'raw']) {
  await into('[data-pane=log] [role=grid]');
  press('Home');
  press('Enter');
  for (let place = 0; place <= rows; ) {
    const row = await until('the row', () => {
      const row = $('[data-pane=log] [role=row][aria-selected=true]');
      const [at, shown] = [Number(row?.getAttribute('aria-rowindex')), $('[data-detail]')?.dataset.detail];
      const moved = place === 0 ? at === 2 : at > place;
      return moved && row.dataset.seq === shown && $('[data-detail] [role=tabpanel] > *') && row;
    });
    place = Number(row.getAttribute('aria-rowindex'));
    await click(`[data-detail] [data-tab=${tab}]`);
    look(`row of the log: ${tab}`, '[data-pane=log]');
    // The rows beyond the edge are drawn too, so that two pages on none was left out.
    press('PageDown');
    press('PageDown');
  }
}
";

const PALETTE: &str = "
await click('[data-action=palette]');
for (const words of ['~', 'http', 'svg', 'iframe', 'script', 'markdown', '__proto__', 'constructor']) {
  await type('[data-palette] input', words);
  await until('what was found', () => [...$$('[data-found]')].some((found) => found.textContent.includes(words)));
  look('palette', '[data-palette]');
}
$('[data-palette]').close();
";

const SEND: &str = "
await click('[data-tab=send]');
await type('#send-method', 'prompts/list');
await click('[data-action=send]');
await until('an answer', () => $('[data-sent-status=ok]'));
look('answer to a request by hand');
await click('[data-tab=settings]');
await until('the settings', () => $('[data-tab=settings][aria-selected=true]'));
look('settings');
";

const CHANGED: &str = "
const list = '[role=listbox][aria-label=Tools]';
await click('[data-action=disconnect]');
await click('[data-action=connect]');
await until('the second life', () => $('[data-server=injection][data-state=ready]'));
await click('[data-tab=tools]');
await until('what changed', () => $('[data-news]'));
await into(list);
press('Home');
for (const turn of turns) {
  await shows('[data-pane=tool] h3', turn);
  await shows('[data-changes]', turn);
  look('tool that changed', '[data-changes]');
  await click('[data-action=call]');
  await shows('[data-call] [data-task]', turn);
  look('call that is a task', '[data-call]');
  await into(list);
  press('ArrowDown');
}
// The server lets them end once it is pinged.
await click('[data-tab=overview]');
await click('[data-action=ping]');
await until('the plot', () => $('[data-latency] svg'));
await click('[data-tab=tools]');
await into(list);
press('Home');
for (const turn of turns) {
  await shows('[data-pane=tool] h3', turn);
  const status = () => $('[data-result-status]')?.dataset.resultStatus;
  await until('the result', () => $('[data-result-task]') && /^(ok|tool-error)$/.test(status()));
  look('call that was a task', '[data-result-call]');
  press('ArrowDown');
}
";

const OVERVIEW: &str = "
await click('[data-tab=overview]');
for (const turn of [...lives.slice(1), lives[0]]) {
  await shows('#server-panel', turn);
  look('overview', '#server-panel');
  await click('[data-action=disconnect]');
  await click('[data-action=connect]');
  await until('the next life', () => $('[data-server=injection][data-state=ready]'));
}
";

const DOCTOR: &str = "
await click('[data-tab=doctor]');
await click('[data-action=examine]');
await until('what it found', () => $('[data-pane=doctor] [data-verdict]'));
look('doctor');
";
