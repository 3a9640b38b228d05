// Generated from crates/sonde-app by `make bindings`. Do not edit.

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

export type Call = { id: number, server: string, tool: string, 
/**
 * JSON text of the arguments that were sent.
 */
arguments: string, status: CallStatus, 
/**
 * Milliseconds since 1970.
 */
started: number, 
/**
 * Known once the call has ended.
 */
elapsed_ms: number | null, progress: Progress | null, result: Payload | null, error: ApiError | null, 
/**
 * The JSON-RPC id, verbatim, which is also the `id` of the row in the log.
 */
request_id: string, };

export type CallList = { calls: Array<Call>, };

export type CallRequest = { call: number, };

export type CallStatus = "running" | "ok" | "tool-error" | "protocol-error" | "cancelled" | "timeout" | "lost";

export type CallToolRequest = { server: string, tool: string, arguments: string, };

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
 * Calls that changed since the revision asked about.
 */
calls: Array<number>, };

export type ChangesRequest = { since: number, };

export type ConfigProblem = { file: string, error: ApiError, };

export type Direction = "out" | "in";

export type ErrorCode = "invalid-request" | "too-large" | "busy" | "unknown-server" | "unknown-tool" | "unknown-call" | "unknown-row" | "not-ready" | "approval-needed" | "approval-denied" | "configuration" | "start-failed" | "handshake-failed" | "connection-lost" | "server-error" | "timeout" | "cancelled" | "storage" | "internal";

export type Fact = { name: string, value: string, };

export type Finding = { code: string, severity: Severity, message: string, 
/**
 * The rule that was broken, as the specification names it.
 */
rule: string | null, };

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
digest: string | null, };

export type FramePart = { offset: number, base64: string, 
/**
 * Bytes in this part; none beyond the end.
 */
size: number, };

export type FrameRequest = { seq: number, index: number, offset: number, };

export type Launch = { command: string, 
/**
 * The binary that `command` resolves to; none when it can't be found.
 */
resolved: string | null, args: Array<string>, folder: string, env_names: Array<string>, };

export type Layer = "built-in" | "global" | "project" | "typed";

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
 * Tool, uri or prompt; for stderr, marks and unparsable lines the text itself.
 */
target: string | null, id: string | null, status: RowStatus | null, code: number | null, dur_ms: number | null, size: number, findings: Array<Finding>, };

/**
 * Which rows a log view shows; an absent field does not restrict.
 */
export type LogView = { server: string | null, kind: RowKind | null, };

/**
 * For commands that take or give nothing.
 */
export type Nothing = Record<string, never>;

export type Origin = { layer: Layer, file: string | null, };

export type Payload = { 
/**
 * JSON text, verbatim; the first part of it when `shown` is less than `size`.
 */
text: string, shown: number, size: number, };

export type Progress = { progress: number, total: number | null, message: string | null, };

export type RowDetail = { row: LogRow, frames: Array<FrameDetail>, };

export type RowKind = "exchange" | "notification" | "orphan" | "unparsable" | "stderr" | "mark";

export type RowRequest = { seq: number, };

export type RowStatus = "pending" | "ok" | "tool-error" | "protocol-error" | "cancelled" | "late" | "timeout" | "unanswered" | "lost";

export type ServerDetail = { summary: ServerSummary, launch: Launch, 
/**
 * JSON text, verbatim, of what the server said of itself in `initialize`.
 */
server_info: string | null, server_capabilities: string | null, client_capabilities: string, instructions: string | null, exit: string | null, stderr_tail: Array<string>, };

export type ServerList = { servers: Array<ServerSummary>, problems: Array<ConfigProblem>, };

export type ServerRequest = { server: string, };

export type ServerState = "stopped" | "starting" | "ready" | "stopping" | "failed";

export type ServerSummary = { id: string, origin: Origin, transport: string, state: ServerState, 
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
latency_ms: number | null, tool_count: number | null, 
/**
 * Bumped whenever the tools change; a window refetches them only then.
 */
catalog_revision: number, problem: ApiError | null, };

export type Severity = "note" | "warning" | "error";

export type ToolCallsRequest = { server: string, tool: string, };

export type ToolDetail = { summary: ToolSummary, description: string | null, 
/**
 * JSON texts, verbatim.
 */
input_schema: string | null, output_schema: string | null, definition: string, };

export type ToolHints = { read_only: boolean | null, destructive: boolean | null, idempotent: boolean | null, open_world: boolean | null, };

export type ToolList = { tools: Array<ToolSummary>, 
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
 * Why this entry can't be called, if it can't.
 */
problem: string | null, };

/** Every command: what it takes and what it gives. */
export type Commands = {
  list_servers: [Nothing, ServerList];
  describe_server: [ServerRequest, ServerDetail];
  connect_server: [ServerRequest, Nothing];
  disconnect_server: [ServerRequest, Nothing];
  list_tools: [ServerRequest, ToolList];
  describe_tool: [ToolRequest, ToolDetail];
  call_tool: [CallToolRequest, Call];
  list_calls: [ToolCallsRequest, CallList];
  read_call: [CallRequest, Call];
  cancel_call: [CallRequest, Nothing];
  query_log: [LogRequest, LogPage];
  read_row: [RowRequest, RowDetail];
  read_frame: [FrameRequest, FramePart];
  wait_changes: [ChangesRequest, Changes];
  report_ready: [Nothing, Nothing];
};
