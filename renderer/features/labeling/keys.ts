import type { SideVerdict } from '../../../preload/contract/labels.ts';

/** Keys of the labeling screen; the first of each is shown as a cap. */
export const verdictKeys: Readonly<Record<SideVerdict, readonly string[]>> = {
  left: ['ArrowLeft', '1', 'j'],
  right: ['ArrowRight', '2', 'k'],
  tie: ['t', '0'],
  'both-bad': ['b'],
  skip: ['s'],
};
export const verdictNames: Readonly<Record<SideVerdict, string>> = {
  left: 'left',
  right: 'right',
  tie: 'tie',
  'both-bad': 'both bad',
  skip: 'skipped',
};
/** One sign for each verdict, on the marks of the last decisions. */
export const verdictSigns: Readonly<Record<SideVerdict, string>> = {
  left: '◧',
  right: '◨',
  tie: '=',
  'both-bad': '✕',
  skip: '»',
};

export const keyHelp: readonly (readonly [string, string])[] = [
  ['← 1 j', 'Left is better'],
  ['→ 2 k', 'Right is better'],
  ['t 0', 'Tie'],
  ['b', 'Both bad'],
  ['s', 'Skip'],
  ['u', 'Undo the last decision'],
  ['d', 'Show differences'],
  ['l', 'Scroll together or apart'],
];
