import type { DecisionDetails } from '../../engine/schema/labeling/index.ts';
import type { Choice, PairShown } from '../../preload/contract/labels.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { Labeling } from '../../renderer/features/labeling/labeling.svelte.ts';
import type { Screen } from '../../renderer/features/labeling/front.svelte.ts';
import type { LabelPort } from '../../renderer/features/labeling/labeling.svelte.ts';

/** An in-memory label set that implements the contract, and can be set to fail or to wait. */
export class Far implements LabelPort {
  readonly pairs: PairShown[];
  readonly log: {
    pairId: string;
    verdict: Choice;
    seconds: number | null;
    details: Partial<DecisionDetails>;
  }[] = [];
  readonly undone: Far['log'] = [];
  refuse = false;
  gate: Promise<void> = Promise.resolve();
  constructor(count: number) {
    this.pairs = Array.from({ length: count }, (_, position) => ({
      pairId: `p${position}`,
      position,
      prompt: `q${position}`,
      answers: ['l', 'r'],
    }));
  }
  private undecided = () =>
    this.pairs.filter(({ pairId }) => !this.log.some((each) => each.pairId === pairId));
  private counts = () => ({
    pairs: this.pairs.length,
    labeled: this.pairs.length - this.undecided().length,
    perMinute: null,
    leftShare: null,
  });
  queue: LabelPort['queue'] = async ({ after = [], count = 5 }) =>
    this.undecided()
      .filter(({ pairId }) => !after.includes(pairId))
      .slice(0, count);
  decide: LabelPort['decide'] = async ({ pairId, verdict, seconds = null, details = {} }) => {
    await this.gate;
    if (this.refuse) throw new WhetstoneError('disk-full', 'The disk is full.');
    this.log.push({ pairId, verdict: verdict as Choice, seconds, details });
    this.undone.length = 0;
    return this.counts();
  };
  undo: LabelPort['undo'] = async () => {
    const last = this.log.pop();
    if (last) this.undone.push(last);
    const pair = this.pairs.find(({ pairId }) => pairId === last?.pairId);
    return pair && last ? { ...pair, before: { choice: last.verdict, details: last.details } } : null;
  };
  redo: LabelPort['redo'] = async () => {
    const again = this.undone.pop();
    if (!again) return null;
    this.log.push(again);
    return { pairId: again.pairId, choice: again.verdict, at: 0, seconds: null, labeler: 'me' };
  };
  reference: LabelPort['reference'] = async ({ pairId }) => ({ reference: `reference of ${pairId}` });
  recent: LabelPort['recent'] = async ({ count = 5 }) =>
    this.log.slice(-count).map(({ pairId, verdict, seconds }, at) => ({
      pairId,
      choice: verdict,
      at,
      seconds,
      labeler: 'me',
    }));
  progress: LabelPort['progress'] = async () => this.counts();
  pair: LabelPort['pair'] = async ({ pairId }) =>
    this.pairs.find((each) => each.pairId === pairId) as PairShown;
}

/** A screen that paints immediately. */
export const quick = (done: () => void): void => done();

export async function begin(count: number, { now = () => 0, afterPaint = quick }: Partial<Screen> = {}) {
  const far = new Far(count);
  const labeling = new Labeling('set', far, { now, afterPaint });
  await labeling.start();
  return { far, labeling };
}

/** A screen that paints on demand. */
export function slowScreen() {
  let waiting: (() => void)[] = [];
  return {
    afterPaint: (done: () => void) => void waiting.push(done),
    paint: () => {
      const due = waiting;
      waiting = [];
      due.forEach((done) => done());
    },
  };
}
