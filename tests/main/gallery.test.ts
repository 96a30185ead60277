import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import type { StoreClient } from '../../main/store/client.ts';
import { galleryOf } from '../../main/use-cases/gallery.ts';
import { rejected } from '../support/errors.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

type Answered = readonly [instruction: string, answer: string, isRight: boolean, shown?: string];

async function answered(store: StoreClient, runId: string, step: number, all: readonly Answered[]) {
  const rows = all.map(([prompt, completion, isRight, shown], at) => ({
    ...trajectory({ id: `${runId} ${step} ${at}` }),
    step,
    sample: at,
    promptId: prompt,
    prompt,
    ...(shown !== undefined && { shown }),
    completion,
    purpose: 'sample' as const,
    scores: { likeness: 0.25, verifier: Number(isRight) },
  }));
  const event = { runId, attempt: 1, role: 'policy', step, sequence: step, at: 1 } as const;
  await store.events.commit([{ ...event, type: 'trajectories', rows } as EngineEvent]);
}

describe('the gallery of a probe', () => {
  it('counts by round and by kind of change, and pages through the failures', async () => {
    const { store } = await workspaceForTest();
    const { id: runId } = await store.runs.create(
      parsedSpec({ task: { kind: 'world', id: 'toy/errands' } }),
      [],
    );
    const ask = (own: { theme?: string; offset?: number; limit?: number } = {}) =>
      galleryOf({ store }, { runId, theme: null, offset: 0, limit: 10, ...own });
    expect(await ask()).toMatchObject({ answers: 0, rate: 0, low: 0, high: 1, rounds: [], failures: [] });

    await store.runs.beginAttempt(runId, null);
    await answered(store, runId, 1, [
      ['take cup then push box.', 'tc pb', true],
      ['take cup then push box.', 'tc pb', true],
      ['grab cup then push box.', 'tc pb', true],
      ['grab cup then push box.', 'pb tc', false],
    ]);
    await answered(store, runId, 2, [
      ['push box after grab cup.', 'pb tc', false],
      ['push box after grab cup.', 'pb tc', false],
      ['push box after take cup.', '', false],
      ['push box after take cup.', 'pb tc', false],
    ]);
    const found = await ask();
    expect(found).toMatchObject({ instructions: 4, answers: 8, rate: 3 / 8, failed: 2, tellsRight: true });
    expect(found.rounds.map(({ round, instructions, rate }) => [round, instructions, rate])).toEqual([
      [1, 2, 0.75],
      [2, 2, 0],
    ]);
    expect(found.rounds.map(({ diversity }) => diversity)).toEqual([0.75, 0.75]);
    for (const { rate, low, high } of found.rounds) {
      expect(low).toBeLessThanOrEqual(rate);
      expect(high).toBeGreaterThanOrEqual(rate);
    }
    // an instruction of which half of the answers are right has not failed
    expect(
      found.themes.map(({ theme, instructions, failed, rate }) => [theme, instructions, failed, rate]),
    ).toEqual([
      ['order', 2, 2, 0],
      ['synonym', 2, 1, 0.25],
      [null, 1, 0, 1],
    ]);
    expect(found.failures[1]).toEqual({
      instruction: 'push box after grab cup.',
      themes: ['synonym', 'order'],
      round: 2,
      expected: 'tc pb',
      answers: [
        { text: 'pb tc', isRight: false },
        { text: 'pb tc', isRight: false },
      ],
    });
    expect(await ask({ theme: 'synonym' })).toMatchObject({ failed: 1, answers: 8 });
    expect((await ask({ offset: 1, limit: 1 })).failures.map(({ instruction }) => instruction)).toEqual([
      'push box after grab cup.',
    ]);
    const nobody = galleryOf({ store }, { runId: 'nobody', theme: null, offset: 0, limit: 1 });
    expect((await rejected(nobody)).kind).toBe('not-found');
  });

  it('tells what was shown around a prompt, whose right answer is not known', async () => {
    const { store } = await workspaceForTest();
    const { id: runId } = await store.runs.create(
      parsedSpec({ task: { kind: 'world', id: 'toy/copy' } }),
      [],
    );
    await store.runs.beginAttempt(runId, null);
    const polite = 'Good morning. I would be grateful for your help with this.\n\nabc>';
    await answered(store, runId, 1, [
      ['abc>', 'abc', true],
      ['abc>', 'cba', false, polite],
    ]);
    const found = await galleryOf({ store }, { runId, theme: null, offset: 0, limit: 10 });
    expect(found).toMatchObject({ instructions: 2, failed: 1, tellsRight: false });
    expect(found.themes.map(({ theme, failed }) => [theme, failed])).toEqual([
      ['politeness', 1],
      [null, 0],
    ]);
    expect(found.failures).toMatchObject([{ instruction: polite, themes: ['politeness'], expected: null }]);
  });
});
