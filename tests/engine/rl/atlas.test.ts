import { expect, describe, it, test } from 'vitest';
import { openedWorlds, recipes } from '../../../engine/index.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import { toyRun } from '../../../engine/rl/tools/toy-run.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { openWorldById, worlds } from '../../../engine/worlds/index.ts';
import { sampleOf } from '../../../engine/worlds/catalogue.ts';

describe.each(Object.entries(recipes()))('the recipe of %s', (id, { recipe, presets }) => {
  it('starts with a row source, reads only columns that exist, and ends with an objective if it trains', () => {
    expect(Object.keys(presets)).toEqual(
      Object.keys(methods.find((method) => method.id === id)?.presets ?? {}),
    );
    for (const { roles } of [recipe, ...Object.values(presets)]) {
      // a teacher has no rows
      for (const { parts, terms, name } of roles.filter((role) => role.parts.length > 0)) {
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
  'worlds report their levels and ceiling: a sample of a level is a problem of that level, with right ' +
    'and wrong demonstrations',
  async () => {
    expect(openedWorlds().map(({ id }) => id)).toEqual(worlds.map(({ id }) => id));
    for (const { id, levels, heldoutLevels, ceiling, turns } of openedWorlds()) {
      expect(ceiling, id).toBe(1);
      const world = openWorldById(id);
      const allLevels = [null, ...levels, ...heldoutLevels];
      for (const level of allLevels) {
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

test('a toy run reaches its bound, reports its progress, and rejects what cannot be run', async () => {
  const device = await openDevice({ id: 'cpu', threads: 1 });
  const reports: number[] = [];
  const { value, reached, seed } = await toyRun(device, { id: 'dpo', seed: 1 }, ({ done }) =>
    reports.push(done),
  );
  expect([reached, seed, Number.isFinite(value)]).toEqual([true, 1, true]);
  expect(reports.length).toBeGreaterThan(0);
  await expect(toyRun(device, { id: 'nothing', seed: 1 })).rejects.toMatchObject({ kind: 'not-found' });
  await expect(toyRun(device, { id: 'sample', seed: 1 })).rejects.toMatchObject({ kind: 'unsupported' });
});
