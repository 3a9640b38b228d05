// Generated from crates/sonde-app by `make bindings`. Do not edit.

export type AcceptRequest = { server: string, 
/**
 * None means all of them.
 */
tool: string | null, 
/**
 * Of the list that the person looked at; another one by now is refused.
 */
catalog_revision: number, };

/**
 * The result or the error, and not both.
 */
export type AnswerRequest = { number: number, 
/**
 * JSON text of an object.
 */
result: string | null, error: ReplyError | null, };

export type ApiError = { 
/**
 * What callers branch on.
 */
code: ErrorCode, title: string, message: string, hint: string | null, 
/**
 * The causes, outermost first.
 */
chain: Array<string>, 
/**
 * Named facts: command, exit code, stderr lines, file.
 */
context: Array<Fact>, };

/**
 * As what a page may show bytes.
 */
export type Appearance = "image" | "audio" | "bytes";

/**
 * What the tool's schema says of arguments. They can be sent all the same.
 */
export type ArgumentsCheck = { violations: Array<Violation>, 
/**
 * Why nothing was checked, if nothing was.
 */
note: string | null, };

/**
 * The order of the servers and their groups, for the eye alone.
 */
export type Arrangement = { 
/**
 * Servers that are not named follow in the order of their files.
 */
groups: Array<Group>, };

export type Call = { id: number, server: string, method: string, 
/**
 * What the request is about, whole: the tool, the uri, the prompt.
 */
target: string | null, 
/**
 * The tool of a `tools/call`; empty for any other request.
 */
tool: string, 
/**
 * JSON text of the arguments of a tool, or of the params of another request, as far as they are kept.
 */
arguments: string, status: CallStatus, 
/**
 * Milliseconds since 1970.
 */
started: number, 
/**
 * Known once the call has ended.
 */
elapsed_ms: number | null, progress: Progress | null, 
/**
 * The task that the server made of it, as it was last heard of.
 */
task: TaskSummary | null, result: Payload | null, error: ApiError | null, 
/**
 * Where `structuredContent` is not what the tool's `outputSchema` says.
 */
violations: Array<Violation>, 
/**
 * What could not be checked, and why.
 */
note: string | null, 
/**
 * The JSON-RPC id, verbatim, which is also the `id` of the row in the log.
 */
request_id: string, };

export type CallList = { calls: Array<Call>, };

export type CallRequest = { call: number, };

export type CallStatus = "running" | "ok" | "tool-error" | "protocol-error" | "cancelled" | "timeout" | "lost";

export type CallToolRequest = { server: string, tool: string, arguments: string, 
/**
 * Whether arguments that do not fit the tool's schema are refused; they are sent if not given.
 */
validate?: boolean, 
/**
 * JSON text of an object whose members go into `_meta`.
 */
meta?: string, timeout_ms?: number, 
/**
 * Set where the call is to become a task; its result is then the call's.
 */
task?: TaskRequest, };

/**
 * The calls about one thing.
 */
export type CallsRequest = { server: string, method: string, 
/**
 * The tool, the uri or the prompt.
 */
target: string, };

export type CatalogName = "tools" | "resources" | "templates" | "prompts";

export type Changes = { revision: number, log_total: number, 
/**
 * Bytes of the log on disk.
 */
log_bytes: number, 
/**
 * Frames that could not be written; zero unless the disk failed.
 */
log_lost: number, 
/**
 * Why recording is not going to disk, if it is not.
 */
recording_problem: string | null, 
/**
 * Bumped when any server's state changes.
 */
servers_revision: number, 
/**
 * Bumped when a question is asked, answered or withdrawn.
 */
questions_revision: number, 
/**
 * Calls that changed since the revision asked about.
 */
calls: Array<number>, };

export type ChangesRequest = { since: number, };

export type CheckAnswerRequest = { number: number, 
/**
 * JSON text of the `content` of an answer.
 */
content: string, };

/**
 * Arguments that a person is still writing.
 */
export type CheckArgumentsRequest = { server: string, tool: string, arguments: string, };

export type CommandLaunch = { command: string, 
/**
 * The binary that `command` resolves to; none when it can't be found.
 */
resolved: string | null, args: Array<string>, folder: string, env_names: Array<string>, };

export type CompleteRequest = { server: string, of: CompletionOf, 
/**
 * The name of the prompt, or the template itself.
 */
name: string, argument: string, 
/**
 * What was typed so far.
 */
value: string, 
/**
 * The other arguments, as far as they are given.
 */
context: Record<string, string>, };

/**
 * What an argument belongs to.
 */
export type CompletionOf = "prompt" | "template";

export type Completions = { 
/**
 * At most a hundred.
 */
values: Array<string>, 
/**
 * How many there are, as the server says.
 */
total: number | null, has_more: boolean, };

/**
 * One file that may hold servers.
 */
export type ConfigFile = { origin: Origin, exists: boolean, 
/**
 * Names of its entries, those that a nearer file hides too.
 */
servers: Array<FileEntry>, problems: Array<ApiError>, };

export type ConfigFiles = { 
/**
 * Nearest first.
 */
files: Array<ConfigFile>, };

export type ConfigProblem = { file: string, 
/**
 * A warning where the server is used all the same.
 */
severity: Severity, error: ApiError, };

