import type { KeyLine } from '../../lib/keyboard.ts';
import type { Choice } from './sides.ts';

/** Keyboard shortcuts of the labeling screen; the first of each is shown. */
export const choiceKeys: Readonly<Record<Choice, readonly string[]>> = {
  left: ['ArrowLeft', '1', 'j'],
  right: ['ArrowRight', '2', 'k'],
  tie: ['t', '0'],
  'both-bad': ['b'],
  skip: ['s'],
};
export const choiceNames: Readonly<Record<Choice, string>> = {
  left: 'left',
  right: 'right',
  tie: 'tie',
  'both-bad': 'both bad',
  skip: 'skipped',
};
/** Symbol of each choice in the list of recent decisions. */
export const choiceSigns: Readonly<Record<Choice, string>> = {
  left: '◧',
  right: '◨',
  tie: '=',
  'both-bad': '✕',
  skip: '»',
};

export const keyHelp: readonly KeyLine[] = [
  ['← 1 j', 'Left is better'],
  ['→ 2 k', 'Right is better'],
  ['t 0', 'Tie'],
  ['b', 'Both bad'],
  ['s', 'Skip'],
  ['u', 'Undo the last decision'],
  ['d', 'Show differences'],
  ['l', 'Scroll answers together or separately'],
  ['Esc', 'Drop the keys that were pressed ahead'],
];
