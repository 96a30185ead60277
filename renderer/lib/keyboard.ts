import { tinykeys } from 'tinykeys';

/** Keys separated by spaces (`$mod` is Ctrl, or the command key of a Mac), and what they do. */
export type KeyLine = readonly [keys: string, what: string];

/** True if a key press belongs to a control that takes text or has keys of its own. */
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

/** Handlers of one key: alone, and after the leader. */
interface Bound {
  alone?: Handler;
  led?: Handler;
}

/** True if a key works while typing and with modifiers: chords with $mod, and function keys. */
const isGlobal = (key: string): boolean => key.includes('$mod') || /F\d/.test(key);

/**
 * Binds keys to the window; plain keys are ignored while typing, chords with $mod and function keys never
 * are. Returns the function that unbinds them.
 *
 * Sequences are matched here: tinykeys 4.0 forgets the first key of a sequence that follows another one
 * within a second, if its binding is listed after the other one's.
 */
export function bindKeys(bindings: Readonly<Record<string, Handler>>): () => void {
  const bound = new Map<string, Bound>();
  for (const [keys, run] of Object.entries(bindings)) {
    const [key, second] = keys.split(' ');
    if (second !== undefined && key !== LEADER) throw new Error(`${keys} does not begin with ${LEADER}`);
    bound.set(second ?? key, { ...bound.get(second ?? key), [second === undefined ? 'alone' : 'led']: run });
  }
  const handlers = [...bound].map(([key, { alone, led }]): [string, Handler] => [
    key,
    (event) => {
      const run = isGlobal(key) ? alone : afterLeader ? led : alone;
      const isFree = !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!run || !(isFree || isGlobal(key))) return;
      event.preventDefault();
      run(event);
    },
  ]);
  // the guards above handle typing; tinykeys' own default would ignore every key in a field, chords too
  return tinykeys(window, Object.fromEntries(handlers), {
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
