/** What is known of the field, in pixels of the window. */
export type FieldBox = { left: number; top: number; bottom: number; width: number };

/** `top` or `bottom` says which side is held: a list above its field grows upwards. */
export type ListPlace = {
  left: number;
  top: number | null;
  bottom: number | null;
  width: number;
  most: number;
};

const gap = 2;
const edge = 8;
/** Room for a few values: with at least this much below the field, the list stays there. */
const enough = 120;

/** Where the list of a field goes: below it, or above where that has more room; never beyond the window. */
export function listPlace(
  field: FieldBox,
  wanted: number,
  view: { width: number; height: number },
): ListPlace {
  const below = view.height - field.bottom - gap - edge;
  const above = field.top - gap - edge;
  const down = below >= Math.min(wanted, enough) || below >= above;
  const width = Math.min(Math.max(field.width, 200), view.width - 2 * edge);
  return {
    left: Math.max(edge, Math.min(field.left, view.width - edge - width)),
    top: down ? field.bottom + gap : null,
    bottom: down ? null : view.height - field.top + gap,
    width,
    most: Math.max(down ? below : above, 48),
  };
}