export type Content = { 
/**
 * Bytes, decoded.
 */
size: number, 
/**
 * What they are by their own signature; whatever the server says of them.
 */
media: string | null, width: number | null, height: number | null, appearance: Appearance, 
/**
 * Why they are not shown as what they are meant to be.
 */
problem: string | null, };

export type ContentPart = { offset: number, 
/**
 * None beyond the end.
 */
base64: string, size: number, };

export type ContentPartRequest = { call: number, pointer: string, offset: number, };

/**
 * The base64 text that stands at a place of a call's result.
 */
export type ContentRequest = { call: number, 
/**
 * A JSON pointer into the result.
 */
pointer: string, };

/**
 * How the configuration of a server differs from what it was last connected with.
 */
export type Difference = { 
/**
 * The way to it, as in `args`, `env.API_KEY`.
 */
field: string, 
/**
 * As it is written down, secrets masked; none where it was absent.
 */
before: string | null, after: string | null, };

export type Direction = "out" | "in";

export type DraftReach = { "kind": "command", command: string, args: Array<string>, 
/**
 * None is the folder of the project.
 */
folder: string | null, env: Array<DraftValue>, env_passthrough: Array<string>, } | { "kind": "url", url: string, 
/**
 * `auto`, `http` or `sse`.
 */
dialect: string, headers: Array<DraftValue>, 
/**
 * How often a request that is safe to repeat is sent again to a busy server.
 */
retries: number | null, };

/**
 * What a draft would be, while it is written.
 */
export type DraftReport = { 
/**
 * The id that it would have.
 */
id: string | null, 
/**
 * How it would be launched; none while something is missing.
 */
launch: Launch | null, problems: Array<FieldProblem>, 
/**
 * What a person should look at twice.
 */
risks: Array<string>, 
/**
 * Fields whose plain texts are kept as secrets when it is saved, for they look like some: `env.API_KEY`.
 */
secret_fields: Array<string>, };

export type DraftText = { "kind": "plain", text: string, } | { "kind": "secret", value?: string, } | { "kind": "clear", };

/**
 * A variable or a header.
 */
export type DraftValue = { name: string, value: DraftText, 
/**
 * The name that it has in the file, where that is another: what is kept of it is kept under the new one.
 */
was?: string, };

export type EditPostureRequest = { server: string, edit: PostureEdit, };

export type EnableRequest = { server: string, enabled: boolean, };

export type EntryChange = "new" | "changed";

/**
 * An entry by its place in a list.
 */
export type EntryRequest = { server: string, index: number, };

export type ErrorCode = "invalid-request" | "invalid-arguments" | "too-large" | "busy" | "unknown-server" | "unknown-tool" | "unknown-entry" | "unknown-call" | "unknown-question" | "unknown-row" | "not-ready" | "objected" | "input-needed" | "disabled" | "approval-needed" | "approval-denied" | "configuration" | "conflict" | "pinned" | "place-needed" | "start-failed" | "handshake-failed" | "connection-lost" | "http-failed" | "server-error" | "timeout" | "cancelled" | "storage" | "internal";

export type Examination = { server: string, verdict: Verdict, 
/**
 * In one sentence: what was found.
 */
summary: string, 
/**
 * The most likely fix.
 */
fix: string | null, 
/**
 * Why it does not become ready.
 */
error: ApiError | null, 
/**
 * In the order in which they were done.
 */
steps: Array<Step>, 
/**
 * Where a bare command is looked for, in this order.
 */
path: Array<PathEntry>, environment: Array<VariableFact>, stderr_tail: Array<string>, };

export type ExpandRequest = { template: string, 
/**
 * Values by the names of the variables; one without a value is left out.
 */
values: Record<string, string>, };

export type Expanded = { uri: string, };

export type ExportRequest = { 
/**
 * None is every server that is written down.
 */
servers?: Array<string>, 
/**
 * One of [`Shapes`].
 */
shape: string, };

export type Exported = { text: string, file_name: string, 
/**
 * `json`, `toml` or `yaml`.
 */
language: string, 
/**
 * What the shape can't say, and which secrets stand there as references.
 */
notices: Array<string>, };

export type Fact = { name: string, value: string, };

export type FieldProblem = { 
/**
 * The way to it, as in `name`, `command`, `env.API_KEY`.
 */
field: string, message: string, };

export type FileEntry = { name: string, 
/**
 * The layer of the file that hides it.
 */
hidden_by: Layer | null, };

export type Finding = { code: string, severity: Severity, message: string, 
/**
 * The rule that was broken, as the specification names it.
 */
rule: string | null, };

export type FoundFile = { 
/**
 * Names it in a later request.
 */
id: string, 
/**
 * Like `Claude Desktop`.
 */
client: string, 
/**
 * With `~` for the home folder.
 */
file: string, offer: Offer, };

/**
 * Every file of another client that was looked for and is there. Nothing is started or fetched by looking.
 */
export type FoundFiles = { files: Array<FoundFile>, 
/**
 * Where else was looked, for a person who misses one.
 */
looked: Array<LookedAt>, };

export type FrameDetail = { index: number, dir: Direction, time: string, size: number, 
/**
 * Bytes that were kept; less than `size` where the frame was cut on arrival.
 */
kept: number, 
/**
 * The first bytes of the frame, at most 256 KiB: as text if they are UTF-8, otherwise as base64.
 */
text: string | null, base64: string | null, shown: number, 
/**
 * Set where the frame itself was cut on arrival: its SHA-256.
 */
digest: string | null, 
/**
 * The HTTP exchange that it travelled in.
 */
http: number | null, 
/**
 * Set where it was an event of a stream.
 */
event: SseEvent | null, };

