/** Puts the focus on the first field of a form that is marked as wrong; in a group, on what the Tab key would reach. */
export function focusInvalid(form: ParentNode): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  const within = field?.role === 'radiogroup' ? field.querySelector<HTMLElement>('[tabindex="0"]') : null;
  (within ?? field)?.focus();
}
