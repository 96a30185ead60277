const CONTROLS = 'input, select, textarea, button';

/**
 * Scrolls to a field's control and focuses it, opening folded sections; falls back to the nearest enclosing
 * field that has a control.
 */
export function focusField(form: ParentNode, path: readonly string[]): void {
  const places = [...form.querySelectorAll<HTMLElement>('[data-field]')];
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    const place = places.find(({ dataset }) => dataset.field === name);
    const control = place?.matches(CONTROLS) ? place : place?.querySelector<HTMLElement>(CONTROLS);
    if (!place || !control) continue;
    for (let fold = place.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
      fold.open = true;
    control.scrollIntoView({ block: 'center' });
    control.focus();
    return;
  }
}
