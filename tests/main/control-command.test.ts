import { describe, expect, it } from 'vitest';
import { controlCommand } from '../../main/commands/control.ts';
import { tabularAgents } from '../../engine/index.ts';
import { cli } from '../support/cli.ts';

const run = (values: Record<string, string | boolean | string[]>) =>
  controlCommand.run({ positionals: [], values, json: true, log: () => undefined });

describe('the command control', () => {
  it('runs an agent, and prints return, coverage, first reward and the optimum', async () => {
    const { value, out } = await cli(
      ...[
        'control',
        '--agent',
        'go-explore',
        '--world',
        'deep-sea',
        '--steps',
        '6000',
        '--seeds',
        '2',
        '--json',
      ],
    );
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(value).toMatchObject({
      ...{ agent: 'go-explore', world: 'deep-sea', seeds: 2, succeeded: 2, regret: null },
      covered: { mean: 1 },
      return: { mean: expect.closeTo(0.99, 9) as number },
    });
    const { discounted, optimum } = value as { discounted: { mean: number }; optimum: number };
    expect(discounted.mean).toBeCloseTo(optimum, 6);
    const { text } = await run({ agent: 'q-learning', world: 'key-door', steps: '5000', seeds: '2' });
    expect(text).toMatch(/discounted return +\S+ \[.*\] of 0\.869 at best/);
    expect(text).toMatch(/regret +\d/);
  });

  it('shows numbers of the agent’s own', async () => {
    const { value, text } = await run({ agent: 'fisor', world: 'key-door', steps: '3000', seeds: '2' });
    expect(value).toMatchObject({ facts: { violations: { mean: 0, interval: [0, 0] } } });
    expect(text).toMatch(/its own: violations +0 \[0, 0\]/);
  });

  it('lists agents with parameters, and worlds', async () => {
    const { value, text } = await run({ list: true });
    const { agents, worlds } = value as { agents: { id: string }[]; worlds: { states: number }[] };
    expect(agents.map(({ id }) => id)).toEqual(tabularAgents.map(({ id }) => id));
    expect(worlds.map(({ states }) => states)).toEqual([103, 2503, 55, 54]);
    expect(text).toMatch(/go-explore: Go-Explore\./);
    expect(text).toMatch(/explore=10 {2}Random steps after a return\./);
  });

  it('sets a parameter', async () => {
    const { value } = await run({ agent: 'q-learning', world: 'key-door', steps: '10', set: ['epsilon=1'] });
    expect(value).toMatchObject({ seeds: 5 });
  });

  it.each([
    [{ world: 'deep-sea' }, '--agent'],
    [{ agent: 'mex' }, '--world'],
    [{ agent: 'none-such', world: 'deep-sea' }, 'agent'],
    [{ agent: 'mex', world: 'none-such' }, 'world'],
    [{ agent: 'mex', world: 'pendulum' }, 'world'],
    [{ agent: 'mex', world: 'deep-sea', set: ['eta=-1'] }, 'params.eta'],
    [{ agent: 'mex', world: 'deep-sea', set: ['eta=much'] }, 'params.eta'],
    [{ agent: 'mex', world: 'deep-sea', set: ['absent=1'] }, 'params'],
    [{ agent: 'mex', world: 'deep-sea', set: ['eta'] }, '--set'],
    [{ agent: 'mex', world: 'deep-sea', steps: '9' }, '--steps'],
    [{ agent: 'mex', world: 'deep-sea', discount: '1' }, '--discount'],
  ])('refuses %o at %s', async (values, where) => {
    await expect(run(values)).rejects.toMatchObject({ where, hint: expect.any(String) as string });
  });
});
