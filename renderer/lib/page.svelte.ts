import type { KeyLine } from './keyboard.ts';

export type Side = 'left' | 'right';

/** A side pane of the current view that can be folded. */
export interface FoldablePane {
  readonly side: Side;
  readonly label: string;
  readonly folded: boolean;
  readonly toggle: () => void;
}

/** The current view's title for the breadcrumbs, its own keys for the help, and its side panes. */
class Page {
  title = $state('');
  keys = $state.raw<readonly KeyLine[]>([]);
  panes = $state.raw<readonly FoldablePane[]>([]);
}
export const page = new Page();
