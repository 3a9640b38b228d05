import { tick, untrack } from 'svelte';
import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Changes } from '../backend/bindings';
import type { Apply } from './apply';
import { Calls } from './calls.svelte';
import { Deeds } from './deeds';
import { Doctor } from './doctor.svelte';
import { Files } from './files.svelte';
import type { Follower } from './follower';
import { Import } from './import.svelte';
import { Log } from './log.svelte';
import { Logs } from './logs.svelte';
import { Notices } from './notices.svelte';
import { Palette } from './palette.svelte';
import { Pings } from './pings.svelte';
import { Posture } from './posture.svelte';
import { Prompts } from './prompts.svelte';
import { Questions } from './questions.svelte';
import { Repeats } from './repeats.svelte';
import { Requests } from './requests.svelte';
import { Resources } from './resources.svelte';
import { OpenRow } from './row-detail.svelte';
import { Saved } from './saved.svelte';
import { Secrets } from './secrets.svelte';
import { Servers } from './servers.svelte';
import { Stage } from './stage.svelte';
import { Tasks } from './tasks.svelte';
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
  readonly openRow: OpenRow;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly tasks: Tasks;
  readonly logs: Logs;
  readonly pings: Pings;
  readonly saved: Saved;
  readonly repeats: Repeats;
  /** What is shown now and must be kept in step, and by how many. */
  private readonly followed = new Map<Follower, number>();

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
    this.resources = new Resources(backend);
    this.prompts = new Prompts(backend);
    this.tasks = new Tasks(backend);
    this.logs = new Logs(backend);
    this.pings = new Pings(backend);
    this.saved = new Saved(backend);
    this.repeats = new Repeats(backend);
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
    await Promise.all([detail, this.openCalls(), this.lookAgain()]);
  }

  async selectTool(index: number): Promise<void> {
    await Promise.all([this.tools.select(index), this.openCalls()]);
    // A long name is known only now.
    await this.openCalls();
  }

  /** Keeps something in step with the core until the returned function is called. */
  follow(follower: Follower): () => void {
    this.followed.set(follower, (this.followed.get(follower) ?? 0) + 1);
    // Whoever follows does so once, and not again for whatever is looked at meanwhile.
    untrack(() => void this.lookAgain());
    return () => {
      const others = (this.followed.get(follower) ?? 0) - 1;
      if (others > 0) this.followed.set(follower, others);
      else this.followed.delete(follower);
    };
  }

  /** The row of the log with this number, opened in the log. */
  async showRow(seq: number): Promise<void> {
    await this.log.goTo(seq);
    (await this.openRow.prepare(this.log.cursorRow))();
  }

  private async apply(changes: Changes): Promise<void> {
    const prepared = await Promise.all([
      this.servers.prepare(changes.servers_revision),
      this.log.prepare(changes.log_total),
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
      ...this.followers(changes),
    ]);
    const second = performance.now();
    for (const apply of then) apply();
    await tick();
    this.measure(second);
    await this.openCalls();
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
    return this.calls.open(this.tools.server, this.tools.name);
  }

  private followers(changes: Changes | null): Promise<Apply>[] {
    return [...this.followed.keys()].map((follower) => follower.prepare(this.servers.current, changes));
  }

  /** For when the person looks elsewhere: another server, another tab. */
  private async lookAgain(): Promise<void> {
    try {
      for (const apply of await Promise.all(this.followers(null))) apply();
    } catch (thrown) {
      this.trouble = apiError(thrown);
    }
  }

  private async reportReady(): Promise<void> {
    if (this.reported || !this.servers.loaded || !this.log.loaded || this.servers.starting) return;
    this.reported = true;
    await tick();
    await this.backend.call('report_ready', {});
  }
}

export type Recording = { rows: number; bytes: number; lost: number; problem: string | null };