export type FramePart = { offset: number, base64: string, 
/**
 * Bytes in this part; none beyond the end.
 */
size: number, };

export type FrameRequest = { seq: number, index: number, offset: number, };

/**
 * A tool that the person has seen and that is not there any more.
 */
export type GoneTool = { name: string, pinned: boolean, };

export type Group = { 
/**
 * Empty for those in no group.
 */
name: string, servers: Array<string>, };

/**
 * A part of a text that is too long for one request.
 */
export type HandOverRequest = { 
/**
 * What the first part was answered with; none begins another text.
 */
handed?: string, part: string, };

export type HandedOver = { 
/**
 * Names the text in a later request.
 */
handed: string, };

export type Hit = { kind: HitKind, server: string, 
/**
 * The name of a tool or prompt, the URI of a resource, the template itself.
 */
name: string, title: string | null, 
/**
 * `mcp:<server>.<tool>` for a tool.
 */
full_name: string | null, };

export type HitKind = "server" | "tool" | "resource" | "template" | "prompt";

/**
 * One HTTP request and what came of it. Secrets are masked.
 */
export type HttpDetail = { 
/**
 * Counted from 1 within the connection.
 */
number: number, 
/**
 * The exchange that this one repeats or goes on with: after a redirect, a retry, or the break of a stream.
 */
follows: number | null, method: string, url: string, 
/**
 * RFC 3339 with nanoseconds, UTC.
 */
started: string, request_headers: Array<HttpHeader>, 
/**
 * None until the server answered, as are version and headers.
 */
status: number | null, 
/**
 * `HTTP/1.1`, `HTTP/2.0`.
 */
version: string | null, response_headers: Array<HttpHeader>, phases_ms: HttpPhases, 
/**
 * None where the connection is not encrypted.
 */
tls: TlsFacts | null, traffic: HttpTraffic, 
/**
 * Milliseconds from the start to the end; None while it goes on.
 */
after_ms: number | null, 
/**
 * Why it did not do what it was for.
 */
problem: string | null, };

/**
 * A header as it was on the wire; the same name may come several times.
 */
export type HttpHeader = { name: string, value: string, };

/**
 * How long each part of an exchange took, in milliseconds. What did not happen is absent: on a connection that was
 * used before there is neither look-up nor handshake.
 */
export type HttpPhases = { dns: number | null, connect: number | null, tls: number | null, first_byte: number | null, body: number | null, };

/**
 * Bytes, by what became of them. `body` is the sum of recorded, comments, framing and dropped.
 */
export type HttpTraffic = { 
/**
 * Of our body.
 */
sent: number, 
/**
 * Of the server's body, decompressed where it was compressed.
 */
body: number, 
/**
 * Kept as frames, whole or with the digest of what was cut.
 */
recorded: number, 
/**
 * Of comments in an event stream.
 */
comments: number, 
/**
 * Names of fields, ids, line ends and the like.
 */
framing: number, 
/**
 * Read and not kept, because a limit was passed.
 */
dropped: number, events: number, comment_lines: number, 
/**
 * Of the body on the wire, where it was compressed.
 */
compressed: number, };

export type Icon = { media: string, base64: string, };

/**
 * What is done with one entry; what is not named is skipped.
 */
export type ImportChoice = { name: string, 
/**
 * As the offer has it: the same name may stand there for several projects.
 */
project?: string, 
/**
 * Another name for it.
 */
rename?: string, 
/**
 * Takes the place of the server of that name. Without it a name that is taken is refused.
 */
replace: boolean, };

/**
 * A server of that id is there already.
 */
export type ImportConflict = { server: string, file: string | null, layer: Layer, 
/**
 * Nothing would change.
 */
same: boolean, 
/**
 * A free name.
 */
free: string, };

export type ImportRequest = { source: ImportSource, choices: Array<ImportChoice>, target: Target, };

export type ImportSource = { "kind": "file", id: string, } | { "kind": "text", text: string, file_name?: string, 
/**
 * As in [`ReadOfferRequest`].
 */
handed?: string, };

export type Importable = { name: string, 
/**
 * The folder of the project that its client has it for, where that is another than ours.
 */
project: string | null, 
/**
 * The id that it gets unless it is renamed.
 */
id: string, launch: Launch, enabled: boolean, 
/**
 * Values that will be kept in the keyring, by the name of their variable or header.
 */
secrets: Array<string>, conflict: ImportConflict | null, 
/**
 * What a person should look at twice.
 */
risks: Array<string>, };

export type Imported = { servers: Array<string>, file: string, notices: Array<string>, };

/**
 * Where secrets are kept.
 */
export type Keeper = { kind: KeeperKind, 
/**
 * Why not in the keyring, and what that means.
 */
notice: string | null, };

export type KeeperKind = "keyring" | "memory";

/**
 * How a server is reached, without anything secret.
 */
export type Launch = { "kind": "command" } & CommandLaunch | { "kind": "url" } & UrlLaunch;

export type Layer = "built-in" | "global" | "ancestor" | "project" | "typed";

/**
 * Log messages and stderr: which of them, how grave, and with which words.
 */
