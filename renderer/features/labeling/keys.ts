import type { Choice } from '../../../preload/contract/labels.ts';
import type { KeyLine } from '../../lib/keyboard.ts';

/** Everything that a key can do on the labeling screen. */
export type ActionId =
  | Exclude<Choice, 'answered'>
  | 'undo'
  | 'redo'
  | 'differences'
  | 'raw'
  | 'together'
  | 'flag'
  | 'critique'
  | 'reference'
  | 'guidelines'
  | 'labeler'
  | 'judge'
  | 'options';

/** Keys per action, as `KeyboardEvent.key` gives them; the first is shown. */
export type KeyMap = Readonly<Record<ActionId, readonly string[]>>;

export const actionNames: Readonly<Record<ActionId, string>> = {
  left: 'Left is better',
  right: 'Right is better',
  tie: 'Tie',
  'both-bad': 'Both bad',
  skip: 'Skip',
  undo: 'Undo the last decision',
  redo: 'Redo the decision undone last',
  differences: 'Show differences',
  raw: 'Show raw or rendered text',
  together: 'Scroll answers together or separately',
  flag: 'Flag a problem of this item',
  critique: 'Write a critique',
  reference: 'Show the reference answer',
  guidelines: 'Show the guidelines',
  labeler: 'Change the labeler',
  judge: 'Show the judge and the order of the queue',
  options: 'Change the options of the set',
};

export const defaultKeys: KeyMap = {
  left: ['ArrowLeft', '1', 'j'],
  right: ['ArrowRight', '2', 'k'],
  tie: ['t', '0'],
  'both-bad': ['b'],
  skip: ['s'],
  undo: ['u'],
  redo: ['y'],
  differences: ['d'],
  raw: ['r'],
  together: ['l'],
  flag: ['x'],
  critique: ['c'],
  reference: ['v'],
  guidelines: ['i'],
  labeler: ['n'],
  judge: ['o'],
  options: ['p'],
};
export const actionIds = Object.keys(defaultKeys) as ActionId[];

/** Keys of the reasons, in order. */
export const reasonKeys: readonly string[] = ['3', '4', '5', '6', '7', '8', '9'];
/** Keys with a meaning on every screen: places, help, search, leaving a field. */
const reserved: readonly string[] = ['g', '?', '/', 'Escape', 'Tab', 'Enter', ' ', ...reasonKeys];

/** Keys as chosen in the settings, over the defaults; an unreadable setting counts as none. */
export function keysFrom(chosen: unknown): KeyMap {
  if (typeof chosen !== 'object' || chosen === null) return defaultKeys;
  const entries = Object.entries(chosen).filter(
    ([id, keys]) =>
      id in defaultKeys &&
      Array.isArray(keys) &&
      keys.length > 0 &&
      keys.every((key) => typeof key === 'string'),
  );
  return { ...defaultKeys, ...(Object.fromEntries(entries) as Partial<KeyMap>) };
}

const sameKey = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Sentence that says why a key cannot get this meaning; null if it can. */
export function conflictOf(keys: KeyMap, action: ActionId, key: string): string | null {
  if (reserved.some((each) => sameKey(each, key)))
    return `“${keyName(key)}” has a fixed meaning. Choose another key.`;
  const other = actionIds.find((id) => id !== action && keys[id].some((each) => sameKey(each, key)));
  return other ? `“${keyName(key)}” already means “${actionNames[other]}”. Choose another key.` : null;
}

const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};
/** A key as it is shown on a cap. */
export const keyName = (key: string): string => signs[key] ?? key;

/** The same key with Shift, for bindings. */
export const shifted = (key: string): string => (/^\d$/.test(key) ? `Shift+Digit${key}` : `Shift+${key}`);

export const choiceNames: Readonly<Record<Choice, string>> = {
  left: 'left',
  right: 'right',
  tie: 'tie',
  'both-bad': 'both bad',
  skip: 'skipped',
  answered: 'answered',
};
export const choicesInOrder = Object.keys(choiceNames) as Choice[];
/** Symbol of each choice in the list of recent decisions. */
export const choiceSigns: Readonly<Record<Choice, string>> = {
  left: '◧',
  right: '◨',
  tie: '=',
  'both-bad': '✕',
  skip: '»',
  answered: '✓',
};

/** The lines of the key help. */
export const keyHelp = (keys: KeyMap): readonly KeyLine[] => [
  ...actionIds.map((id): KeyLine => [keys[id].map(keyName).join(' '), actionNames[id]]),
  ['Shift', 'With a side: much better'],
  ['3…9', 'Reasons'],
  ['Esc', 'Drop the keys that were pressed ahead'],
];
