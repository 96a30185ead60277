/** What every tabular agent of the list must do: repeat, continue to the same bits, refuse wrong parameters. */
import { describe, expect, it } from 'vitest';
import {
  tabularAgents,
  TabularRun,
  tabularSummary,
  type TabularSpec,
} from '../../../engine/tabular/index.ts';

const specOf = (agent: string, more: Partial<TabularSpec> = {}): TabularSpec => ({
  ...{ agent, world: 'key-door', steps: 1200, seed: 3, ...more },
});

describe.each(tabularAgents.map((agent) => [agent.id, agent] as const))('%s', (id, agent) => {
  it('says what it is and what its parameters do', () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(agent.summary).toMatch(/^[A-Z].{40,}\.$/);
    expect(agent.cites.length).toBeGreaterThan(10);
    for (const [name, schema] of Object.entries(agent.params.shape))
      expect((schema as { readonly description?: string }).description, name).toMatch(/^.{8,}\.$/);
  });

  it('repeats to the same bits with slips, and learns what depends on the seed', () => {
    const made = (seed: number) => {
      const run = new TabularRun(specOf(id, { seed, slip: 0.2, steps: 600 }));
      return [run.result(), run.save()];
    };
    const first = made(3);
    expect(made(3)).toEqual(first);
    expect(made(4)).not.toEqual(first);
  });

  it.each([333, 700])('continues from step %i to the same bits', (at) => {
    const whole = new TabularRun(specOf(id));
    for (let step = 0; step < at; step++) whole.step();
    const saved = JSON.parse(JSON.stringify(whole.save())) as ReturnType<TabularRun['save']>;
    const expected = whole.result();
    const other = new TabularRun(specOf(id));
    for (let step = 0; step < 50; step++) other.step();
    other.restore(saved);
    expect(other.result()).toEqual(expected);
    expect(other.save()).toEqual(whole.save());
  });

  it('refuses a parameter that it does not have, and one out of range', () => {
    const refusal = (params: object) => {
      try {
        new TabularRun(specOf(id, { params: params as never }));
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(refusal({ absent: 1 })).toMatchObject({
      kind: 'invalid-input',
      hint: expect.any(String) as string,
    });
    const [name] = Object.keys(agent.params.shape);
    expect(refusal({ [name]: -1 })).toMatchObject({ kind: 'invalid-input', where: `params.${name}` });
    expect(refusal({ [name]: 'much' })).toMatchObject({ where: `params.${name}` });
  });
});

describe('a run', () => {
  it.each([
    [{ agent: 'none-such' }, 'agent'],
    [{ world: 'none-such' }, 'world'],
    [{ world: 'cart-pole' }, 'world'],
    [{ steps: 5 }, 'steps'],
    [{ steps: 100.5 }, 'steps'],
    [{ discount: 1 }, 'discount'],
    [{ slip: 1.5 }, 'slip'],
  ])('with %o is refused at %s', (wrong, where) => {
    expect(() => new TabularRun({ ...specOf('q-learning'), ...wrong })).toThrow(
      expect.objectContaining({ where }) as Error,
    );
  });

  it('never earns more than the optimum, and counts regret, coverage and the first reward', () => {
    const { runs, optimum, covered, regret, firstSuccess, succeeded } = tabularSummary(
      specOf('q-learning', { steps: 8000, seed: 0 }),
      3,
    );
    for (const run of runs) {
      expect(run.discounted).toBeLessThanOrEqual(optimum + run.bound);
      expect(run.curve.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => 800 * k));
      expect(run.regret).toBeGreaterThan(0);
      expect(run.regret).toBeLessThanOrEqual((run.episodes + 1) * optimum);
    }
    expect(succeeded).toBe(3);
    expect(firstSuccess?.mean).toBeGreaterThan(15);
    expect(covered.mean).toBeGreaterThan(0.5);
    expect(regret?.interval[0]).toBeLessThanOrEqual(regret?.mean ?? 0);
  });
});
