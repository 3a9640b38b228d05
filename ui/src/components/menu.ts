/** What a menu offers. An item with more of them opens those in its place. */
export type MenuItem =
  | {
      kind: 'item';
      id: string;
      label: string;
      /** Beside the label, dimmed: a key, a place. */
      hint?: string;
      tone?: 'danger';
      disabled?: boolean;
      run: () => void;
    }
  | { kind: 'more'; id: string; label: string; items: () => MenuItem[] | Promise<MenuItem[]> }
  | { kind: 'line'; id: string };

/** Where a menu of a size goes so that it can be seen whole: at the point, or on its other side. */
export function menuPlace(
  at: { x: number; y: number },
  size: { width: number; height: number },
  room: { width: number; height: number },
): { left: number; top: number } {
  const edge = 4;
  const fit = (point: number, length: number, whole: number): number =>
    point + length + edge <= whole ? point : Math.max(edge, Math.min(point - length, whole - length - edge));
  return {
    left: fit(at.x, size.width, room.width),
    top: at.y + size.height + edge <= room.height ? at.y : Math.max(edge, room.height - size.height - edge),
  };
}

/** The item that a key leads to: the next whose label begins with it, from the one behind the cursor on. */
export function typedTo(labels: string[], at: number, key: string): number {
  const places = labels.map((_, step) => (at + 1 + step) % labels.length);
  return places.find((place) => labels[place]?.toLowerCase().startsWith(key.toLowerCase())) ?? -1;
}
