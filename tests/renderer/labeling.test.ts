import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../engine/schema/preference.ts';
import type { PairShown } from '../../preload/contract/labels.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { differences } from '../../renderer/features/labeling/differences.ts';
import { choiceKeys } from '../../renderer/features/labeling/keys.ts';
import { Labeling } from '../../renderer/features/labeling/labeling.svelte.ts';
import type { LabelPort, Screen } from '../../renderer/features/labeling/labeling.svelte.ts';

/** An in-memory label set that implements the contract, and can be set to fail or to wait. */
class Far implements LabelPort {
  readonly pairs: PairShown[];
  readonly log: { pairId: string; verdict: Verdict; seconds: number | null }[] = [];
  refuse = false;
  gate: Promise<void> = Promise.resolve();
  constructor(count: number) {
    this.pairs = Array.from({ length: count }, (_, position) => ({
      pairId: `p${position}`,
      position,
      prompt: `q${position}`,
      a: 'l',
      b: 'r',
      leftIs: 'a',
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
  decide: LabelPort['decide'] = async ({ pairId, verdict, seconds = null }) => {
    await this.gate;
    if (this.refuse) throw new WhetstoneError('disk-full', 'The disk is full.');
    this.log.push({ pairId, verdict, seconds });
    return this.counts();
  };
  undo: LabelPort['undo'] = async () => {
    const last = this.log.pop();
    return this.pairs.find(({ pairId }) => pairId === last?.pairId) ?? null;
  };
  recent: LabelPort['recent'] = async ({ count = 5 }) =>
    this.log.slice(-count).map(({ pairId, verdict, seconds }, at) => ({
      pairId,
      verdict,
      leftIs: 'a',
      at,
      seconds,
      labeler: 'me',
    }));
  progress: LabelPort['progress'] = async () => this.counts();
  pair: LabelPort['pair'] = async ({ pairId }) =>
    this.pairs.find((each) => each.pairId === pairId) as PairShown;
}

/** A screen that paints immediately. */
const quick = (done: () => void): void => done();

async function begin(count: number, { now = () => 0, afterPaint = quick }: Partial<Screen> = {}) {
  const far = new Far(count);
  const labeling = new Labeling('set', far, { now, afterPaint });
  await labeling.start();
  return { far, labeling };
}

/** A screen that paints on demand. */
function slowScreen() {
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

describe('labeling by keys', () => {
  it('shows the next pair at once, before the decision is on disk', async () => {
    const { far, labeling } = await begin(20);
    let open: () => void = () => undefined;
    far.gate = new Promise((resolve) => {
      open = resolve;
    });
    const written = labeling.press('left');
    expect(labeling.current?.pairId).toBe('p1');
    expect(labeling.marks.at(-1)).toMatchObject({ pairId: 'p0', choice: 'left', writing: true });
    expect(far.log).toEqual([]);
    open();
    await written;
    expect(far.log.map(({ pairId, verdict }) => [pairId, verdict])).toEqual([['p0', 'a']]);
    expect(labeling.marks.at(-1)?.writing).toBe(false);
  });

  it('labels every pair once, in order, at any typing speed', async () => {
    const { far, labeling } = await begin(23);
    const writes: Promise<void>[] = [];
    for (let press = 0; press < 40; press++) {
      writes.push(labeling.press('right'));
      if (press % 3 === 0) await Promise.resolve();
      if (!labeling.current) await Promise.all(writes);
    }
    await Promise.all(writes);
    expect(far.log.map(({ pairId }) => pairId)).toEqual(far.pairs.map(({ pairId }) => pairId));
    expect(labeling.finished).toBe(true);
  });

  it('restores a pair and shows the error when its decision cannot be written', async () => {
    const { far, labeling } = await begin(6);
    far.refuse = true;
    await labeling.press('tie');
    expect(labeling.current?.pairId).toBe('p0');
    expect(labeling.error?.message).toBe('The disk is full.');
    expect(labeling.marks).toEqual([]);
    far.refuse = false;
    await labeling.press('tie');
    expect(far.log.map(({ pairId }) => pairId)).toEqual(['p0']);
    expect(labeling.error).toBeNull();
  });

  it('undoes the newest decision, even while it is being written', async () => {
    const { far, labeling } = await begin(6);
    void labeling.press('left');
    void labeling.press('right');
    await labeling.undo();
    expect(far.log.map(({ pairId }) => pairId)).toEqual(['p0']);
    expect(labeling.current?.pairId).toBe('p1');
    expect(labeling.marks.map(({ pairId }) => pairId)).toEqual(['p0']);
  });

  it('reopens a decided pair; deciding again is a second event', async () => {
    const { far, labeling } = await begin(6);
    await labeling.press('left');
    await labeling.reopen(labeling.marks[0]);
    expect(labeling.current?.pairId).toBe('p0');
    await labeling.press('right');
    expect(far.log.map(({ verdict }) => verdict)).toEqual(['a', 'b']);
    expect(labeling.current?.pairId).toBe('p1');
  });

  it('measures how long each pair was on the screen', async () => {
    let clock = 0;
    const { far, labeling } = await begin(6, { now: () => clock });
    clock = 2500;
    await labeling.press('left');
    clock = 3000;
    await labeling.press('skip');
    expect(far.log.map(({ seconds }) => seconds)).toEqual([2.5, 0.5]);
  });

  it('reports a finished set, and continues after an undo', async () => {
    const { labeling } = await begin(1);
    expect(labeling.finished).toBe(false);
    await labeling.press('left');
    expect(labeling.finished).toBe(true);
    await labeling.undo();
    expect([labeling.finished, labeling.current?.pairId]).toEqual([false, 'p0']);
  });

  it('has no key with two meanings', () => {
    const keys = Object.values(choiceKeys).flat();
    expect(new Set([...keys, 'u', 'd', 'l']).size).toBe(keys.length + 3);
  });
});

describe('keys pressed faster than pairs appear', () => {
  /** Waits for pending tasks: one macrotask. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 0));

  it.each([1, 5, 9, 25, 40])(
    'each of 25 keys decides a pair that was on the screen or counts as ignored: %d pairs, services that answer late',
    async (count) => {
      const screen = slowScreen();
      const { far, labeling } = await begin(count, screen);
      const { queue } = far;
      let answer: () => void = () => undefined;
      const late = new Promise<void>((resolve) => {
        answer = resolve;
      });
      far.queue = async (input) => {
        await late;
        return queue(input);
      };
      const seen: string[] = [];
      const writes: Promise<void>[] = [];
      for (let key = 0; key < 25; key++) {
        // two keys per frame, and sometimes a frame without any
        if (key % 2 === 0) screen.paint();
        if (key === 20) answer();
        const before = labeling.current;
        const missed = labeling.missed;
        writes.push(labeling.press('left'));
        if (labeling.missed === missed && before) seen.push(before.pairId);
        if (key % 5 === 0) await rest();
      }
      await Promise.all(writes);
      expect([far.log.length + labeling.missed, new Set(far.log.map(({ pairId }) => pairId)).size]).toEqual([
        25,
        far.log.length,
      ]);
      expect(far.log.map(({ pairId }) => pairId)).toEqual(seen);
      expect(labeling.missed).toBeGreaterThan(0);
    },
  );

  it('accept every key at the repeat rate of a keyboard, even if the services answer late', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(60, screen);
    const { queue } = far;
    let isAsked = false;
    far.queue = async (input) => {
      isAsked = true;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return queue(input);
    };
    const writes: Promise<void>[] = [];
    for (let key = 0; key < 25; key++) {
      screen.paint();
      writes.push(labeling.press('right'));
    }
    await Promise.all(writes);
    expect([far.log.map(({ pairId }) => pairId), labeling.missed, isAsked]).toEqual([
      far.pairs.slice(0, 25).map(({ pairId }) => pairId),
      0,
      true,
    ]);
  });

  it('are ignored for a pair that is not painted yet', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(6, screen);
    await labeling.press('left');
    expect([far.log, labeling.missed, labeling.current?.pairId]).toEqual([[], 1, 'p0']);
    screen.paint();
    await labeling.press('left');
    await labeling.press('right');
    expect([far.log.map(({ pairId, verdict }) => [pairId, verdict]), labeling.missed]).toEqual([
      [['p0', 'a']],
      2,
    ]);
    // a pair that reappears: by undo, or because its decision could not be written
    screen.paint();
    await labeling.undo();
    await labeling.press('tie');
    expect([far.log, labeling.current?.pairId, labeling.missed]).toEqual([[], 'p0', 3]);
    screen.paint();
    far.refuse = true;
    await labeling.press('both-bad');
    await labeling.press('skip');
    expect([far.log, labeling.current?.pairId, labeling.missed]).toEqual([[], 'p0', 4]);
  });

  it('are ignored during the first fetch and once all pairs are labeled', async () => {
    const far = new Far(1);
    const screen = slowScreen();
    const labeling = new Labeling('set', far, { now: () => 0, ...screen });
    const started = labeling.start();
    await labeling.press('left');
    await started;
    expect([far.log, labeling.missed]).toEqual([[], 1]);
    screen.paint();
    await labeling.press('left');
    await labeling.press('left');
    expect([far.log.length, labeling.missed, labeling.finished]).toEqual([1, 2, true]);
  });

  it('show the number of ignored keys until the next slow decision', async () => {
    let clock = 0;
    const screen = slowScreen();
    const { labeling } = await begin(9, { now: () => clock, afterPaint: screen.afterPaint });
    await labeling.press('left');
    screen.paint();
    clock = 30;
    await labeling.press('left');
    expect(labeling.missed).toBe(1);
    screen.paint();
    clock = 2000;
    await labeling.press('left');
    expect(labeling.missed).toBe(0);
  });
});

describe('differences between two answers', () => {
  const text = (stretches: readonly { text: string }[]) => stretches.map((each) => each.text).join('');
  const same = (stretches: readonly { text: string; changed: boolean }[]) =>
    stretches
      .filter(({ changed }) => !changed)
      .map((each) => each.text)
      .join('')
      .replace(/\s+/g, '');

  it('mark only what differs', () => {
    const { left, right } = differences('the answer is 12', 'the answer is 13');
    expect(left.filter(({ changed }) => changed)).toEqual([{ text: '12', changed: true }]);
    expect(right.filter(({ changed }) => changed)).toEqual([{ text: '13', changed: true }]);
    expect(differences('same', 'same').left).toEqual([{ text: 'same', changed: false }]);
  });
  it('lose no text, and leave only common text unmarked', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', '12', ' ', '\n', '+', 'no'), { maxLength: 30 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(words, words, (a, b) => {
        const { left, right } = differences(a, b);
        expect([text(left), text(right)]).toEqual([a, b]);
        expect(same(left)).toBe(same(right));
      }),
    );
  });
  it('are computed line by line for long texts', () => {
    const long = Array.from({ length: 900 }, (_, i) => `line ${i}\n`);
    const { left } = differences(long.join(''), long.with(450, 'other\n').join(''));
    expect(left.filter(({ changed }) => changed).map((each) => each.text)).toEqual(['line 450\n']);
  });
});