export type LineView = { 
/**
 * `notifications/message`.
 */
messages: boolean, stderr: boolean, 
/**
 * The least level of a message; stderr has none.
 */
level: string | null, 
/**
 * Only lines that have this in their first 64 KiB, whatever the case of its Latin letters.
 */
text: string | null, };

/**
 * An address that a question asks to visit, as it would be opened.
 */
export type LinkDetail = { url: string, 
/**
 * As the system sees it; empty where there is none.
 */
host: string, 
/**
 * What speaks against it, in words.
 */
warnings: Array<string>, 
/**
 * Why it is not opened, where it is not.
 */
refusal: string | null, };

export type ListProblem = { catalog: CatalogName, error: ApiError, };

export type ListSize = { catalog: CatalogName, entries: number, 
/**
 * Of the definitions, as they were sent.
 */
bytes: number, };

export type LogLevelRequest = { server: string, level: string, };

export type LogPage = { 
/**
 * How many rows the view has.
 */
total: number, 
/**
 * The place of the first row returned, counted from the oldest.
 */
first: number, rows: Array<LogRow>, };

export type LogRequest = { view: LogView, first: number, count: number, };

export type LogRow = { seq: number, 
/**
 * RFC 3339 with nanoseconds, UTC.
 */
time: string, connection: number, server: string, dir: Direction, kind: RowKind, method: string | null, 
/**
 * Tool, uri or prompt; for stderr, marks and unparsable lines the text itself; for HTTP the path.
 */
target: string | null, 
/**
 * Of a request, verbatim; for HTTP the number of the exchange.
 */
id: string | null, status: RowStatus | null, 
/**
 * Of a JSON-RPC error; the status code where the row is an HTTP exchange.
 */
code: number | null, dur_ms: number | null, size: number, findings: Array<Finding>, };

export type LogRows = { rows: Array<LogRow>, 
/**
 * How many there are beyond these.
 */
more: number, };

/**
 * Which rows a log view shows; an absent field does not restrict.
 */
export type LogView = { server: string | null, kind: RowKind | null, connection?: number, 
/**
 * Only rows whose `seq` is higher.
 */
after?: number, 
/**
 * Only what a server says of its work.
 */
lines?: LineView, };

export type LookedAt = { client: string, file: string, };

/**
 * A tool by its name, since it may be gone.
 */
export type NamedTool = { server: string, tool: string, };

/**
 * For commands that take or give nothing.
 */
export type Nothing = Record<string, never>;

/**
 * What a file or a pasted text has to offer.
 */
export type Offer = { 
/**
 * Like `Claude Desktop`, `VS Code`, `Codex`: the shape that it is written in.
 */
shape: string, servers: Array<Importable>, 
/**
 * Entries that can't be used, and what is odd about those that can.
 */
problems: Array<ApiError>, };

export type Origin = { layer: Layer, 
/**
 * With `~` for the home folder.
 */
file: string | null, };

export type PathEntry = { folder: string, 
/**
 * Like `PATH`, `login shell`, `nvm`.
 */
source: string, exists: boolean, };

export type Payload = { 
/**
 * JSON text, verbatim; the first part of it when `shown` is less than `size`.
 */
text: string, shown: number, size: number, };

export type PinRequest = { server: string, tool: string, pinned: boolean, 
/**
 * Of the list that the person looked at; another one by now is refused.
 */
catalog_revision: number, };

export type Pong = { 
/**
 * How long the answer took.
 */
ms: number, };

/**
 * What holds the next time the server is connected.
 */
export type PostureDetail = { 
/**
 * JSON texts.
 */
client_info: string, capabilities: string, 
/**
 * A revision, or `auto`.
 */
protocol: string, 
/**
 * False: connected without `initialize`.
 */
negotiate: boolean, 
/**
 * Absolute folders.
 */
roots: Array<string>, 
/**
 * Bytes beyond which a line is cut; none means the limit of the transport.
 */
longest_line: number | null, timeout_ms: number, connect_timeout_ms: number, silence_ms: number | null, 
/**
 * What of it a person edited.
 */
edited: PostureEdit, 
/**
 * The revisions there are, oldest first.
 */
revisions: Array<string>, };

/**
 * An absent field is as the server's configuration says.
 */
export type PostureEdit = { client_info: string | null, capabilities: string | null, protocol: string | null, negotiate: boolean | null, roots: Array<string> | null, longest_line: number | null, timeout_ms: number | null, connect_timeout_ms: number | null, silence_ms: number | null, };

export type ProcessFacts = { pid: number, 
/**
 * When it was started, in milliseconds since 1970.
 */
started: number, 
/**
 * Of the process and all its descendants; none where the system does not tell.
 */
memory: number | null, processes: number, };

export type Progress = { progress: number, total: number | null, message: string | null, };

export type PromptArgument = { name: string, title: string | null, description: string | null, required: boolean, };

export type PromptDetail = { summary: PromptSummary, 
/**
 * The name that it is asked for by; the summary may have only its beginning.
 */
name: string, description: string | null, definition: string, };

export type PromptList = { prompts: Array<PromptSummary>, complete: boolean, problem: string | null, };

export type PromptSummary = { index: number, name: string, title: string | null, description: string | null, arguments: Array<PromptArgument>, problem: string | null, };

