/** What of a text was not in sight yet: what is folded, or what lies below the edge of its box. At first nobody knows. */
export type Unseen = 'unknown' | 'folded' | 'below' | null;

/**
 * Tells what of a box the person can't have seen. What was whole in sight for a moment has been seen and stays so: fields
 * are drawn a few at a time, so the end that is there at first may not be the end.
 */
export function sight(tell: (unseen: Unseen) => void): (box: HTMLElement) => () => void {
  return (box) => {
    let settling: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      clearTimeout(settling);
      const unseen = unseenOf(box);
      if (unseen !== null) tell(unseen);
      else settling = setTimeout(finish, settled);
    };
    const sizes = new ResizeObserver(look);
    const stop = (): void => {
      clearTimeout(settling);
      sizes.disconnect();
      box.removeEventListener('scroll', look);
    };
    const finish = (): void => {
      stop();
      tell(null);
    };
    box.addEventListener('scroll', look, { passive: true });
    for (const part of [box, ...box.children]) sizes.observe(part);
    look();
    return stop;
  };
}

const settled = 250;

/** What must be seen whole says so; it is unfolded by a button, and by nothing else. */
function unseenOf(box: HTMLElement): Unseen {
  if (box.querySelector('[data-whole] button') !== null) return 'folded';
  // A box without a height is in nobody's sight.
  return box.clientHeight > 0 && box.scrollTop + box.clientHeight >= box.scrollHeight - 2 ? null : 'below';
}
