import { apiError, type Backend } from '../backend/backend';
import type { ApiError, PostureDetail, PostureEdit } from '../backend/bindings';

/** How the selected server is spoken to, and what a person is changing about it. */
export class Posture {
  server = $state<string | null>(null);
  /** As it holds the next time the server is connected; none until it arrived. */
  detail = $state.raw<PostureDetail | null>(null);
  refusal = $state.raw<ApiError | null>(null);

  /** What the fields show: texts, so that nothing a person types is lost by reading it too early. */
  clientInfo = $state('');
  capabilities = $state('');
  protocol = $state('auto');
  negotiate = $state(true);
  roots = $state('');
  /** Seconds. */
  timeout = $state('');

  readonly changed = $derived(
    this.detail !== null && JSON.stringify(this.edit(this.detail)) !== JSON.stringify(this.detail.edited),
  );
  readonly edited = $derived(
    this.detail !== null && Object.values(this.detail.edited).some((value) => value !== null),
  );

  constructor(private readonly backend: Backend) {}

  async open(server: string | null): Promise<void> {
    if (server === this.server) return;
    this.server = server;
    this.detail = null;
    this.refusal = null;
    if (server !== null) await this.ask(server, () => this.backend.call('describe_posture', { server }));
  }

  async save(): Promise<void> {
    if (this.server !== null && this.detail !== null) await this.write(this.server, this.edit(this.detail));
  }

  /** Back to what the configuration says. */
  async reset(): Promise<void> {
    if (this.server !== null) await this.write(this.server, nothingEdited);
  }

  private async write(server: string, edit: PostureEdit): Promise<void> {
    this.refusal = null;
    await this.ask(server, () => this.backend.call('edit_posture', { server, edit }));
  }

  private async ask(server: string, request: () => Promise<PostureDetail>): Promise<void> {
    try {
      const detail = await request();
      if (this.server === server) this.show(detail);
    } catch (thrown) {
      if (this.server === server) this.refusal = apiError(thrown);
    }
  }

  private show(detail: PostureDetail): void {
    this.detail = detail;
    this.clientInfo = pretty(detail.client_info);
    this.capabilities = pretty(detail.capabilities);
    this.protocol = detail.protocol;
    this.negotiate = detail.negotiate;
    this.roots = detail.roots.join('\n');
    this.timeout = String(detail.timeout_ms / 1000);
  }

  /** Only what differs from what holds is an edit; what was edited before stays one. */
  private edit(detail: PostureDetail): PostureEdit {
    const roots = this.roots
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    const timeout = Number(this.timeout) * 1000;
    return {
      ...detail.edited,
      client_info: kept(pretty(detail.client_info), this.clientInfo, detail.edited.client_info),
      capabilities: kept(pretty(detail.capabilities), this.capabilities, detail.edited.capabilities),
      protocol: kept(detail.protocol, this.protocol, detail.edited.protocol),
      negotiate: kept(detail.negotiate, this.negotiate, detail.edited.negotiate),
      roots: roots.join('\n') === detail.roots.join('\n') ? detail.edited.roots : roots,
      timeout_ms:
        Number.isFinite(timeout) && timeout > 0
          ? kept(detail.timeout_ms, timeout, detail.edited.timeout_ms)
          : detail.edited.timeout_ms,
    };
  }
}

const nothingEdited: PostureEdit = {
  client_info: null,
  capabilities: null,
  protocol: null,
  negotiate: null,
  roots: null,
  longest_line: null,
  timeout_ms: null,
  connect_timeout_ms: null,
  silence_ms: null,
};

function kept<T>(holds: T, shown: T, edited: T | null): T | null {
  return shown === holds ? edited : shown;
}

/** The same JSON over several lines; text that is none stays as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
