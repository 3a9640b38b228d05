/**
 * Puts the focus on the first field of a form that is marked as wrong: in a group of choices on what the Tab key would
 * reach, in an object or a list on what opens it.
 */
export function focusInvalid(form: ParentNode): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]');
  if (field === null) return;
  const first = '[tabindex="0"], input, textarea, select, button';
  const within = field.matches('input, textarea, select') ? null : field.querySelector<HTMLElement>(first);
  (within ?? field).focus();
}