export type Question = { number: number, server: string, 
/**
 * `sampling/createMessage` or `elicitation/create`.
 */
method: string, 
/**
 * JSON text, verbatim; only the beginning of it where it is `clipped`.
 */
params: string | null, clipped: boolean, 
/**
 * Bytes of all params.
 */
size: number, 
/**
 * Milliseconds since 1970.
 */
asked: number, 
/**
 * The call during which it was asked, where that is certain.
 */
call: number | null, 
/**
 * The task it belongs to.
 */
task: string | null, };

export type QuestionList = { 
/**
 * Oldest first.
 */
questions: Array<Question>, };

export type QuestionRequest = { number: number, };

export type RawCalls = { 
/**
 * One for each request with an id among the bytes.
 */
calls: Array<Call>, connection: number, 
/**
 * The last row of the log before the bytes.
 */
after: number, };

/**
 * Any bytes: as text, or as base64 where they are none.
 */
export type RawRequest = { server: string, text: string | null, base64: string | null, };

export type ReadOfferRequest = { 
/**
 * JSON, TOML or YAML.
 */
text: string, 
/**
 * Of the dropped file; its ending says what it is.
 */
file_name?: string, 
/**
 * What stands before the text, where all of it is too long for one request.
 */
handed?: string, };

export type RecallRequest = { server: string, method: string, target: string, };

export type Recalled = { 
/**
 * JSON text of the arguments that were last sent, if they were kept.
 */
arguments: string | null, };

export type RefreshRequest = { server: string, catalog: CatalogName, };

export type RefusedQuestions = { refused: number, };

export type Repeat = { id: number, server: string, tool: string, times: number, at_once: number, running: boolean, 
/**
 * Calls that ended, well or not.
 */
done: number, 
/**
 * Of these: the tool said that it failed, the server answered with an error, or no answer came.
 */
tool_errors: number, protocol_errors: number, unanswered: number, elapsed_ms: number, 
/**
 * Of the calls that were answered, in milliseconds.
 */
shortest_ms: number | null, p50_ms: number | null, p95_ms: number | null, p99_ms: number | null, longest_ms: number | null, 
/**
 * What the first failure said.
 */
first_error: ApiError | null, };

export type RepeatRequest = { repeat: number, };

export type RepeatToolRequest = { server: string, tool: string, arguments: string, times: number, 
/**
 * How many may be under way at the same time.
 */
at_once: number, };

export type ReplyError = { code: number, message: string, 
/**
 * JSON text.
 */
data: string | null, };

export type ResourceDetail = { summary: ResourceSummary, 
/**
 * The address that it is read by; the summary may have only its beginning.
 */
uri: string, description: string | null, 
/**
 * JSON text, verbatim.
 */
definition: string, };

export type ResourceList = { resources: Array<ResourceSummary>, 
/**
 * False while pages are still arriving.
 */
complete: boolean, 
/**
 * Why the listing stopped early, if it did.
 */
problem: string | null, };

export type ResourceSummary = { 
/**
 * The place in the list; the key, since addresses may repeat.
 */
index: number, uri: string, name: string, title: string | null, 
/**
 * The first 300 characters.
 */
description: string | null, mime_type: string | null, 
/**
 * Bytes, as the server says.
 */
size: number | null, 
/**
 * Why this entry can't be read, if it can't.
 */
problem: string | null, };

/**
 * The next try of a server that ended by itself.
 */
export type Retry = { attempt: number, most: number, 
/**
 * In milliseconds since 1970.
 */
at: number, };

export type RowDetail = { row: LogRow, frames: Array<FrameDetail>, 
/**
 * The HTTP exchanges that its frames travelled in, and those that followed them.
 */
http: Array<HttpDetail>, };

export type RowKind = "exchange" | "notification" | "orphan" | "unparsable" | "stderr" | "mark" | "http";

export type RowRequest = { seq: number, };

export type RowStatus = "pending" | "ok" | "tool-error" | "protocol-error" | "cancelled" | "late" | "timeout" | "unanswered" | "lost";

/**
 * Saves a call; one of the same name for the same thing is replaced.
 */
export type SaveCallRequest = { server: string, method: string, target: string, name: string, arguments: string, };

export type SaveContentRequest = { call: number, pointer: string, 
/**
 * What the file could be called; the person decides.
 */
name: string, };

export type SaveDraftRequest = { draft: ServerDraft, 
/**
 * The server that it takes the place of.
 */
replaces?: string, target: Target, };

export type Saved = { server: string, 
/**
 * The file that was written.
 */
file: string, 
/**
 * What a person should know, as that a secret is kept only until Sonde ends.
 */
notices: Array<string>, };

export type SavedCall = { id: number, server: string, method: string, 
/**
 * The tool, the uri or the prompt.
 */
target: string, 
/**
 * As the person named it.
 */
name: string, 
/**
 * JSON text.
 */
arguments: string, };

export type SavedCallList = { calls: Array<SavedCall>, };

export type SavedCallRequest = { id: number, };

export type SavedContent = { 
/**
 * Where it was written; none where the person decided against it.
 */
path: string | null, };

export type SearchRequest = { 
/**
 * Words; each must be in the name, the title or the server's name. Empty finds everything.
 */
query: string, 
/**
 * At most 200.
 */
limit: number, };

export type SearchResult = { hits: Array<Hit>, 
/**
 * How many there are, shown or not.
 */
total: number, };

