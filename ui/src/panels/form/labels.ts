/** What the form calls a field that files have another name for. */
const labels: Record<string, string> = {
  name: 'Name',
  command: 'Command',
  args: 'Arguments',
  cwd: 'Folder',
  folder: 'Folder',
  env_passthrough: 'Passed on',
  url: 'URL',
  enabled: 'Enabled',
  auto_start: 'Connect when Sonde starts',
  reconnect: 'Connect again',
  fail_if_no_tools: 'Fail if it has no tools',
  timeout: 'A request may take',
  connect_timeout: 'Becoming ready may take',
  ping: 'Asked whether it is alive every',
};

/** A field of the form by the words that stand beside it; what has none is called what files call it. */
export function labelOf(field: string): string {
  return labels[field] ?? field;
}
