import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionIds, conflictOf, defaultKeys, keysFrom } from '../../renderer/features/labeling/keys.ts';
import { Labeling } from '../../renderer/features/labeling/labeling.svelte.ts';
import { begin, Far, quick, slowScreen } from '../support/label-port.ts';

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
    expect(far.log.map(({ pairId, verdict }) => [pairId, verdict])).toEqual([['p0', 'left']]);
    expect(labeling.marks.at(-1)?.writing).toBe(false);
  });

  it('moves, adds and removes no item before the next one is painted', async () => {
    const screen = slowScreen();
    const { labeling } = await begin(4, screen);
    const staged = () => labeling.staged.map(({ pairId }) => pairId);
    screen.paint();
    expect(staged()).toEqual(['p0', 'p1']);
    const decided = labeling.press('left');
    expect(staged()).toEqual(['p0', 'p1']);
    expect([labeling.current?.pairId, labeling.front.isPainted]).toEqual(['p1', false]);
    screen.paint();
    expect(staged()).toEqual(['p1', 'p2']);
    await decided;
    await labeling.undo();
    expect([staged(), labeling.current?.pairId]).toEqual([['p1', 'p0'], 'p0']);
    screen.paint();
    expect(staged()).toEqual(['p0', 'p1']);
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
    expect(far.log.map(({ verdict }) => verdict)).toEqual(['left', 'right']);
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
    for (const action of actionIds)
      for (const key of defaultKeys[action]) expect(conflictOf(defaultKeys, action, key)).toBeNull();
    const keys = actionIds.flatMap((action) => defaultKeys[action]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('takes other keys, but none that means something else', () => {
    const keys = keysFrom({ left: ['q'], nonsense: ['w'], tie: [], undo: 'z' });
    expect([keys.left, keys.tie, keys.undo]).toEqual([['q'], defaultKeys.tie, defaultKeys.undo]);
    expect(conflictOf(keys, 'right', 'Q')).toContain('Left is better');
    expect(conflictOf(keys, 'right', '3')).toContain('fixed meaning');
    expect(conflictOf(keys, 'right', 'j')).toBeNull();
    expect(keysFrom('unreadable')).toEqual(defaultKeys);
  });

  it('repeats undone decisions, in their order', async () => {
    const { far, labeling } = await begin(4);
    void labeling.press('left');
    void labeling.press('right');
    void labeling.undo();
    void labeling.undo();
    void labeling.redo();
    await labeling.redo();
    expect(far.log.map(({ pairId, verdict }) => [pairId, verdict])).toEqual([
      ['p0', 'left'],
      ['p1', 'right'],
    ]);
    expect(labeling.current?.pairId).toBe('p2');
    await labeling.redo();
    expect(labeling.current?.pairId).toBe('p2');
  });
});

describe('keys pressed faster than pairs appear', () => {
  /** Waits for pending tasks: one macrotask. */
  const rest = () => new Promise((resolve) => setTimeout(resolve, 0));
  const decided = (far: Far) => far.log.map(({ pairId, verdict }) => `${pairId} ${verdict}`);

  it('wait, and decide one painted pair each', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(6, screen);
    const writes = [labeling.press('left'), labeling.press('right'), labeling.press('tie')];
    await rest();
    expect([decided(far), labeling.keys.waiting, labeling.current?.pairId]).toEqual([[], 3, 'p0']);
    screen.paint();
    await rest();
    expect([decided(far), labeling.keys.waiting, labeling.current?.pairId]).toEqual([['p0 left'], 2, 'p1']);
    screen.paint();
    screen.paint();
    await Promise.all(writes);
    expect([decided(far), labeling.keys.waiting]).toEqual([['p0 left', 'p1 right', 'p2 tie'], 0]);
  });

  it('wait during the first fetch and while the queue is refilled; without a pair left they do nothing', async () => {
    const far = new Far(2);
    const { queue } = far;
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    far.queue = async (input) => {
      await late;
      return queue(input);
    };
    const labeling = new Labeling('set', far, { now: () => 0, afterPaint: quick });
    const started = labeling.start();
    const writes = [labeling.press('left'), labeling.press('right'), labeling.press('tie')];
    await rest();
    expect([decided(far), labeling.keys.waiting]).toEqual([[], 3]);
    answer();
    await Promise.all([started, ...writes]);
    expect([decided(far), labeling.keys.waiting, labeling.finished]).toEqual([
      ['p0 left', 'p1 right'],
      0,
      true,
    ]);
  });

  it('keep their order with an undo and with keys of the screen', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(6, screen);
    const seen: (string | undefined)[] = [];
    const keys = [
      labeling.press('right'),
      labeling.press('right'),
      labeling.undo(),
      labeling.press('left'),
      labeling.press('tie'),
    ];
    labeling.inOrder(() => seen.push(labeling.current?.pairId));
    while (labeling.keys.waiting > 0) {
      screen.paint();
      await rest();
    }
    await Promise.all(keys);
    expect([decided(far), seen]).toEqual([['p0 right', 'p1 left', 'p2 tie'], ['p3']]);
  });

  it('are dropped on request; the decisions made before are written', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(6, screen);
    const writes = [labeling.press('left'), labeling.press('left'), labeling.undo()];
    screen.paint();
    labeling.drop();
    screen.paint();
    await Promise.all(writes);
    expect([decided(far), labeling.keys.waiting, labeling.current?.pairId]).toEqual([['p0 left'], 0, 'p1']);
  });

  it('are dropped when a write fails: its pair is shown again, and an undo does not undo an older one', async () => {
    const screen = slowScreen();
    const { far, labeling } = await begin(6, screen);
    screen.paint();
    await labeling.press('left');
    far.refuse = true;
    const keys = [labeling.press('right'), labeling.press('tie'), labeling.undo(), labeling.press('skip')];
    screen.paint();
    await Promise.all(keys);
    expect([decided(far), labeling.keys.waiting, labeling.current?.pairId]).toEqual([['p0 left'], 0, 'p1']);
    expect(labeling.error?.message).toBe('The disk is full.');
  });

  /** A key, or a pause in which frames are painted and requests answered. */
  const stroke = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('left', 'right', 'tie', 'both-bad', 'skip') },
    { weight: 2, arbitrary: fc.constant('undo' as const) },
    { weight: 2, arbitrary: fc.constant('pause' as const) },
  );

  it('mean the same at any speed of the keys, the screen and the services', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stroke, { maxLength: 60 }),
        fc.infiniteStream(fc.boolean()),
        fc.integer({ min: 1, max: 90 }),
        async (strokes, isLate, count) => {
          const screen = slowScreen();
          const far = new Far(count);
          const painted = new Set<string>();
          const ask =
            <I, O>(call: (input: I) => Promise<O>) =>
            async (input: I): Promise<O> => {
              while (isLate.next().value) await Promise.resolve();
              return call(input);
            };
          const { queue, undo, decide } = far;
          far.queue = ask(queue);
          far.undo = ask(undo);
          far.decide = ask(async (input) => {
            expect(painted.has(input.pairId)).toBe(true);
            return decide(input);
          });
          const labeling = new Labeling('set', far, { now: () => 0, afterPaint: screen.afterPaint });
          const paint = () => {
            if (labeling.current) painted.add(labeling.current.pairId);
            screen.paint();
          };
          const done: Promise<void>[] = [labeling.start()];
          const expected: string[] = [];
          for (const each of strokes) {
            if (each === 'pause') {
              if (isLate.next().value) paint();
              await rest();
            } else if (each === 'undo') {
              done.push(labeling.undo());
              expected.pop();
            } else {
              done.push(labeling.press(each));
              if (expected.length < count) expected.push(`p${expected.length} ${each}`);
            }
          }
          while (labeling.keys.waiting > 0) {
            paint();
            await rest();
          }
          await Promise.all(done);
          expect(decided(far)).toEqual(expected);
          expect(labeling.error).toBeNull();
        },
      ),
      { seed: 13, numRuns: 150 },
    );
  });
});
