import { tinykeys } from 'tinykeys';

/** Keys separated by spaces (`$mod` is Ctrl, or the command key of a Mac), and what they do. */
export type KeyLine = readonly [keys: string, what: string];

/** Whether a key press belongs to a control that takes text or has keys of its own. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

type Handler = (event: KeyboardEvent) => void;

/** The first key of two-key sequences (`g d`): the next key belongs to the sequence only. */
const LEADER = 'g';
const LEADER_MS = 1000;
let leaderAt = -Infinity;
let afterLeader = false;
addEventListener(
  'keydown',
  (event) => {
    afterLeader = event.timeStamp - leaderAt < LEADER_MS;
    leaderAt = event.key === LEADER && !isTyping(event.target) ? event.timeStamp : -Infinity;
  },
  { capture: true },
);

/**
 * Binds keys to the window; plain keys are ignored while typing, chords with $mod and function keys never
 * are. Returns the function that unbinds them.
 */
export function bindKeys(bindings: Readonly<Record<string, Handler>>): () => void {
  const guarded = Object.entries(bindings).map(([keys, run]): [string, Handler] => [
    keys,
    (event) => {
      if (
        !keys.includes('$mod') &&
        !/F\d/.test(keys) &&
        (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey)
      )
        return;
      if (afterLeader && !keys.includes(' ') && !keys.includes('$mod')) return;
      event.preventDefault();
      run(event);
    },
  ]);
  // the guards above handle typing; tinykeys' own default would ignore every key in a field, chords too
  return tinykeys(window, Object.fromEntries(guarded), {
    ignore: (event) => event.repeat || event.isComposing,
  });
}

/** Tab stops within an element, first to last. */
const stops = (within: Element): HTMLElement[] =>
  [
    ...within.querySelectorAll<HTMLElement>(
      'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]',
    ),
  ].filter((each) => each.tabIndex >= 0 && each.checkVisibility());

/**
 * Moves the focus to the first tab stop of the next pane of the window (−1: the previous one): rail, list,
 * view, facts, notices.
 */
export function nextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll('nav.rail, aside.pane, main, .toasts')].filter(
    (pane) => stops(pane).length > 0,
  );
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % panes.length);
  if (next) stops(next)[0].focus();
}

/** Chords that fold a view's side panes. */
export const foldKeys = { left: '$mod+b', right: '$mod+Shift+b' } as const;

/** `Ctrl` or the Mac's command key, for hints. */
export const modKey = (): string => (/mac/i.test(navigator.userAgent) ? '⌘' : 'Ctrl');
