import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Call, Changes, ServerSummary, TaskList, TaskSummary } from '../backend/bindings';
import { member, readJson } from '../json/read';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';
import { TargetCalls } from './target-calls.svelte';

/** Whether the server said that it has tasks, and that they can be listed. */
export type Declared = 'listed' | 'unlisted' | 'none';

/** What is kept of a call that became a task. */
export type TaskCall = Pick<Call, 'id' | 'status' | 'progress'> & { task: TaskSummary };

/**
 * The tasks of the selected server. Listing them asks the server, which may take its time: nothing waits for it, and
 * it is asked at most once a second unless the person wants it.
 */
export class Tasks implements Follower {
  server = $state<string | null>(null);
  ready = $state(false);
  /** Null until it is known. */
  declared = $state<Declared | null>(null);
  /** Why the listing stopped early. */
  problem = $state<string | null>(null);
  /** Why the tasks could not be listed. */
  error = $state.raw<ApiError | null>(null);
  /** Why a task could not be cancelled. */
  refusal = $state.raw<ApiError | null>(null);
  asking = $state(false);
  /** Whether the server answered with a list since it was selected. */
  loaded = $state(false);
  /** Whether the list is asked for again while something is going on. */
  polling = $state(true);
  selected = $state<number | null>(null);
  readonly results: TargetCalls;

  private listed = $state.raw<TaskSummary[]>([]);
  /** The calls that became tasks, by the id of the task, as far as they are known here. */
  private calls = $state.raw<ReadonlyMap<string, TaskCall>>(new Map());
  /** The selected task as it was last seen, once it is not listed any more. */
  private gone = $state.raw<TaskSummary | null>(null);

  /** What the server listed, and after it tasks that only the answer to a call told of. */
  readonly list = $derived.by(() => {
    const known = new Set(this.listed.map((task) => task.id));
    const heard = [...this.calls.values()].flatMap(({ task }) => (known.has(task.id) ? [] : [task]));
    return heard.length === 0 ? this.listed : [...this.listed, ...heard];
  });
  readonly current = $derived(this.selected === null ? this.gone : (this.list[this.selected] ?? null));
  readonly isGone = $derived(this.selected === null && this.gone !== null);
  /** How often the list is asked for while something is going on, in milliseconds; null while nothing is. */
  readonly interval = $derived.by(() => {
    if (!this.ready) return null;
    const going = this.list.filter(({ status }) => status === 'working' || status === 'input_required');
    if (going.length === 0) return null;
    const wanted = going.reduce((least, task) => Math.min(least, task.poll_ms ?? usualPoll), Infinity);
    return Math.min(Math.max(wanted, leastPoll), longestPoll);
  });

  /** What is shown: server and whether it is ready. */
  private key = '';
  private news = -1;
  private preparations = 0;
  /** Lists that were asked for before the server changed are of no use any more. */
  private generation = 0;
  /** Whether something happened while a list was on its way, which it may not have seen. */
  private again = false;
  private answered = -Infinity;
  private insisted = false;
  private watchers = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Calls that ended and never were a task. */
  private readonly strangers = new Set<number>();

