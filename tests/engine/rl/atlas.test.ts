import { expect, describe, it, test } from 'vitest';
import { openedWorlds, recipes } from '../../../engine/index.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { toyRun } from '../../../engine/rl/tools/toy-run.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { openWorldById, worlds } from '../../../engine/worlds/index.ts';
import { sampleOf } from '../../../engine/worlds/catalogue.ts';

describe.each(Object.entries(recipes()))('the recipe of %s', (id, { recipe, presets }) => {
  it('begins where rows come from, reads only what stands there, and ends in what it learns by', () => {
    expect(Object.keys(presets)).toEqual(
      Object.keys(methods.find((method) => method.id === id)?.presets ?? {}),
    );
    for (const { roles } of [recipe, ...Object.values(presets)]) {
      for (const { parts, terms, name } of roles) {
        expect(['start', 'rows', 'sampler'], name).toContain(parts[0].station);
        expect(parts.slice(1).map(({ station }) => station)).not.toContain('start');
        const there = new Set<string>();
        for (const { reads, adds, id: part } of parts) {
          for (const column of reads) expect(there, `${part} reads ${column}`).toContain(column);
          adds.forEach((column) => there.add(column));
        }
        if (terms.length > 0) expect(parts.at(-1)?.station).toBe('objective');
      }
    }
  });
});

test(
  'worlds tell their levels and ceiling: one that asks a level gives a problem of it, right ' +
    'demonstrations are judged right and wrong ones wrong',
  async () => {
    expect(openedWorlds().map(({ id }) => id)).toEqual(worlds.map(({ id }) => id));
    for (const { id, levels, heldoutLevels, ceiling, turns } of openedWorlds()) {
      expect(ceiling, id).toBe(1);
      const world = openWorldById(id);
      const asked = [null, ...levels, ...heldoutLevels];
      for (const level of asked) {
        const { problem, demonstrations } = await sampleOf(world, { split: 'heldout', level, index: 1 });
        if (level !== null) expect(problem.level, id).toBe(level);
        for (const { kind, verdict, transcript } of demonstrations) {
          expect([kind === 'wrong' ? kind : 'right', verdict.correct], id).toEqual([
            kind === 'wrong' ? 'wrong' : 'right',
            kind !== 'wrong',
          ]);
          expect(transcript.some(({ by }) => by === 'world')).toBe(turns !== null && transcript.length > 1);
        }
      }
      if (heldoutLevels.length > 0)
        await expect(
          sampleOf(world, { split: 'train', level: heldoutLevels[0], index: 0 }),
        ).rejects.toMatchObject({ kind: 'invalid-input', where: 'level' });
    }
  },
);

test('a toy run comes to its bound, tells how far it is, and refuses what cannot be run', async () => {
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const told: number[] = [];
  const { value, reached, seed } = await toyRun(device, { id: 'dpo', seed: 1 }, ({ done }) =>
    told.push(done),
  );
  expect([reached, seed, Number.isFinite(value)]).toEqual([true, 1, true]);
  expect(told.length).toBeGreaterThan(0);
  await expect(toyRun(device, { id: 'nothing', seed: 1 })).rejects.toMatchObject({ kind: 'not-found' });
  await expect(toyRun(device, { id: 'sample', seed: 1 })).rejects.toMatchObject({ kind: 'unsupported' });
});
