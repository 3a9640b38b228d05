import { apiError, type Backend } from '../backend/backend';
import type { ApiError, FrameDetail, LogRow, RowDetail } from '../backend/bindings';
import { nothing, type Apply } from './apply';

/** The row that is open beside the log, with the bytes of its frames as far as they were asked for. */
export class OpenRow {
  seq = $state<number | null>(null);
  detail = $state.raw<RowDetail | null>(null);
  error = $state.raw<ApiError | null>(null);
  /** Further bytes of a frame, by its index: what came after the first part. */
  more = $state.raw<ReadonlyMap<number, Uint8Array>>(new Map());

  constructor(private readonly backend: Backend) {}

  async open(seq: number): Promise<void> {
    if (this.seq === seq) return;
    this.seq = seq;
    this.more = new Map();
    const apply = await this.fetch(seq);
    apply();
  }

  close(): void {
    this.seq = null;
    this.detail = null;
    this.error = null;
    this.more = new Map();
  }

  /** Rereads a row that may have changed: `inView` is how the log has it now. */
  async prepare(inView: LogRow | null): Promise<Apply> {
    if (this.seq === null) return nothing;
    const row = this.detail?.row;
    const changed =
      row === undefined ||
      row.status === 'pending' ||
      // A stream may go on after the answer that it brought.
      (this.detail?.http.some((exchange) => exchange.after_ms === null) ?? false) ||
      (inView?.seq === row.seq &&
        (inView.status !== row.status || inView.findings.length !== row.findings.length));
    return changed ? this.fetch(this.seq) : nothing;
  }

  /** How many bytes of a frame are here. */
  shown(frame: FrameDetail): number {
    return frame.shown + (this.more.get(frame.index)?.length ?? 0);
  }

  /** Whether more of a frame can be read; what was cut off on arrival never can. */
  hasMore(frame: FrameDetail): boolean {
    return this.shown(frame) < frame.kept;
  }

  /** Loads the next part of a frame that is not shown in full. */
  async readMore(frame: FrameDetail): Promise<void> {
    if (this.seq === null || !this.hasMore(frame)) return;
    const seq = this.seq;
    const before = this.more.get(frame.index) ?? new Uint8Array();
    try {
      const part = await this.backend.call('read_frame', {
        seq,
        index: frame.index,
        offset: frame.shown + before.length,
      });
      if (this.seq !== seq) return;
      const after = fromBase64(part.base64);
      const joined = new Uint8Array(before.length + after.length);
      joined.set(before);
      joined.set(after, before.length);
      this.more = new Map([...this.more, [frame.index, joined]]);
    } catch (thrown) {
      this.error = apiError(thrown);
    }
  }

  /** What was recorded stays as it is, so a frame that is here is kept: nothing has to be drawn again. */
  private unchanged(frames: FrameDetail[]): FrameDetail[] {
    const here = this.detail?.row.seq === this.seq ? (this.detail?.frames ?? []) : [];
    return frames.map((frame) => {
      const same = here.find((each) => each.index === frame.index);
      return same?.size === frame.size && same.time === frame.time && same.shown === frame.shown
        ? same
        : frame;
    });
  }

  private async fetch(seq: number): Promise<Apply> {
    try {
      const detail = await this.backend.call('read_row', { seq });
      return () => {
        if (this.seq !== seq) return;
        this.detail = { ...detail, frames: this.unchanged(detail.frames) };
        this.error = null;
      };
    } catch (thrown) {
      return () => {
        if (this.seq !== seq) return;
        this.detail = null;
        this.error = apiError(thrown);
      };
    }
  }
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
