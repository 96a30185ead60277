import { tinykeys } from 'tinykeys';

/** Whether a key press belongs to a control that takes text or has keys of its own. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

type Handler = (event: KeyboardEvent) => void;

/** The leader of two-key sequences (`g d`): the key after it belongs to the sequence and to nothing else. */
const LEADER = 'g';
const LEADER_MS = 1000;
let leaderAt = -Infinity;
let afterLeader = false;
addEventListener('keydown', (event) => {
  afterLeader = event.timeStamp - leaderAt < LEADER_MS;
  leaderAt = event.key === LEADER && !isTyping(event.target) ? event.timeStamp : -Infinity;
}, { capture: true });

/** Binds keys to the window; plain keys are ignored while someone types, chords with $mod never are. Returns the release. */
export function bindKeys(bindings: Readonly<Record<string, Handler>>): () => void {
  const guarded = Object.entries(bindings).map(([keys, run]): [string, Handler] => [keys, (event) => {
    if (!keys.includes('$mod') && (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey)) return;
    if (afterLeader && !keys.includes(' ') && !keys.includes('$mod')) return;
    event.preventDefault();
    run(event);
  }]);
  return tinykeys(window, Object.fromEntries(guarded));
}

/** `Ctrl` or the Mac's command key, for hints. */
export const modKey = (): string => (/mac/i.test(navigator.userAgent) ? '⌘' : 'Ctrl');