  constructor(private readonly backend: Backend) {
    this.results = new TargetCalls(backend, 'tasks/result');
  }

  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    const preparation = (this.preparations += 1);
    const key = keyOf(server);
    const [results, heard] = await Promise.all([
      changes === null ? this.reloaded() : this.results.prepare(changes.calls),
      key === this.key && changes !== null ? this.read(changes.calls) : [],
    ]);
    if (key !== this.key) {
      const declared = server?.state === 'ready' ? await this.declares(server.id) : null;
      return () => {
        // Another server was chosen in the meantime.
        if (preparation === this.preparations) this.open(server, key, declared);
      };
    }
    return () => {
      results();
      if (preparation !== this.preparations || server === null) return;
      this.hear(heard);
      if (changes !== null && server.news_revision === this.news) return;
      this.news = server.news_revision;
      this.notice();
    };
  }

  /** Asks again by itself until the returned function is called; made to be the body of an effect. */
  watch(): () => void {
    this.watchers += 1;
    this.plan();
    return () => {
      this.watchers -= 1;
      if (this.watchers === 0) clearTimeout(this.timer);
    };
  }

  setPolling(polling: boolean): void {
    this.polling = polling;
    this.plan();
  }

  /** Asks for the list at once. A server that never offered one is asked all the same. */
  async refresh(): Promise<void> {
    this.insisted = true;
    await this.ask();
  }

  async select(index: number): Promise<void> {
    this.selected = index;
    this.gone = null;
    this.refusal = null;
    await this.results.open(this.server, this.current?.id ?? null);
  }

  /** Stays with a task until its result is there. */
  async follow(task: string): Promise<void> {
    const { server } = this;
    if (server === null) return;
    await this.results.start(() => this.backend.call('await_task', { server, task }));
  }

  async cancel(task: string): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.refusal = null;
    try {
      await this.backend.call('cancel_task', { server, task });
    } catch (thrown) {
      if (server === this.server) this.refusal = apiError(thrown);
    }
    // What became of it is for the server to say, also where it refused.
    if (server === this.server && this.mayAsk) await this.ask();
  }

  /** The call that a task was made of, where that is known. */
  callOf(task: string): TaskCall | null {
    return this.calls.get(task) ?? null;
  }

  /** Takes in calls that may be tasks. One whose task moved on is a reason to ask for the list again. */
  hear(calls: readonly Call[]): void {
    const heard = calls.flatMap(({ id, server, status, progress, task }) =>
      task !== null && server === this.server ? [{ id, status, progress, task }] : [],
    );
    if (heard.length === 0) return;
    const moved = heard.some((call) => stateOf(this.callOf(call.task.id)) !== stateOf(call));
    this.calls = new Map([...this.calls, ...heard.map((call) => [call.task.id, call] as const)]);
    if (moved) this.notice();
  }

  private open(server: ServerSummary | null, key: string, declared: Declared | null): void {
    const same = server !== null && server.id === this.server;
    this.generation += 1;
    clearTimeout(this.timer);
    this.key = key;
    this.news = server?.news_revision ?? -1;
    this.ready = server?.state === 'ready';
    this.asking = false;
    this.again = false;
    // What was listed stays in sight when its server goes; a new connection begins anew, and so does another server.
    if (!same || this.ready) this.clear(server?.id ?? null, declared, same ? 'again' : 'another');
    this.plan();
    if (declared === 'listed') void this.ask();
  }

  private clear(server: string | null, declared: Declared | null, connection: 'again' | 'another'): void {
    // Tasks are the server's own and may outlive a connection; which calls they were made of does not.
    if (connection === 'again') this.calls = new Map();
    else {
      this.selected = null;
      this.gone = null;
      this.listed = [];
      this.calls = new Map();
      this.refusal = null;
      void this.results.open(null, null);
    }
    this.server = server;
    this.declared = declared;
    this.insisted = false;
    this.loaded = false;
    this.problem = null;
    this.error = null;
  }

  /** Whether the list may be asked for by itself: the server offered it, or the person insisted. */
  private get mayAsk(): boolean {
    return this.ready && (this.declared === 'listed' || this.insisted);
  }

  /** Something happened that the list may tell more about. */
  private notice(): void {
    if (!this.mayAsk) return;
    if (this.asking) this.again = true;
    else this.schedule(Math.max(0, this.answered + leastPoll - Date.now()));
  }

  /** The next time that the list is asked for by itself. */
  private plan(): void {
    clearTimeout(this.timer);
    if (this.polling && this.interval !== null && this.mayAsk) this.schedule(this.interval);
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    if (this.watchers > 0) this.timer = setTimeout(() => void this.ask(), wait);
  }

  private async ask(): Promise<void> {
    const { server, generation } = this;
    if (server === null || !this.ready) return;
    if (this.asking) {
      this.again = true;
      return;
    }
    clearTimeout(this.timer);
    this.asking = true;
    let list: TaskList | null = null;
    let error: ApiError | null = null;
    try {
      list = await this.backend.call('list_tasks', { server });
    } catch (thrown) {
      error = apiError(thrown);
    }
    if (generation !== this.generation) return;
    this.asking = false;
    this.answered = Date.now();
    this.error = error;
    if (error?.code === 'objected') this.insisted = false;
    if (list !== null) this.show(list);
    const again = this.again;
    this.again = false;
    if (again) this.schedule(leastPoll);
    else this.plan();
  }

  /** The selected task stays selected, wherever it stands now. */
  private show(list: TaskList): void {
    const { current, selected } = this;
    this.loaded = true;
    this.problem = list.problem;
    this.listed = list.tasks;
    if (current === null) return;
    const there = selected !== null && this.list[selected]?.id === current.id;
    const place = there ? selected : this.list.findIndex((task) => task.id === current.id);
    this.selected = place === -1 ? null : place;
    this.gone = place === -1 ? current : null;
  }

  /** The calls that changed and may be tasks; under load only the newest, since the server tells of tasks too. */
  private async read(changed: number[]): Promise<Call[]> {
    if (this.strangers.size > 10_000) this.strangers.clear();
    const ids = changed.filter((id) => !this.strangers.has(id)).slice(-mostRead);
    const answers = await Promise.allSettled(ids.map((call) => this.backend.call('read_call', { call })));
    const calls = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    for (const call of calls)
      if (call.task === null && call.status !== 'running') this.strangers.add(call.id);
    return calls;
  }

  private async reloaded(): Promise<Apply> {
    await this.results.reload();
    return nothing;
  }

  private async declares(server: string): Promise<Declared> {
    try {
      const { server_capabilities: text } = await this.backend.call('describe_server', { server });
      const tasks = text === null ? undefined : member(readJson(text).value, 'tasks');
      if (tasks === undefined) return 'none';
      return member(tasks, 'list') === undefined ? 'unlisted' : 'listed';
    } catch {
      // Listing meets the same failure and says so.
      return 'listed';
    }
  }
}

/** Progress alone is no reason to ask for the list. */
function stateOf(call: TaskCall | null): string {
  return JSON.stringify([call?.status, call?.task.status, call?.task.message, call?.task.updated]);
}

function keyOf(server: ServerSummary | null): string {
  return JSON.stringify([server?.id, server?.state === 'ready']);
}

/** In milliseconds; what a server wishes is kept within bounds. */
const leastPoll = 1000;
const longestPoll = 30_000;
const usualPoll = 5000;
const mostRead = 8;
