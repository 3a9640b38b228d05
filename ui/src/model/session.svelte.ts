import { tick } from 'svelte';
import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Changes } from '../backend/bindings';
import { nothing } from './apply';
import { Calls } from './calls.svelte';
import { Deeds } from './deeds';
import { Doctor } from './doctor.svelte';
import { Files } from './files.svelte';
import { Import } from './import.svelte';
import { Log } from './log.svelte';
import { Notices } from './notices.svelte';
import { Palette } from './palette.svelte';
import { Posture } from './posture.svelte';
import { Questions } from './questions.svelte';
import { Requests } from './requests.svelte';
import { OpenRow } from './row-detail.svelte';
import { Secrets } from './secrets.svelte';
import { Servers } from './servers.svelte';
import { Stage } from './stage.svelte';
import { Tools } from './tools.svelte';

/** Everything the window shows, kept in step with the core by one loop. */
export class Session {
  readonly servers: Servers;
  readonly tools: Tools;
  readonly calls: Calls;
  /** What was sent by hand, and what was edited about how a server is spoken to. */
  readonly requests: Requests;
  readonly posture: Posture;
  readonly questions: Questions;
  readonly secrets: Secrets;
  readonly doctor: Doctor;
  readonly files: Files;
  readonly import: Import;
  readonly palette: Palette;
  readonly deeds: Deeds;
  readonly stage = new Stage();
  readonly notices = new Notices();
  readonly log: Log;
  /** The stderr lines of the selected server; followed only while they are shown. */
  readonly stderr: Log;
  private stderrShown = false;
  readonly openRow: OpenRow;

  /** The last revision that the page shows in full. */
  revision = $state(0);
  recording = $state.raw<Recording>({ rows: 0, bytes: 0, lost: 0, problem: null });
  /** Why the core could not be asked; tried again every second. */
  trouble = $state.raw<ApiError | null>(null);

  private reported = false;
  private measures = 0;

  constructor(
    private readonly backend: Backend,
    remembered: string | null = null,
  ) {
    this.servers = new Servers(backend, remembered);
    this.tools = new Tools(backend);
    this.calls = new Calls(backend);
    this.requests = new Requests(backend);
    this.posture = new Posture(backend);
    this.questions = new Questions(backend);
    this.secrets = new Secrets(backend);
    this.doctor = new Doctor(backend);
    this.files = new Files(backend);
    this.import = new Import(backend);
    this.palette = new Palette(backend);
    this.deeds = new Deeds(backend, this.servers, this.stage, this.notices);
    this.log = new Log(backend);
    this.stderr = new Log(backend, { server: '', kind: 'stderr' });
    this.openRow = new OpenRow(backend);
  }

  /** Follows the core until the signal says otherwise, applying at most one set of changes per frame. */
  async run(signal: AbortSignal, nextFrame: () => Promise<void>): Promise<void> {
    let since = 0;
    while (!signal.aborted) {
      try {
        const changes = await this.backend.call('wait_changes', { since });
        if (signal.aborted) return;
        // A wait that ran out brings the revision we have: nothing to fetch, nothing to draw.
        if (changes.revision !== since) await this.apply(changes);
        since = changes.revision;
        this.trouble = null;
        await this.reportReady();
      } catch (thrown) {
        this.trouble = apiError(thrown);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      await nextFrame();
    }
  }

  async select(server: string): Promise<void> {
    this.stage.showServer();
    const detail = this.servers.select(server);
    (await this.tools.prepare(this.servers.current))();
    await Promise.all([detail, this.openCalls(), this.lookAtStderr()]);
  }

  async selectTool(index: number): Promise<void> {
    await Promise.all([this.tools.select(index), this.openCalls()]);
  }

  /** Follows stderr until the returned function is called. */
  showStderr(): () => void {
    this.stderrShown = true;
    void this.lookAtStderr();
    return () => (this.stderrShown = false);
  }

  private async apply(changes: Changes): Promise<void> {
    const prepared = await Promise.all([
      this.servers.prepare(changes.servers_revision),
      this.log.prepare(changes.log_total),
      this.stderrShown ? this.stderr.prepare(changes.log_total) : nothing,
      this.calls.prepare(changes.calls),
      this.requests.prepare(changes.calls),
      this.questions.prepare(changes.questions_revision),
    ]);
    const start = performance.now();
    for (const apply of prepared) apply();
    this.recording = {
      rows: changes.log_total,
      bytes: changes.log_bytes,
      lost: changes.log_lost,
      problem: changes.recording_problem,
    };
    await tick();
    this.measure(start);

    // These depend on what was just applied: which server is selected, how the open row looks in the log.
    const then = await Promise.all([
      this.tools.prepare(this.servers.current),
      this.openRow.prepare(this.log.cursorRow),
    ]);
    const second = performance.now();
    for (const apply of then) apply();
    await tick();
    this.measure(second);
    await Promise.all([this.openCalls(), this.lookAtStderr()]);
    await tick();
    this.revision = changes.revision;
  }

  /** The time of our own work per change, for whoever measures it in the page. */
  private measure(start: number): void {
    if ((this.measures += 1) > 1000) {
      performance.clearMeasures('sonde:apply');
      this.measures = 1;
    }
    performance.measure('sonde:apply', { start, end: performance.now() });
  }

  private openCalls(): Promise<void> {
    return this.calls.open(this.tools.server, this.tools.current?.name ?? null);
  }

  private async lookAtStderr(): Promise<void> {
    if (this.stderrShown) await this.stderr.look({ server: this.servers.selected ?? '', kind: 'stderr' });
  }

  private async reportReady(): Promise<void> {
    if (this.reported || !this.servers.loaded || !this.log.loaded || this.servers.starting) return;
    this.reported = true;
    await tick();
    await this.backend.call('report_ready', {});
  }
}

export type Recording = { rows: number; bytes: number; lost: number; problem: string | null };