export type SecretKind = "secret" | "input";

export type SecretList = { keeper: Keeper, 
/**
 * Every secret and input that the configuration of the server asks for.
 */
secrets: Array<SecretState>, };

export type SecretState = { 
/**
 * As in `${secret:NAME}` or `${input:NAME}`.
 */
name: string, kind: SecretKind, known: boolean, 
/**
 * What the configuration says about an input.
 */
description: string | null, 
/**
 * What is proposed for an input.
 */
default: string | null, 
/**
 * What an input may be; empty where it may be anything.
 */
options: Array<string>, 
/**
 * Nobody should see it while it is typed.
 */
password: boolean, };

/**
 * Any request, as a person wants it.
 */
export type SendRequest = { server: string, method: string, 
/**
 * JSON text.
 */
params: string | null, 
/**
 * JSON text of an object whose members go into `_meta`.
 */
meta: string | null, timeout_ms: number | null, 
/**
 * How long it may go without progress.
 */
silence_ms: number | null, 
/**
 * Set where the request is to become a task.
 */
task: TaskRequest | null, 
/**
 * Sent even if it does not fit what was agreed.
 */
anyway: boolean, 
/**
 * Whether arguments that do not fit a tool's schema are refused.
 */
validate: boolean, };

export type ServerDetail = { summary: ServerSummary, launch: Launch, 
/**
 * JSON text, verbatim, of what the server said of itself in `initialize`.
 */
server_info: string | null, server_capabilities: string | null, 
/**
 * What we declared, or will declare.
 */
client_capabilities: string, instructions: string | null, 
/**
 * The revision that we asked for.
 */
offered_revision: string | null, 
/**
 * What its lists come to.
 */
definitions: Array<ListSize>, 
/**
 * Masked; two that are the same look the same.
 */
session?: string, 
/**
 * There once an encrypted connection was made.
 */
tls?: TlsFacts, exit: string | null, stderr_tail: Array<string>, 
/**
 * There while a process of the server runs.
 */
process: ProcessFacts | null, 
/**
 * What a person should know of its newest start, as that a script is not the one they approved.
 */
notices: Array<string>, 
/**
 * How its configuration differs from what it was last connected with.
 */
differences: Array<Difference>, };

/**
 * A server in a form. Saving one starts nothing.
 */
export type ServerDraft = { name: string, reach: DraftReach, enabled: boolean, 
/**
 * Connected when Sonde starts.
 */
auto_start: boolean, 
/**
 * Like `30s`; none leaves it to what is usual.
 */
timeout: string | null, connect_timeout: string | null, 
/**
 * Ready only if the server has tools.
 */
fail_if_no_tools: boolean, 
/**
 * Connected again, with growing pauses, when it ends by itself.
 */
reconnect: boolean, 
/**
 * How often it is asked whether it is alive, like `30s`; none is never.
 */
ping: string | null, 
/**
 * Stands for the entry that it was read from. Whoever gives it back overwrites no other one.
 */
seen?: string, };

export type ServerList = { 
/**
 * In the order of the arrangement.
 */
servers: Array<ServerSummary>, arrangement: Arrangement, problems: Array<ConfigProblem>, keeper: Keeper, };

export type ServerRequest = { server: string, };

export type ServerState = "stopped" | "starting" | "ready" | "stopping" | "failed";

export type ServerSummary = { id: string, 
/**
 * As the configuration has it.
 */
name: string, origin: Origin, 
/**
 * The farther entries of the same name that it hides, nearest first.
 */
overrides: Array<Origin>, enabled: boolean, auto_start: boolean, 
/**
 * The configuration differs from what it was last connected with.
 */
changed: boolean, 
/**
 * How often it was started again since a person started it.
 */
restarts: number, 
/**
 * There while it waits to be connected again.
 */
retry: Retry | null, 
/**
 * `stdio`, `http` or `sse`.
 */
transport: string, state: ServerState, 
/**
 * When the state began, in milliseconds since 1970.
 */
since: number, 
/**
 * What a starting or stopping server is waiting for.
 */
phase: string | null, revision: string | null, pid: number | null, 
/**
 * Round trip of `initialize`, in milliseconds.
 */
latency_ms: number | null, tool_count: number | null, resource_count: number | null, template_count: number | null, prompt_count: number | null, 
/**
 * Bumped whenever a list of the server changes; a window refetches them only then.
 */
catalog_revision: number, 
/**
 * Bumped whenever a subscription, a task or the log level of the server changes.
 */
news_revision: number, 
/**
 * The level that was last set, once one was.
 */
log_level: string | null, problem: ApiError | null, 
/**
 * What is wrong with its configuration. An error: its entry can't be used, and it can't be connected. A warning: its
 * file can't be read now, and it goes by what that said before.
 */
flaw: ConfigProblem | null, 
/**
 * Lists that did not come, or not whole, though the server is ready; `refresh_catalog` asks again.
 */
list_problems: Array<ListProblem>, };

export type SetSecretRequest = { server: string, kind: SecretKind, name: string, 
/**
 * None forgets it.
 */
value?: string, };

export type SetVariableRequest = { name: string, 
/**
 * None removes it.
 */
value: string | null, };

export type Severity = "note" | "warning" | "error";

export type Shape = { id: string, name: string, 
/**
 * Where that client keeps it here, with `~` for the home folder.
 */
file: string | null, };

