import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../preload/contract/plans.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { smallSpec } from '../support/workspace.ts';

function place() {
  const home = temporaryFolder();
  return {
    at: ['--workspace', join(home, 'workspace'), '--json'],
    file: (name: string, content: unknown): string => {
      const to = join(home, name);
      writeFileSync(to, JSON.stringify(content));
      return to;
    },
  };
}
const plan = {
  name: 'two',
  nodes: [
    { id: 'a', spec: smallSpec({ budget: { steps: 2, batch: 4 } }) },
    { id: 'b', spec: smallSpec({ budget: { steps: 2, batch: 4 } }), after: ['a'] },
  ],
};

describe('the commands for plans', () => {
  it('check a plan, run it, continue it, show, list and remove it', async () => {
    const { at, file } = place();
    const path = file('plan.json', plan);
    expect((await cli('plan', path, '--check', ...at)).value).toMatchObject({ runs: 2, steps: 4 });
    expect(existsSync(at[1])).toBe(false);
    const { code, value } = await cli('plan', path, ...at);
    const ran = value as Plan;
    expect([code, ran.state, ran.done]).toEqual([0, 'done', 2]);
    expect((await cli('plan', path, ...at)).value).toEqual(ran);
    expect((await cli('plans', ...at)).value).toMatchObject([{ id: ran.id, name: 'two' }]);
    const shown = await cli('plans', 'show', ran.id, '--workspace', at[1]);
    expect(shown.out).toContain('two is done: 2 of 2 nodes are done.');
    await cli('plans', 'remove', ran.id, ...at);
    expect((await cli('plans', ...at)).value).toEqual([]);
  });

  it('say what a failed node holds up, and how it goes on', async () => {
    const { at, file } = place();
    const none = { id: 'none', answers: 'a', operators: [{ id: 'correct', params: { is: false } }] };
    const nodes = [plan.nodes[0], none, { ...plan.nodes[1], after: ['none'] }];
    const { code, out } = await cli('plan', file('held.json', { name: 'held', nodes }), ...at.slice(0, 2));
    expect(code).toBe(1);
    const [, id] = /b: blocked until none is done;.*plans go-on (\S+)/.exec(out) ?? [];
    const shown = await cli('plans', 'show', id, ...at.slice(0, 2));
    expect(shown.out).toContain(`plans go-on ${id}`);
  });

  it('show an arena, and say why nothing can be decided about it', async () => {
    const { at, file } = place();
    const spec = smallSpec({
      budget: { steps: 1, batch: 2 },
      evaluation: { problems: 2, samples: 1 },
      sampling: { maxTokens: 4 },
    });
    const candidates = ['one', 'two'].map((id) => ({ id, spec }));
    const race = { nodes: [{ id: 'race', arena: { rule: 'uniform', pulls: 2 }, candidates }] };
    const { id } = (await cli('plan', file('race.json', race), ...at)).value as Plan;
    const shown = await cli('plans', 'show', id, '--workspace', at[1]);
    expect(shown.out).toContain('race: In turn, 2 of 2 budgets');
    expect(await cli('plans', 'pause', id, 'one', ...at)).toMatchObject({
      code: 1,
      value: { error: { kind: 'conflict', where: 'arena' } },
    });
    for (const [words, where] of [
      [['pause', id], 'plans'],
      [['add', id, 'new'], '--code'],
      [['pin', id, 'one', '--code', 'x.js'], '--code'],
      [['show', id, '--from', 'one'], '--from'],
    ] as const)
      expect(await cli('plans', ...words, ...at)).toMatchObject({
        code: 1,
        value: { error: { kind: 'invalid-input', where } },
      });
  });

  it.each([
    [['plans', 'dance'], 'invalid-input', 'plans'],
    [['plans', 'preset', 'nothing'], 'not-found', 'plans'],
  ])('refuse %j', async (words, kind, where) => {
    const { at } = place();
    expect(await cli(...words, ...at)).toMatchObject({ code: 1, value: { error: { kind, where } } });
  });

  it('name the field of a plan that is wrong', async () => {
    const { at, file } = place();
    const bad = { nodes: [...plan.nodes, { id: 'c', answers: 'x' }] };
    expect(await cli('plan', file('bad.json', bad), ...at)).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where: 'nodes.2.answers' } },
    });
  });

  it.each<[string, readonly object[], string]>([
    [
      'an operator on a column that is not there',
      [{ id: 'c', answers: 'a', operators: [{ id: 'uncertain-pair', params: { columns: ['x', 'y'] } }] }],
      'nodes.2.operators.0.params',
    ],
    [
      'an operator on a run that is not read',
      [
        {
          id: 'c',
          answers: 'a',
          operators: [{ id: 'pair-by-run', params: { chosen: ['a'], rejected: ['b'], column: 'length' } }],
        },
      ],
      'nodes.2.operators.0.params.rejected.0',
    ],
    [
      'a cycle',
      [
        { id: 'c', spec: smallSpec(), after: ['d'] },
        { id: 'd', spec: smallSpec(), after: ['c'] },
      ],
      'nodes.2.after',
    ],
  ])('refuse %s at the check, with the path of the field', async (_what, nodes, where) => {
    const { at, file } = place();
    const bad = { nodes: [...plan.nodes, ...nodes] };
    expect(await cli('plan', file('bad.json', bad), '--check', ...at)).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where } },
    });
    expect(existsSync(at[1])).toBe(false);
  });

  it('print a plan that ships as a file', async () => {
    const [first] = (await cli('plans', 'presets', '--json')).value as { id: string; plan: unknown }[];
    expect((await cli('plans', 'preset', first.id, '--json')).value).toEqual(first.plan);
  });
});
