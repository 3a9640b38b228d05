import { apiError, type Backend } from '../backend/backend';
import type { ApiError, ConfigFile, Layer } from '../backend/bindings';

/** The files that servers are read from, nearest first. */
export class Files {
  list = $state.raw<ConfigFile[]>([]);
  loaded = $state(false);
  refusal = $state.raw<ApiError | null>(null);
  private generation = 0;

  constructor(private readonly backend: Backend) {}

  async load(): Promise<void> {
    const generation = (this.generation += 1);
    try {
      const { files } = await this.backend.call('list_files', {});
      if (generation !== this.generation) return;
      this.list = files;
      this.refusal = null;
    } catch (thrown) {
      if (generation === this.generation) this.refusal = apiError(thrown);
    }
    this.loaded = true;
  }

  /** Where something written to a layer stands; none until it is known. */
  fileOf(layer: Layer): string | null {
    return this.list.find((file) => file.origin.layer === layer)?.origin.file ?? null;
  }
}