/**
 * The shapes that can be written.
 */
export type Shapes = { shapes: Array<Shape>, };

export type ShownHeader = { name: string, 
/**
 * Masked where it is a secret.
 */
value: string, };

/**
 * The fields of an event beside its data, as they stood in the stream.
 */
export type SseEvent = { id: string | null, name: string | null, 
/**
 * Milliseconds.
 */
retry: number | null, };

export type Step = { 
/**
 * Like `find the program`, `start the process`, `look up the host`.
 */
name: string, outcome: StepOutcome, 
/**
 * In one sentence.
 */
found: string, ms: number | null, facts: Array<Fact>, };

export type StepOutcome = "well" | "odd" | "ill" | "skipped";

/**
 * A resource whose updates the server was asked to tell of.
 */
export type Subscription = { uri: string, 
/**
 * In milliseconds since 1970.
 */
since: number, 
/**
 * How often the server said that it changed.
 */
updates: number, 
/**
 * When it did, newest first; at most fifty.
 */
recent: Array<number>, };

export type SubscriptionList = { subscriptions: Array<Subscription>, 
/**
 * Updates of resources that nobody subscribed to.
 */
unasked: number, 
/**
 * Events that came faster than they could be looked at; updates may be among them.
 */
missed: number, };

export type SubscriptionRequest = { server: string, uri: string, };

/**
 * Where something that is added goes.
 */
export type Target = "global" | "project";

export type TaskList = { tasks: Array<TaskSummary>, 
/**
 * Why the listing stopped early, if it did.
 */
problem: string | null, };

export type TaskName = { server: string, task: string, };

export type TaskRequest = { 
/**
 * How long the server should keep it.
 */
ttl_ms: number | null, };

export type TaskSummary = { id: string, 
/**
 * `working`, `input_required`, `completed`, `failed` or `cancelled`, or whatever the server says.
 */
status: string, message: string | null, 
/**
 * As the server wrote it.
 */
created: string | null, updated: string | null, 
/**
 * How long the server keeps it; none is without end, or unsaid.
 */
ttl_ms: number | null, poll_ms: number | null, 
/**
 * JSON text, verbatim.
 */
definition: string, 
/**
 * Why the entry can't be used, if it can't.
 */
problem: string | null, };

export type TemplateDetail = { summary: TemplateSummary, description: string | null, definition: string, };

export type TemplateList = { templates: Array<TemplateSummary>, complete: boolean, problem: string | null, };

export type TemplateSummary = { index: number, uri_template: string, name: string, title: string | null, description: string | null, mime_type: string | null, 
/**
 * The variables to fill in, in their order.
 */
variables: Array<string>, problem: string | null, };

/**
 * What was seen of the server's certificate and of the encryption.
 */
export type TlsFacts = { 
/**
 * `TLS 1.3`.
 */
version: string | null, subject: string, issuer: string, 
/**
 * The names that the certificate is for.
 */
names: Array<string>, 
/**
 * RFC 3339, UTC; empty where it is no time.
 */
not_before: string, not_after: string, 
/**
 * SHA-256 of the certificate, in hexadecimal.
 */
fingerprint: string, 
/**
 * Why it was trusted, in words.
 */
trusted: string, };

/**
 * A definition as the person has seen it, and as it is now.
 */
export type ToolChange = { 
/**
 * JSON texts; none where it was not there.
 */
before: string | null, after: string | null, 
/**
 * SHA-256 of each, in hexadecimal digits.
 */
before_sha256: string | null, after_sha256: string | null, 
/**
 * When the person saw the former, in milliseconds since 1970.
 */
seen: number | null, };

export type ToolDetail = { summary: ToolSummary, 
/**
 * The name that it is called by; the summary may have only its beginning.
 */
name: string, description: string | null, 
/**
 * JSON texts, verbatim.
 */
input_schema: string | null, output_schema: string | null, definition: string, 
/**
 * What became of its icons, where there are some that are not shown.
 */
icons: string | null, };

export type ToolHints = { read_only: boolean | null, destructive: boolean | null, idempotent: boolean | null, open_world: boolean | null, };

export type ToolList = { tools: Array<ToolSummary>, gone: Array<GoneTool>, 
/**
 * Which list it is: what the person says of it holds for no other.
 */
catalog_revision: number, 
/**
 * False while pages are still arriving.
 */
complete: boolean, 
/**
 * Why the listing stopped early, if it did.
 */
problem: string | null, };

export type ToolRequest = { server: string, index: number, };

export type ToolSummary = { 
/**
 * The place in the list; the key, since names may repeat.
 */
index: number, name: string, title: string | null, 
/**
 * The first 300 characters.
 */
description: string | null, hints: ToolHints, 
/**
 * `required`, `optional` or `forbidden`, as the server says.
 */
task: string | null, 
/**
 * The first that is a small picture within the entry itself; none is ever fetched.
 */
icon: Icon | null, 
/**
 * How it differs from what the person has seen.
 */
change: EntryChange | null, 
/**
 * It can't be called while it differs from what it was pinned as.
 */
pinned: boolean, 
/**
 * Why this entry can't be called, if it can't.
 */
problem: string | null, };

