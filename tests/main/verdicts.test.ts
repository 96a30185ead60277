import { describe, expect, it, test } from 'vitest';
import { judgedReply } from '../../engine/judged-verdicts.ts';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { openWorldById } from '../../engine/worlds/index.ts';
import { kindOf } from '../../main/use-cases/verdicts.ts';
import { servicesForTest, smallSpec } from '../support/workspace.ts';

const words = { right: 'Y', wrong: 'N', cue: '|' };
const steps = openWorldById('toy/steps', { length: 2 });
const reply = (answer: string, written: string, { cues = 3, world = steps as typeof steps | null } = {}) =>
  judgedReply(
    { prompt: 'ab>', shown: `ab>${answer}${'|'.repeat(cues)}`, written, agrees: 1 },
    { words, world },
  );

describe('a written reply', () => {
  test('is read line by line against the truth', () => {
    expect(reply('a\nc\n#', 'YNN')).toMatchObject({
      lines: [
        { text: 'a', verdict: true, holds: true },
        { text: 'c', verdict: false, holds: false },
      ],
      rest: '#',
      verdict: false,
      correct: false,
      firstError: 1,
      firstBlamed: 1,
    });
    expect(reply('a\nb\n#', 'YYY')).toMatchObject({ correct: true, firstError: -1, firstBlamed: -1 });
  });

  test('has no verdicts where their number or form is wrong', () => {
    for (const written of ['YN', 'YNx', ''])
      expect(reply('a\nc\n#', written)).toMatchObject({
        verdict: null,
        firstError: 1,
        firstBlamed: null,
        lines: [{ verdict: null }, { verdict: null }],
      });
  });

  test('in a world that does not judge lines knows the outcome by the verifier’s own reward', () => {
    const found = reply('a\nc\n#', 'YYN', { world: null });
    expect(found).toMatchObject({ correct: false, firstError: null, firstBlamed: -1, verdict: false });
    expect(found?.lines.map(({ holds }) => holds)).toEqual([null, null]);
  });

  test('on parts that are no lines has a verdict on the whole alone', () =>
    expect(reply('ab', 'YYY', { world: null })).toMatchObject({ lines: [], rest: 'ab', verdict: true }));

  test('is left out if its answer was cut from the prompt', () =>
    expect(
      judgedReply({ prompt: 'ab>', shown: 'ab|||', written: 'YYY', agrees: 1 }, { words, world: steps }),
    ).toBe(null));
});

test.each([
  [1, 1, 'found'],
  [1, 0, 'elsewhere'],
  [1, -1, 'missed'],
  [-1, 0, 'false-alarm'],
  [-1, -1, null],
  [null, 0, null],
  [1, null, null],
])('a first error in line %s, sought in %s, is %s', (firstError, firstBlamed, kind) =>
  expect(kindOf({ firstError, firstBlamed })).toBe(kind),
);

describe('a run with a verifier', { timeout: 60_000 }, () => {
  const trained = async (own: Partial<RunSpecInput>) => {
    const bench = await servicesForTest({ engine: null });
    const { runId } = await bench.api.runs.launch({ spec: smallSpec(own) });
    await bench.waitForRun(runId);
    return { runId, store: bench.services.store, ...bench.api.verdicts };
  };

  it('shows its turns, and its verdicts by stage of training', async () => {
    const { runId, ofRun, transcripts, store } = await trained({
      method: { id: 'tango', params: { warmup: 2, groupSize: 3 } },
      task: { kind: 'world', id: 'toy/steps', params: { length: 2 } },
      sampling: { maxTokens: 6 },
      budget: { steps: 7, batch: 4 },
    });
    const found = await ofRun({ runId });
    if (!found) throw new Error('the verifier was not found');
    expect(found.turns).toEqual([
      { role: 'verifier', from: 1, to: 2, answers: 24 },
      { role: 'policy', from: 3, to: 5, answers: 36 },
      { role: 'verifier', from: 6, to: 6, answers: 12 },
      { role: 'policy', from: 7, to: 7, answers: 12 },
    ]);
    expect(found.stages.map(({ from, to, stored, read }) => [from, to, stored, read])).toEqual([
      [1, 1, 12, 12],
      [2, 2, 12, 12],
      [6, 6, 12, 12],
    ]);
    for (const { from, to, answers, malformed } of found.stages) {
      const counted = Object.values(answers).reduce((sum, count) => sum + count, malformed);
      expect(counted).toBe(12);
      const all = await transcripts({ runId, from, to, kind: 'all', limit: 12 });
      expect(all.total).toBe(12);
      expect(all.transcripts.every(({ step }) => step >= from && step <= to)).toBe(true);
    }
    const few = await store.verdicts.replies({ runId, role: 'verifier', from: 1, to: 7, limit: 6 });
    expect(few.map(({ step }) => step)).toEqual([1, 1, 2, 2, 6, 6]);
    const missed = await transcripts({ runId, from: 1, to: 7, kind: 'missed', limit: 1 });
    expect(missed.transcripts.length).toBe(Math.min(1, missed.total));
  });

  it('is needed', async () => {
    const { runId, ofRun, transcripts } = await trained({});
    expect(await ofRun({ runId })).toBe(null);
    expect(await transcripts({ runId, from: 0, to: 9, kind: 'all', limit: 12 })).toEqual({
      total: 0,
      transcripts: [],
    });
  });
});
