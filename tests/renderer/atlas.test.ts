import { describe, expect, it } from 'vitest';
import { methods, openedWorlds, recipes, taskKinds } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { boxes, foundInAtlas, describeSchedule } from '../../renderer/features/methods/atlas.ts';
import { ToyState } from '../../renderer/features/methods/toy.svelte.ts';
import { WorldState } from '../../renderer/features/methods/world.svelte.ts';
import type { Catalogue } from '../../renderer/lib/methods.ts';

const all = { methods, taskKinds } as unknown as Pick<Catalogue, 'methods' | 'taskKinds'>;
const worlds = openedWorlds();
const find = (query: string, task = '', makes = '') => foundInAtlas(all, worlds, { query, task, makes });

describe('the atlas', () => {
  it('finds methods, presets and worlds by text, and methods by their task and their product', () => {
    expect(find('').presets.map(({ name }) => name)).toContain('dr-grpo');
    expect(find('dr-grpo')).toMatchObject({ presets: [{ name: 'dr-grpo', of: { id: 'grpo' } }], worlds: [] });
    expect(find('tools').worlds.map(({ id }) => id)).toEqual(['tools']);
    const judges = find('', 'preferences', 'reward');
    expect(judges.groups.map(({ task }) => task)).toEqual(['preferences']);
    expect(judges.groups[0].methods.every(({ produces }) => produces === 'reward')).toBe(true);
    expect(judges.worlds).toEqual([]);
  });

  it('merges consecutive parts of one station into one box, and describes alternating roles', () => {
    const { ppo, grpo } = recipes();
    expect(boxes(ppo.recipe.roles[0].parts).map(({ station }) => station)).toEqual([
      'start',
      'sampler',
      'scorers',
      'reference',
      'credit',
      'objective',
    ]);
    expect(describeSchedule(ppo.recipe)).toBe(
      'policy a batch, then critic a batch, in turn until the budget is spent',
    );
    expect(describeSchedule(grpo.recipe)).toBe('');
  });
});

describe('a toy run on this machine', () => {
  it('keeps one result per seed, suggests the next seed, and cancels the work when stopped', () => {
    let closed = 0;
    let tell: Parameters<ConstructorParameters<typeof ToyState>[1]['runToy']>[1] = () => undefined;
    let end: (error?: unknown) => void = () => undefined;
    const run = new ToyState('dpo', {
      runToy: (_input, onValue, onEnd = () => undefined) => {
        tell = onValue;
        end = onEnd;
        return () => {
          closed += 1;
        };
      },
    });
    run.start();
    tell({ done: 3, total: 10, result: null });
    expect(run.progress).toEqual({ done: 3, total: 10 });
    tell({ done: 1, total: 1, result: { seed: 1, value: 0.9, reached: true, seconds: 1 } });
    end();
    expect([run.busy, run.seed.value, run.here.map(({ seed }) => seed)]).toEqual([false, 2, [1]]);
    run.seed.set(1);
    run.start();
    tell({ done: 1, total: 1, result: { seed: 1, value: 0.8, reached: true, seconds: 1 } });
    end(new WhetstoneError('internal', 'no'));
    expect([run.here.map(({ value }) => value), run.error?.message]).toEqual([[0.8], 'no']);
    run.start();
    run.stop();
    expect([run.busy, closed]).toEqual([false, 1]);
    run.seed.text = '';
    expect(run.ready).toBe(false);
  });
});

describe('problems of a world', () => {
  it(
    'are requested one after another, and from the first again when the level changes; outdated replies ' +
      'are dropped',
    async () => {
      const requests: unknown[] = [];
      const view = new WorldState('grid', {
        worldSample: (input) => {
          requests.push(input);
          return Promise.resolve({
            problem: { prompt: String(requests.length), reference: '', level: 1 },
            demonstrations: [],
          });
        },
      });
      await view.load();
      await view.load();
      view.another();
      view.choose({ split: 'heldout', level: 3 });
      await expect.poll(() => view.sample?.problem.prompt).toBe('3');
      expect(requests).toMatchObject([
        { index: 0, split: 'train' },
        { index: 1 },
        { index: 0, split: 'heldout', level: 3 },
      ]);
    },
  );
});
