import type {
  ApiError,
  Exported,
  FoundFiles,
  Importable,
  Launch,
  Offer,
  ServerSummary,
  Shape,
} from './bindings';

function command(line: string[], env_names: string[] = [], resolved = true): Launch {
  const [program = '', ...args] = line;
  return {
    kind: 'command',
    command: program,
    resolved: resolved ? `/usr/bin/${program}` : null,
    args,
    folder: '/home/ada/shop',
    env_names,
  };
}

function url(address: string, headers: string[] = []): Launch {
  return {
    kind: 'url',
    url: address,
    origin: new URL(address).origin,
    dialect: 'auto',
    headers: headers.map((name) => ({ name, value: `‹secret:${name}›` })),
    proxy: null,
    ca_file: null,
    client_certificate: null,
    client_key: null,
    trust: null,
  };
}

function importable(name: string, launch: Launch, part: Partial<Importable> = {}): Importable {
  return {
    name,
    project: null,
    id: name,
    launch,
    enabled: true,
    secrets: [],
    conflict: null,
    risks: [],
    ...part,
  };
}

/** The files of other clients on the fake's machine. */
export const fakeFound: FoundFiles = {
  files: [
    {
      id: 'claude-desktop',
      client: 'Claude Desktop',
      file: '~/.config/Claude/claude_desktop_config.json',
      offer: {
        shape: 'Claude Desktop',
        servers: [
          importable('everything', command(['npx', '-y', '@modelcontextprotocol/server-everything']), {
            risks: ['`npx -y` downloads and runs a package without asking'],
          }),
          importable(
            'brave-search',
            command(['npx', '-y', '@brave/brave-search-mcp-server'], ['BRAVE_API_KEY']),
            {
              secrets: ['BRAVE_API_KEY'],
            },
          ),
          importable(
            'github',
            command(
              ['docker', 'run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server'],
              ['GITHUB_TOKEN'],
            ),
            {
              secrets: ['GITHUB_TOKEN'],
              conflict: {
                server: 'github',
                file: '~/shop/.mcp.json',
                layer: 'project',
                same: false,
                free: 'github-2',
              },
            },
          ),
          importable('filesystem', command(['mcp-server-filesystem', '--root', '/home/ada/shop/data']), {
            conflict: {
              server: 'filesystem',
              file: '~/shop/.mcp.json',
              layer: 'project',
              same: true,
              free: 'filesystem-2',
            },
          }),
        ],
        problems: [],
      },
    },
    {
      id: 'cursor',
      client: 'Cursor',
      file: '~/.cursor/mcp.json',
      offer: {
        shape: 'Cursor',
        servers: [
          importable(
            'brave-search',
            command(['npx', '-y', '@brave/brave-search-mcp-server'], ['BRAVE_API_KEY']),
            {
              secrets: ['BRAVE_API_KEY'],
            },
          ),
          importable('linear', url('https://mcp.linear.app/mcp', ['Authorization']), {
            secrets: ['Authorization'],
          }),
          importable('scratch', command(['/home/ada/bin/scratch-server', '--verbose'], [], false), {
            enabled: false,
          }),
        ],
        problems: [
          {
            code: 'configuration',
            title: 'Neither `command` nor `url`',
            message:
              'server `half-done` has neither `command` nor `url`, so there is nothing to start or to reach',
            hint: 'write one of the two in its entry',
            chain: [],
            context: [
              { name: 'file', value: '~/.cursor/mcp.json' },
              { name: 'server', value: 'half-done' },
            ],
          },
        ],
      },
    },
    {
      id: 'codex',
      client: 'Codex',
      file: '~/.codex/config.toml',
      offer: {
        shape: 'Codex',
        servers: [
          importable('figma', url('https://mcp.figma.com/mcp', ['X-Figma-Token']), {
            secrets: ['X-Figma-Token'],
          }),
        ],
        problems: [],
      },
    },
    {
      id: 'zed',
      client: 'Zed',
      file: '~/.config/zed/settings.json',
      offer: { shape: 'Zed', servers: [], problems: [broken()] },
    },
  ],
  looked: [
    { client: 'Claude Desktop', file: '~/.config/claude/claude_desktop_config.json' },
    { client: 'Claude Code', file: '~/.claude.json' },
    { client: 'VS Code', file: '~/.config/Code/User/mcp.json' },
    { client: 'Windsurf', file: '~/.codeium/windsurf/mcp_config.json' },
    {
      client: 'Cline',
      file: '~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    },
    { client: 'Gemini CLI', file: '~/.gemini/settings.json' },
    { client: 'Goose', file: '~/.config/goose/config.yaml' },
    { client: 'LM Studio', file: '~/.lmstudio/mcp.json' },
    { client: 'OpenCode', file: '~/.config/opencode/opencode.json' },
  ],
};

function broken(): ApiError {
  return {
    code: 'configuration',
    title: 'Not valid JSON',
    message: 'line 3, column 3: a comma is missing before this member',
    hint: 'put a comma at the end of line 2',
    chain: [],
    context: [
      { name: 'file', value: '~/.config/zed/settings.json' },
      { name: 'context', value: '1 | {\n2 |   "theme": "One Dark"\n3 |   "context_servers": {\n  |   ^' },
    ],
  };
}

/** What a text offers: JSON with servers in it, or the reason why not. */
export function fakeOffer(text: string, servers: ServerSummary[]): Offer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const error: ApiError = {
      ...broken(),
      message: `neither JSON nor TOML nor YAML: ${thrown instanceof Error ? thrown.message : ''}`,
      context: [],
    };
    throw error;
  }
  const root = (value ?? {}) as Record<string, unknown>;
  const entries = (root['mcpServers'] ?? root['servers'] ?? root) as Record<string, Record<string, unknown>>;
  return {
    shape: 'servers' in root ? 'VS Code' : 'Claude Desktop',
    servers: Object.entries(entries).map(([name, entry]) =>
      importable(
        name,
        typeof entry['url'] === 'string'
          ? url(entry['url'])
          : command(
              [String(entry['command']), ...((entry['args'] ?? []) as string[])],
              Object.keys(entry['env'] ?? {}),
            ),
        {
          secrets: Object.keys(entry['env'] ?? {}).filter((key) => /key|token|secret/i.test(key)),
          conflict: servers.some((server) => server.id === name)
            ? { server: name, file: '~/shop/.mcp.json', layer: 'project', same: false, free: `${name}-2` }
            : null,
        },
      ),
    ),
    problems: [],
  };
}

export const fakeShapes: Shape[] = [
  { id: 'sonde', name: 'Sonde', file: '~/.config/sonde/servers.json' },
  { id: 'claude-desktop', name: 'Claude Desktop', file: '~/.config/Claude/claude_desktop_config.json' },
  { id: 'claude-code', name: 'Claude Code', file: '~/.claude.json' },
  { id: 'cursor', name: 'Cursor', file: '~/.cursor/mcp.json' },
  { id: 'vscode', name: 'VS Code', file: '~/.config/Code/User/mcp.json' },
  { id: 'codex', name: 'Codex', file: '~/.codex/config.toml' },
  { id: 'gemini', name: 'Gemini CLI', file: '~/.gemini/settings.json' },
  { id: 'zed', name: 'Zed', file: '~/.config/zed/settings.json' },
];

export function fakeExport(servers: string[], shape: string): Exported {
  return {
    text: JSON.stringify(
      { mcpServers: Object.fromEntries(servers.map((id) => [id, { command: id }])) },
      null,
      2,
    ),
    file_name: `${shape}.json`,
    language: 'json',
    notices: ['`DATABASE_URL` stands there as `${secret:DATABASE_URL}`'],
  };
}
