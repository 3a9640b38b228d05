import type { ApiError } from '../backend/bindings';

/** Something that happened and needs no answer: it goes by itself, unless it went wrong or there is more to read. */
export type Notice = {
  id: number;
  text: string;
  /** What more there is to know, a line each. */
  details: string[];
  error: ApiError | null;
  /** A text to be copied by hand, where the system does not let us. */
  copy: string | null;
};

export class Notices {
  list = $state.raw<Notice[]>([]);
  private last = 0;

  say(text: string, details: string[] = []): void {
    // Several files may have the same to tell.
    const each = [...new Set(details)];
    this.add({ id: (this.last += 1), text, details: each, error: null, copy: null });
  }

  fail(error: ApiError): void {
    this.add({ id: (this.last += 1), text: error.title, details: [], error, copy: null });
  }

  /** Shows a text that could not be copied. */
  show(text: string, copy: string): void {
    this.add({ id: (this.last += 1), text, details: [], error: null, copy });
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  /** Only the newest few: nobody reads a pile. */
  private add(notice: Notice): void {
    this.list = [...this.list, notice].slice(-3);
  }
}
