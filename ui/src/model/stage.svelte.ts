import type { ServerForm } from './server-form.svelte';

/** The parts of a server that have a tab. */
export type Tab =
  'overview' | 'tools' | 'resources' | 'prompts' | 'tasks' | 'logs' | 'send' | 'doctor' | 'settings';

/** What the main area is for: a server, writing one down, bringing some in, or the files that they stand in. */
export type Room = 'server' | 'form' | 'import' | 'files';

/** Where in the window the person is. A form that was begun stays at hand until it is saved or thrown away. */
export class Stage {
  room = $state<Room>('server');
  form = $state.raw<ServerForm | null>(null);
  /** The tab that was asked for, and of which server; another server opens on what suits it. */
  chosen = $state.raw<{ server: string; tab: Tab } | null>(null);

  /** Looks at a server; a form in which nothing was changed has served its purpose. */
  showServer(): void {
    this.room = 'server';
    if (this.form !== null && !this.form.dirty) this.form = null;
  }

  showTab(server: string, tab: Tab): void {
    this.chosen = { server, tab };
    this.showServer();
  }

  showForm(form: ServerForm): void {
    this.form = form;
    this.room = 'form';
  }

  /** Back to the form that was begun. */
  resume(): void {
    if (this.form !== null) this.room = 'form';
  }

  closeForm(): void {
    this.form = null;
    this.room = 'server';
  }
}
