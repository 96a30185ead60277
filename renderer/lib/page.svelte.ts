import type { KeyLine } from './keyboard.ts';

/** The current view's title for the breadcrumbs, and the keys of its current state for the help. */
class Page {
  title = $state('');
  keys = $state.raw<readonly KeyLine[]>([]);
}
export const page = new Page();