export type UrlLaunch = { 
/**
 * As it is written, its variables not filled in.
 */
url: string, 
/**
 * Whom it means: scheme, host and port.
 */
origin: string, 
/**
 * `auto`, `http` or `sse`.
 */
dialect: string, headers: Array<ShownHeader>, 
/**
 * None means as the environment says; `none` means directly.
 */
proxy: string | null, ca_file: string | null, client_certificate: string | null, client_key: string | null, 
/**
 * The one certificate that is trusted: `sha256:` and its digits.
 */
trust: string | null, };

export type Variable = { name: string, value: string, };

export type VariableFact = { name: string, 
/**
 * Masked where it is or may be a secret.
 */
value: string, 
/**
 * Like `allow-list`, `env_passthrough`, `env`, `env, from the keyring`.
 */
source: string, };

export type VariableList = { variables: Array<Variable>, };

export type Verdict = "well" | "odd" | "ill";

/**
 * One place where a value is not what its schema says.
 */
export type Violation = { 
/**
 * A JSON pointer into the value; empty for the whole.
 */
path: string, 
/**
 * A pointer to what would have to change: for a member that is missing or not allowed, the member.
 */
place: string, message: string, };

/** Every command: what it takes and what it gives. */
export type Commands = {
  list_servers: [Nothing, ServerList];
  describe_server: [ServerRequest, ServerDetail];
  connect_server: [ServerRequest, Nothing];
  disconnect_server: [ServerRequest, Nothing];
  disconnect_all: [Nothing, Nothing];
  examine_server: [ServerRequest, Examination];
  list_files: [Nothing, ConfigFiles];
  read_draft: [ServerRequest, ServerDraft];
  check_draft: [ServerDraft, DraftReport];
  save_draft: [SaveDraftRequest, Saved];
  duplicate_server: [ServerRequest, Saved];
  enable_server: [EnableRequest, Saved];
  remove_server: [ServerRequest, Nothing];
  arrange_servers: [Arrangement, Nothing];
  dismiss_difference: [ServerRequest, Nothing];
  find_clients: [Nothing, FoundFiles];
  hand_over: [HandOverRequest, HandedOver];
  read_offer: [ReadOfferRequest, Offer];
  import_servers: [ImportRequest, Imported];
  list_shapes: [Nothing, Shapes];
  export_servers: [ExportRequest, Exported];
  list_secrets: [ServerRequest, SecretList];
  set_secret: [SetSecretRequest, Nothing];
  search_entries: [SearchRequest, SearchResult];
  list_tools: [ServerRequest, ToolList];
  describe_tool: [ToolRequest, ToolDetail];
  describe_change: [NamedTool, ToolChange];
  accept_changes: [AcceptRequest, Nothing];
  pin_tool: [PinRequest, Nothing];
  list_resources: [ServerRequest, ResourceList];
  describe_resource: [EntryRequest, ResourceDetail];
  list_templates: [ServerRequest, TemplateList];
  describe_template: [EntryRequest, TemplateDetail];
  expand_template: [ExpandRequest, Expanded];
  list_prompts: [ServerRequest, PromptList];
  describe_prompt: [EntryRequest, PromptDetail];
  refresh_catalog: [RefreshRequest, Nothing];
  complete_argument: [CompleteRequest, Completions];
  subscribe_resource: [SubscriptionRequest, Nothing];
  unsubscribe_resource: [SubscriptionRequest, Nothing];
  list_subscriptions: [ServerRequest, SubscriptionList];
  list_tasks: [ServerRequest, TaskList];
  await_task: [TaskName, Call];
  cancel_task: [TaskName, Nothing];
  set_log_level: [LogLevelRequest, Nothing];
  ping_server: [ServerRequest, Pong];
  describe_posture: [ServerRequest, PostureDetail];
  edit_posture: [EditPostureRequest, PostureDetail];
  check_arguments: [CheckArgumentsRequest, ArgumentsCheck];
  call_tool: [CallToolRequest, Call];
  send_request: [SendRequest, Call];
  send_bytes: [RawRequest, RawCalls];
  list_calls: [CallsRequest, CallList];
  read_call: [CallRequest, Call];
  cancel_call: [CallRequest, Nothing];
  read_content: [ContentRequest, Content];
  read_content_part: [ContentPartRequest, ContentPart];
  save_content: [SaveContentRequest, SavedContent];
  repeat_tool: [RepeatToolRequest, Repeat];
  read_repeat: [RepeatRequest, Repeat];
  cancel_repeat: [RepeatRequest, Nothing];
  list_saved_calls: [Nothing, SavedCallList];
  save_call: [SaveCallRequest, SavedCall];
  remove_saved_call: [SavedCallRequest, Nothing];
  recall_arguments: [RecallRequest, Recalled];
  list_variables: [Nothing, VariableList];
  set_variable: [SetVariableRequest, VariableList];
  list_questions: [Nothing, QuestionList];
  answer_question: [AnswerRequest, Nothing];
  check_answer: [CheckAnswerRequest, ArgumentsCheck];
  refuse_questions: [ServerRequest, RefusedQuestions];
  look_at_link: [QuestionRequest, LinkDetail];
  open_link: [QuestionRequest, Nothing];
  query_log: [LogRequest, LogPage];
  read_row: [RowRequest, RowDetail];
  read_frame: [FrameRequest, FramePart];
  find_related: [RowRequest, LogRows];
  wait_changes: [ChangesRequest, Changes];
  report_ready: [Nothing, Nothing];
};
