import type {
  ApiError,
  Arrangement,
  ConfigFile,
  ConfigProblem,
  Difference,
  DraftReport,
  FieldProblem,
  Launch,
  ServerDraft,
  ServerSummary,
} from './bindings';

/** How a person has arranged the fake's servers. */
export const fakeArrangement: Arrangement = {
  groups: [
    { name: 'Shop', servers: ['filesystem', 'postgres', 'github'] },
    { name: '', servers: ['calendar', 'issues'] },
  ],
};

export const fakeProblems: ConfigProblem[] = [
  { file: '~/.config/sonde/servers.json', severity: 'error', error: brokenFile() },
  {
    file: '~/shop/.mcp.json',
    severity: 'warning',
    error: {
      code: 'configuration',
      title: 'Unknown field',
      message: 'server `calendar`: `timeOut` is not known and not used',
      hint: 'did you mean `timeout`',
      chain: [],
      context: [],
    },
  },
];

export const fakeFiles: ConfigFile[] = [
  {
    origin: { layer: 'project', file: '~/shop/.mcp.json' },
    exists: true,
    servers: ['filesystem', 'postgres', 'github', 'calendar', 'issues', 'renewing', 'weather', 'nightly'].map(
      (name) => ({ name, hidden_by: null }),
    ),
    problems: [fakeProblems[1]?.error].filter((error) => error !== undefined),
  },
  {
    origin: { layer: 'ancestor', file: '~/.mcp.json' },
    exists: true,
    servers: [
      { name: 'github', hidden_by: 'project' },
      { name: 'notes', hidden_by: null },
    ],
    problems: [],
  },
  {
    origin: { layer: 'global', file: '~/.config/sonde/servers.json' },
    exists: true,
    servers: [
      { name: 'filesystem', hidden_by: 'project' },
      { name: 'search-api', hidden_by: null },
      { name: 'sheets', hidden_by: null },
      { name: 'Postgres (staging)', hidden_by: null },
    ],
    problems: [brokenFile()],
  },
  {
    origin: { layer: 'global', file: '~/.config/sonde/servers.d/team.yaml' },
    exists: false,
    servers: [],
    problems: [],
  },
];

export const fakeDifferences: Difference[] = [
  {
    field: 'args',
    before: '["--root", "/home/ada/shop/data"]',
    after: '["--root", "/home/ada/shop/data with spaces", "--allow", "/home/ada/shop/exports"]',
  },
  { field: 'env.LOG_LEVEL', before: null, after: 'debug' },
  {
    field: 'env.DATABASE_URL',
    before: '‹secret:DATABASE_URL›',
    after: '‹secret:DATABASE_URL›, another value',
  },
  { field: 'timeout', before: '30s', after: null },
];

function brokenFile(): ApiError {
  return {
    code: 'configuration',
    title: 'Not valid JSON',
    message: 'line 14, column 5: a value is expected here, not a closing brace',
    hint: 'remove the comma after the last server, at the end of line 13',
    chain: [],
    context: [
      { name: 'file', value: '~/.config/sonde/servers.json' },
      { name: 'layer', value: 'global configuration' },
      {
        name: 'context',
        value:
          '12 |     "search-api": {\n13 |       "url": "http://search-api.example.com/sse",\n14 |     }\n   |     ^\n15 |   }',
      },
      { name: 'likely cause', value: 'a comma after the last member, which some clients let pass' },
      { name: 'likely cause', value: 'a line that was removed by hand together with its closing brace' },
    ],
  };
}

/** What the form is given of a server that exists. */
export function fakeDraft(server: ServerSummary, launch: Launch): ServerDraft {
  return {
    name: server.name,
    reach:
      launch.kind === 'command'
        ? {
            kind: 'command',
            command: launch.command,
            args: launch.args,
            folder: null,
            env: launch.env_names.map((name) => ({
              name,
              value: /url|key|token/i.test(name)
                ? { kind: 'secret' as const }
                : { kind: 'plain' as const, text: '${LOG_LEVEL:-info}' },
            })),
            env_passthrough: ['SSH_AUTH_SOCK'],
          }
        : {
            kind: 'url',
            url: launch.url,
            dialect: launch.dialect,
            headers: launch.headers.map(({ name, value }) => ({
              name,
              value: value.startsWith('‹')
                ? { kind: 'secret' as const }
                : { kind: 'plain' as const, text: value },
            })),
            retries: 3,
          },
    enabled: server.enabled,
    auto_start: server.auto_start,
    timeout: '30s',
    connect_timeout: null,
    fail_if_no_tools: false,
    reconnect: server.auto_start,
    ping: null,
  };
}

const known = new Set(['node', 'npx', 'uvx', 'docker', 'python3', 'sonde']);

/** What the core would say of a draft. */
export function fakeReport(draft: ServerDraft, taken: string[]): DraftReport {
  const problems: FieldProblem[] = [];
  const risks: string[] = [];
  const id = draft.name.trim().replaceAll(/[^\w.-]+/g, '-');
  if (draft.name === '') problems.push({ field: 'name', message: 'a name is needed' });
  else if (taken.includes(id)) problems.push({ field: 'name', message: `\`${id}\` is there already` });
  for (const field of ['timeout', 'connect_timeout', 'ping'] as const) {
    const text = draft[field];
    if (text !== null && !/^\d+(ms|s|m|h)$/.test(text))
      problems.push({ field, message: `\`${text}\` is no duration: write it like \`30s\` or \`2m\`` });
  }
  return {
    id: id === '' ? null : id,
    launch: launchOf(draft, problems, risks),
    problems,
    risks,
    secret_fields: [],
  };
}

function launchOf(draft: ServerDraft, problems: FieldProblem[], risks: string[]): Launch | null {
  const reach = draft.reach;
  if (reach.kind === 'url') {
    if (reach.url === '') return null;
    if (!URL.canParse(reach.url)) {
      problems.push({ field: 'url', message: 'this is no address: it begins with `https://`' });
      return null;
    }
    if (reach.url.startsWith('http:')) risks.push('the address is not encrypted');
    return {
      kind: 'url',
      url: reach.url,
      origin: new URL(reach.url).origin,
      dialect: reach.dialect,
      headers: reach.headers.map(({ name, value }) => ({
        name,
        value: value.kind === 'plain' ? value.text : `‹secret:${name}›`,
      })),
      proxy: null,
      ca_file: null,
      client_certificate: null,
      client_key: null,
      trust: null,
    };
  }
  if (reach.command === '') return null;
  const found = reach.command.startsWith('/') || known.has(reach.command);
  if (!found)
    problems.push({ field: 'command', message: `no program \`${reach.command}\` in the PATH it will get` });
  if (/(^|\/)(ba|z)?sh$/.test(reach.command)) risks.push('a shell runs whatever its arguments say');
  if (reach.args.includes('-y')) risks.push('`npx -y` downloads and runs a package without asking');
  for (const { name, value } of reach.env)
    if (value.kind === 'plain' && /\$\{(?!LOG_LEVEL)\w+\}/.test(value.text))
      problems.push({
        field: `env.${name}`,
        message: `the variable \`${/\$\{(\w+)/.exec(value.text)?.[1] ?? ''}\` is not set`,
      });
  return {
    kind: 'command',
    command: reach.command,
    resolved: found ? (reach.command.startsWith('/') ? reach.command : `/usr/bin/${reach.command}`) : null,
    args: reach.args,
    folder: reach.folder ?? '/home/ada/shop',
    env_names: [...reach.env.map(({ name }) => name), ...reach.env_passthrough],
  };
}
