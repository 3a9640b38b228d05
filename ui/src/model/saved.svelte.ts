import { apiError, type Backend } from '../backend/backend';
import type { ApiError, Changes, SavedCall, ServerSummary, Variable } from '../backend/bindings';
import { nothing, type Apply } from './apply';
import type { Follower } from './follower';

/** What a request is about: a tool of a server, and the like. */
export type Subject = { server: string; method: string; target: string };

/** What a person keeps between starts: saved calls, the arguments last sent, and variables. */
export class Saved implements Follower {
  calls = $state.raw<SavedCall[]>([]);
  variables = $state.raw<Variable[]>([]);
  /** A saved call that was gone to: the form of its tool takes it. */
  wanted = $state.raw<SavedCall | null>(null);
  /** Why the last thing that was asked for could not be done. */
  refusal = $state.raw<ApiError | null>(null);
  readonly values = $derived(new Map(this.variables.map(({ name, value }) => [name, value])));

  private loaded = false;
  /** How often each was changed: what was asked for before that would bring back what was before. */
  private readonly turns = { calls: 0, variables: 0 };

  constructor(private readonly backend: Backend) {}

  /** Nothing but a person changes these: they are read when somebody looks at them anew, and not after every change. */
  async prepare(server: ServerSummary | null, changes: Changes | null): Promise<Apply> {
    void server;
    if (this.loaded && changes !== null) return nothing;
    const asked = { ...this.turns };
    try {
      const [{ calls }, { variables }] = await Promise.all([
        this.backend.call('list_saved_calls', {}),
        this.backend.call('list_variables', {}),
      ]);
      return () => {
        this.loaded = true;
        if (asked.calls === this.turns.calls) this.calls = calls;
        if (asked.variables === this.turns.variables) this.variables = variables;
      };
    } catch (thrown) {
      const refusal = apiError(thrown);
      return () => {
        // Said once; the next look tries again.
        this.loaded = true;
        this.refusal = refusal;
      };
    }
  }

  of({ server, method, target }: Subject): SavedCall[] {
    return this.calls.filter(
      (call) => call.server === server && call.method === method && call.target === target,
    );
  }

  /** Saves a call; one of the same name for the same thing is replaced. */
  async save(subject: Subject, name: string, args: string): Promise<boolean> {
    return this.change('calls', async () => {
      await this.backend.call('save_call', { ...subject, name, arguments: args });
      return this.readCalls();
    });
  }

  async remove(id: number): Promise<boolean> {
    return this.change('calls', async () => {
      await this.backend.call('remove_saved_call', { id });
      return this.readCalls();
    });
  }

  /** Sets a variable; without a value it is gone. */
  async setVariable(name: string, value: string | null): Promise<boolean> {
    return this.change('variables', async () => {
      const { variables } = await this.backend.call('set_variable', { name, value });
      return () => (this.variables = variables);
    });
  }

  /** The arguments that were last sent, if they are known; a form that can't have them simply begins empty. */
  async recall(subject: Subject): Promise<string | null> {
    try {
      return (await this.backend.call('recall_arguments', subject)).arguments;
    } catch {
      return null;
    }
  }

  private async readCalls(): Promise<Apply> {
    const { calls } = await this.backend.call('list_saved_calls', {});
    return () => (this.calls = calls);
  }

  private async change(which: 'calls' | 'variables', deed: () => Promise<Apply>): Promise<boolean> {
    const turn = (this.turns[which] += 1);
    this.refusal = null;
    try {
      const apply = await deed();
      // The answer to a later change knows of this one too.
      if (turn === this.turns[which]) apply();
      return true;
    } catch (thrown) {
      this.refusal = apiError(thrown);
      return false;
    }
  }
}
