import type { Examination, PathEntry, SecretState, ServerSummary, VariableFact } from './bindings';

const path: PathEntry[] = [
  { folder: '/home/ada/.nvm/versions/node/v22.11.0/bin', source: 'nvm', exists: true },
  { folder: '/home/ada/.local/bin', source: 'login shell', exists: true },
  { folder: '/home/ada/.volta/bin', source: 'volta', exists: false },
  { folder: '/usr/local/bin', source: 'PATH', exists: true },
  { folder: '/usr/bin', source: 'PATH', exists: true },
  { folder: '/bin', source: 'PATH', exists: true },
];

const environment: VariableFact[] = [
  { name: 'HOME', value: '/home/ada', source: 'allow-list' },
  { name: 'LANG', value: 'nb_NO.UTF-8', source: 'allow-list' },
  { name: 'PATH', value: 'as above', source: 'allow-list, with what the login shell adds' },
  { name: 'SSH_AUTH_SOCK', value: '/run/user/1000/ssh-agent', source: 'env_passthrough' },
  { name: 'DATABASE_URL', value: '‹secret:DATABASE_URL›', source: 'env, from the keyring' },
  { name: 'LOG_LEVEL', value: 'info', source: 'env, the default of ${LOG_LEVEL:-info}' },
];

/** What the doctor of the fake finds: one that is well, one that is odd, and one that never starts. */
export function fakeExamination(server: ServerSummary): Examination {
  if (server.transport !== 'stdio') return remote(server);
  if (server.id === 'github') return missing(server);
  const odd = server.id === 'postgres';
  return {
    server: server.id,
    verdict: odd ? 'odd' : 'well',
    summary: odd
      ? '`postgres` starts and answers, but it writes text where messages belong'
      : `\`${server.id}\` starts, answers and lists its tools`,
    fix: odd ? 'let it log to stderr: `--log-to=stderr`' : null,
    error: null,
    steps: [
      {
        name: 'find the program',
        outcome: 'well',
        found: `/usr/local/bin/mcp-server-${server.id}`,
        ms: 1.4,
        facts: [],
      },
      { name: 'enter the folder', outcome: 'well', found: '/home/ada/shop', ms: 0.1, facts: [] },
      {
        name: 'gather the environment',
        outcome: 'well',
        found: '6 variables, 1 of them secret',
        ms: 212,
        facts: [],
      },
      { name: 'start the process', outcome: 'well', found: 'process 5120', ms: 6.2, facts: [] },
      {
        name: 'first byte on stdout',
        outcome: odd ? 'odd' : 'well',
        found: odd ? 'a line that is no message came first' : 'the answer to `initialize`',
        ms: 184,
        facts: odd ? [{ name: 'the line', value: 'Connected to postgres 16.4 on 127.0.0.1:5432' }] : [],
      },
      {
        name: 'initialize',
        outcome: 'well',
        found: 'agreed on 2025-11-25',
        ms: 12.1,
        facts: [{ name: 'it calls itself', value: 'Official Postgres ✓ 0.6.2' }],
      },
      { name: 'list the tools', outcome: 'well', found: '2 tools', ms: 3.3, facts: [] },
      { name: 'end it', outcome: 'well', found: 'exit code 0 after its input was closed', ms: 41, facts: [] },
    ],
    path,
    environment,
    stderr_tail: odd ? ['pool: 4 connections', 'ready'] : [],
  };
}

function missing(server: ServerSummary): Examination {
  return {
    server: server.id,
    verdict: 'ill',
    summary: '`npx` is not in the PATH that this server gets',
    fix: 'install Node.js, or put the full path in `command`: `/home/ada/.nvm/versions/node/v22.11.0/bin/npx`',
    error: server.problem,
    steps: [
      {
        name: 'find the program',
        outcome: 'ill',
        found: '`npx` was not found in 6 folders',
        ms: 2.2,
        facts: [{ name: 'elsewhere', value: '/opt/node/bin/npx, which is not in the PATH' }],
      },
      { name: 'enter the folder', outcome: 'skipped', found: 'not tried', ms: null, facts: [] },
      { name: 'start the process', outcome: 'skipped', found: 'not tried', ms: null, facts: [] },
      { name: 'initialize', outcome: 'skipped', found: 'not tried', ms: null, facts: [] },
    ],
    path,
    environment: environment.slice(0, 3),
    stderr_tail: [],
  };
}

function remote(server: ServerSummary): Examination {
  const locked = server.id === 'issues';
  return {
    server: server.id,
    verdict: locked ? 'ill' : 'well',
    summary: locked ? 'the server wants to know who asks: 401' : `\`${server.id}\` is reached and answers`,
    fix: locked ? 'give it an `Authorization` header' : null,
    error: locked ? server.problem : null,
    steps: [
      { name: 'look up the host', outcome: 'well', found: '203.0.113.7, 2001:db8::7', ms: 18, facts: [] },
      { name: 'connect', outcome: 'well', found: '203.0.113.7:443', ms: 22, facts: [] },
      {
        name: 'encrypt',
        outcome: 'well',
        found: 'TLS 1.3, certificate of *.example.com',
        ms: 31,
        facts: [{ name: 'valid until', value: '2027-03-01' }],
      },
      {
        name: 'well-known documents',
        outcome: locked ? 'well' : 'odd',
        found: locked ? '/.well-known/oauth-protected-resource answered 200' : 'none: 404',
        ms: 44,
        facts: [],
      },
      {
        name: 'initialize',
        outcome: locked ? 'ill' : 'well',
        found: locked ? '401 Unauthorized' : 'agreed on 2025-11-25',
        ms: 40,
        facts: locked
          ? [{ name: 'www-authenticate', value: 'Bearer realm="issues", error="invalid_token"' }]
          : [],
      },
    ],
    path: [],
    environment: [],
    stderr_tail: [],
  };
}

const plain = { description: null, default: null, options: [], password: false };

export const fakeSecrets: Record<string, SecretState[]> = {
  filesystem: [{ ...plain, name: 'DATABASE_URL', kind: 'secret', known: true, password: true }],
  weather: [
    { ...plain, name: 'API_KEY', kind: 'secret', known: false, password: true },
    {
      ...plain,
      name: 'station',
      kind: 'input',
      known: false,
      description: 'Number of the weather station nearest to you',
    },
    {
      ...plain,
      name: 'units',
      kind: 'input',
      known: true,
      description: 'How distances are told',
      default: 'metric',
      options: ['metric', 'imperial'],
    },
  ],
};
