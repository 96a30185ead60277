import type { ModeId, SetOptions } from '../../../engine/schema/labeling/index.ts';
import { judge, type JudgingKey } from './judging.ts';
import type { KeyMap } from './keys.ts';
import type { Labeling } from './labeling.svelte.ts';
import {
  assign,
  markingOf,
  move,
  nextSpan,
  removeAt,
  type Marking,
  type Movement,
  type Unit,
} from './marking.ts';

/** The part of the labeling screen that keys of modes act on. */
interface Desk {
  readonly labeling: Pick<Labeling, 'answer' | 'inOrder'>;
  readonly keys: KeyMap;
  readonly options: SetOptions;
  readonly mode: ModeId;
}
type Bindings = Readonly<Record<string, () => void>>;

const digits = Array.from({ length: 9 }, (_none, at) => at + 1);
/** Moves the focus to a field of the item on the screen. */
export const focusField = (name: string): void =>
  document.querySelector<HTMLElement>(`.item:not([inert]) [aria-label="${name}"]`)?.focus();

/** Judges the answer on the screen, after the keys before. */
export const judgeNext = ({ labeling }: Pick<Desk, 'labeling'>, key: JudgingKey): void =>
  void labeling.answer((before, pair) => judge(before, pair, key));

/** Changes the marks of the answer on the screen, after the keys before. */
export const markNext = (
  { labeling }: Pick<Desk, 'labeling'>,
  change: (marking: Marking, text: string) => Marking,
): void =>
  void labeling.answer((before, { answers: [text] }) => ({
    value: change(markingOf(before), text),
    complete: false,
  }));

/** Decides with the spans that are marked. */
export const finishMarking = ({ labeling }: Pick<Desk, 'labeling'>): void =>
  void labeling.answer((before) => ({ value: { spans: markingOf(before).spans }, complete: true }));

/** Keys of the mode `correctness`: those of the sides judge, digits name the first wrong step. */
function judgingKeys(desk: Desk): Bindings {
  const named = (side: 'left' | 'right', key: JudgingKey) =>
    desk.keys[side].filter((each) => !/^\d$/.test(each)).map((each) => [each, key] as const);
  const keys: readonly (readonly [string, JudgingKey])[] = [
    ...named('left', 'correct'),
    ...named('right', 'incorrect'),
    ['ArrowUp', 'up'],
    ['ArrowDown', 'down'],
    ...digits.map((digit) => [`${digit}`, digit] as const),
  ];
  return Object.fromEntries(keys.map(([key, action]) => [key, () => judgeNext(desk, action)]));
}

const arrows: readonly (readonly [string, Unit, 1 | -1])[] = [
  ['ArrowRight', 'word', 1],
  ['ArrowLeft', 'word', -1],
  ['ArrowDown', 'sentence', 1],
  ['ArrowUp', 'sentence', -1],
];

/** Keys of the mode `spans`: arrows move, with Shift they select; digits assign the labels of the set. */
function markingKeys(desk: Desk): Bindings {
  const go = (movement: Movement) => () => markNext(desk, (marking, text) => move(marking, text, movement));
  const moves = arrows.flatMap(([key, unit, step]) => [
    [key, go({ unit, step, extend: false })] as const,
    [`Shift+${key}`, go({ unit, step, extend: true })] as const,
  ]);
  const labels = desk.options.spanLabels.map(
    (label, at) =>
      [`${at + 1}`, () => markNext(desk, (marking, text) => assign(marking, text, label))] as const,
  );
  return {
    ...Object.fromEntries([...moves, ...labels]),
    Backspace: () => markNext(desk, removeAt),
    Delete: () => markNext(desk, removeAt),
    ']': () => markNext(desk, (marking) => nextSpan(marking, 1)),
    '[': () => markNext(desk, (marking) => nextSpan(marking, -1)),
    m: () => desk.labeling.inOrder(() => focusField('Comment on the span')),
  };
}

/** Keys of the modes `correctness` and `spans`, over those of all modes; null in the other modes. */
export const modeKeys = (desk: Desk): Bindings | null =>
  desk.mode === 'correctness' ? judgingKeys(desk) : desk.mode === 'spans' ? markingKeys(desk) : null;

/**
 * Takes Enter for the item, unless a control has the focus. Once taken, the event is no other item's: the
 * one behind may have come to the front meanwhile.
 */
export function takesEnter(event: KeyboardEvent): boolean {
  const { target, key, repeat, defaultPrevented } = event;
  const isControl =
    target instanceof HTMLElement && target.closest('a, button, input, textarea, select, summary') !== null;
  if (key !== 'Enter' || repeat || defaultPrevented || isControl) return false;
  event.preventDefault();
  return true;
}
