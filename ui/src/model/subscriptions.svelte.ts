import { apiError, type Backend } from '../backend/backend';
import type { ApiError, ServerSummary, Subscription, SubscriptionList } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The resources whose updates the selected server was asked to tell of. They end with the connection. */
export class Subscriptions {
  list = $state.raw<Subscription[]>([]);
  /** Updates of resources that nobody subscribed to. */
  unasked = $state(0);
  /** Events that came faster than they could be looked at. */
  missed = $state(0);
  /** How many ended with the last connection, until there is one again. */
  ended = $state(0);
  /** Why the last wish was not granted, and what it was about. */
  refusal = $state.raw<{ uri: string; error: ApiError } | null>(null);
  /** Addresses for which an answer of the server is waited for. */
  asking = $state.raw<ReadonlySet<string>>(new Set());

  private server = $state<string | null>(null);
  /** What is to stay as it was read, whatever the server says of it. */
  private quiet = $state.raw<ReadonlySet<string>>(new Set());
  /** How many updates had come when each was last read: what comes on top of them asks for another read. */
  private readonly seen = new Map<string, { since: number | null; updates: number }>();
  private key = '';
  private generation = 0;

  constructor(private readonly backend: Backend) {}

  of(uri: string | null): Subscription | null {
    return this.list.find((each) => each.uri === uri) ?? null;
  }

  /** Whether an address is read again when the server says that it changed. */
  rereads(uri: string): boolean {
    return !this.quiet.has(this.named(uri));
  }

  setRereads(uri: string, on: boolean): void {
    const others = [...this.quiet].filter((each) => each !== this.named(uri));
    this.quiet = new Set(on ? others : [...others, this.named(uri)]);
  }

  /** Whether an address changed since it was last read, and is to be read again for it. */
  due(uri: string | null): boolean {
    const subscription = this.of(uri);
    if (subscription === null || !this.rereads(subscription.uri)) return false;
    return subscription.updates > (this.seen.get(this.named(subscription.uri))?.updates ?? 0);
  }

  /** An address is being read: updates up to now are answered by that. */
  caughtUp(uri: string): void {
    const subscription = this.of(uri);
    if (subscription !== null)
      this.seen.set(this.named(uri), { since: subscription.since, updates: subscription.updates });
  }

  async subscribe(server: string, uri: string): Promise<void> {
    this.seen.set(nameOf(server, uri), { since: null, updates: 0 });
    await this.ask('subscribe_resource', server, uri);
  }

  async unsubscribe(server: string, uri: string): Promise<void> {
    await this.ask('unsubscribe_resource', server, uri);
  }

  /** Refetches when the server is another one or has news. */
  async prepare(server: ServerSummary | null): Promise<Apply> {
    const generation = (this.generation += 1);
    const ready = server?.state === 'ready';
    const key = JSON.stringify([server?.id, ready, server?.news_revision]);
    if (key === this.key) return nothing;
    let list: SubscriptionList = { subscriptions: [], unasked: 0, missed: 0 };
    if (server !== null && ready) {
      try {
        list = await this.backend.call('list_subscriptions', { server: server.id });
      } catch {
        // Gone between the news and this; the next state of the server says so.
      }
    }
    return () => {
      // Another server was chosen in the meantime.
      if (generation !== this.generation) return;
      this.key = key;
      this.replace(server?.id ?? null, ready, list);
    };
  }

  private replace(server: string | null, ready: boolean, list: SubscriptionList): void {
    if (server !== this.server) {
      this.ended = 0;
      this.refusal = null;
      this.asking = new Set();
    } else if (!ready && this.list.length > 0) this.ended = this.list.length;
    else if (list.subscriptions.length > 0) this.ended = 0;
    this.server = server;
    this.list = list.subscriptions;
    this.unasked = list.unasked;
    this.missed = list.missed;
    for (const { uri, since, updates } of list.subscriptions) {
      const known = this.seen.get(this.named(uri));
      // One that was not made here, or made anew, is taken as it stands: nothing is read for what is long past.
      if (known === undefined || (known.since !== null && known.since !== since))
        this.seen.set(this.named(uri), { since, updates });
      else known.since = since;
    }
  }

  private async ask(
    command: 'subscribe_resource' | 'unsubscribe_resource',
    server: string,
    uri: string,
  ): Promise<void> {
    if (this.asking.has(uri)) return;
    this.refusal = null;
    this.asking = new Set([...this.asking, uri]);
    try {
      await this.backend.call(command, { server, uri });
    } catch (thrown) {
      if (server === this.server) this.refusal = { uri, error: apiError(thrown) };
    } finally {
      this.asking = new Set([...this.asking].filter((each) => each !== uri));
    }
  }

  private named(uri: string): string {
    return nameOf(this.server, uri);
  }
}

function nameOf(server: string | null, uri: string): string {
  return JSON.stringify([server, uri]);
}
