/** A clock that ticks only while something on the page shows it. */
export class Ticker {
  now = $state(Date.now());
  private watchers = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly interval: number) {}

  /** Ticks until the returned function is called; made to be the body of an effect. */
  watch(): () => void {
    this.watchers += 1;
    if (this.watchers === 1) {
      this.now = Date.now();
      this.timer = setInterval(() => (this.now = Date.now()), this.interval);
    }
    return () => {
      this.watchers -= 1;
      if (this.watchers === 0) clearInterval(this.timer);
    };
  }
}

/** For what is being waited for, to the tenth of a second. */
export const running = new Ticker(100);
/** For what takes a while. */
export const seconds = new Ticker(1000);
