import { apiError, type Backend } from '../backend/backend';
import type { CatalogName, Exported, Shape, Target } from '../backend/bindings';
import type { Notices } from './notices.svelte';
import { ServerForm } from './server-form.svelte';
import type { Servers } from './servers.svelte';
import type { Stage } from './stage.svelte';

/** What is done to servers from menus and by keys: it happens, or a notice says why not. */
export class Deeds {
  private shapes: Promise<Shape[]> | null = null;

  constructor(
    private readonly backend: Backend,
    private readonly servers: Servers,
    private readonly stage: Stage,
    private readonly notices: Notices,
  ) {}

  /** An empty form, or the one that was begun. */
  add(): void {
    if (this.stage.form !== null && this.stage.form.replaces === null) return this.stage.resume();
    this.stage.showForm(new ServerForm(this.backend, null, null, 'global'));
  }

  async edit(id: string): Promise<void> {
    if (this.stage.form?.replaces === id) return this.stage.resume();
    await this.try(async () => {
      const draft = await this.backend.call('read_draft', { server: id });
      this.stage.showForm(new ServerForm(this.backend, id, draft, this.targetOf(id)));
    });
  }

  /** The id of the copy. */
  async duplicate(id: string): Promise<string | null> {
    return this.try(async () => {
      const { server, file, notices } = await this.backend.call('duplicate_server', { server: id });
      await this.servers.reload();
      this.notices.say(`Copied to \`${server}\` in ${file}`, notices);
      return server;
    });
  }

  async enable(id: string, enabled: boolean): Promise<void> {
    const saved = await this.try(() => this.backend.call('enable_server', { server: id, enabled }));
    // Only what is not plain to see: that it stands in another file now, above all.
    if (saved !== null && saved.notices.length > 0)
      this.notices.say(`\`${id}\` is ${enabled ? 'on' : 'off'}, as ${saved.file} says`, saved.notices);
  }

  async remove(id: string): Promise<boolean> {
    const done = await this.try(() => this.backend.call('remove_server', { server: id }));
    if (done !== null && this.stage.form?.replaces === id) this.stage.closeForm();
    return done !== null;
  }

  /** Asks for a list again that did not come. */
  async refresh(id: string, catalog: CatalogName): Promise<void> {
    await this.try(() => this.backend.call('refresh_catalog', { server: id, catalog }));
  }

  async disconnectAll(): Promise<void> {
    await this.try(() => this.backend.call('disconnect_all', {}));
  }

  /** The shapes that can be written; asked for once. */
  listShapes(): Promise<Shape[]> {
    this.shapes ??= this.backend.call('list_shapes', {}).then(
      ({ shapes }) => shapes,
      () => {
        this.shapes = null;
        return [];
      },
    );
    return this.shapes;
  }

  async export(servers: string[] | null, shape: string): Promise<Exported | null> {
    return this.try(() =>
      this.backend.call('export_servers', { ...(servers === null ? {} : { servers }), shape }),
    );
  }

  private targetOf(id: string): Target {
    const layer = this.servers.list.find((each) => each.id === id)?.origin.layer;
    return layer === 'project' || layer === 'ancestor' ? 'project' : 'global';
  }

  private async try<T>(deed: () => Promise<T>): Promise<T | null> {
    try {
      return await deed();
    } catch (thrown) {
      this.notices.fail(apiError(thrown));
      return null;
    }
  }
}
