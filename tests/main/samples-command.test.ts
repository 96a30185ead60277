import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { EngineEvent } from '../../engine/schema/messages.ts';
import { createFolder } from '../../main/store/folder.ts';
import type { AnswerOrigin } from '../../preload/contract/runs.ts';
import { cli } from '../support/cli.ts';
import { trajectory } from '../support/trajectory.ts';
import { parsedSpec } from '../support/workspace.ts';

interface Listed {
  readonly total: number;
  readonly samples: readonly {
    readonly completion: string;
    readonly shown?: string;
    readonly origin?: AnswerOrigin;
    readonly copies: number;
    readonly key: number;
  }[];
  readonly prompts: readonly {
    readonly promptId: string;
    readonly answers: number;
    readonly distinct: number;
  }[];
}

/** A finished run: four answers to each of three prompts, of which two are equal. */
describe('the command samples', () => {
  let workspace = '';
  let run = '';
  beforeAll(async () => {
    const home = mkdtempSync(join(tmpdir(), 'whetstone-'));
    workspace = join(home, 'workspace');
    const { store, close } = await createFolder(workspace);
    ({ id: run } = await store.runs.create(parsedSpec({ name: 'sampled' }), []));
    const attempt = await store.runs.beginAttempt(run, null);
    const rows = Array.from({ length: 12 }, (_none, at) => {
      const [prompt, sample] = [Math.floor(at / 4), at % 4];
      return trajectory({
        id: `a${at}`,
        promptId: `p${prompt}`,
        prompt: `What is ${prompt}?`,
        sample,
        completion: sample < 2 ? 'the same' : `number ${at}`,
        // it continues another, and an answer that is not stored
        ...(at === 6 && { parent: 'a5', startState: 's', given: { tokens: 1, characters: 4 } }),
        ...(at === 7 && { parent: 'gone' }),
        ...(at === 11 && { shown: 'What is 2? the same; Again:' }),
        stopReason: sample === 3 ? 'length' : 'end',
        scores: { verifier: sample % 2, total: at / 10 },
      });
    });
    const about = { runId: run, attempt, role: 'policy', step: 0, at: 0 };
    const events: EngineEvent[] = [
      { ...about, sequence: 1, type: 'trajectories', rows },
      { ...about, sequence: 2, type: 'finished', outcome: 'done' },
    ];
    await store.events.commit(events);
    await close();
    return () => rmSync(home, { recursive: true, force: true });
  });
  const listed = async (...flags: string[]): Promise<Listed> => {
    const { code, value, said } = await cli('samples', run, '--workspace', workspace, ...flags, '--json');
    expect([code, said]).toEqual([0, expect.any(String)]);
    return value as Listed;
  };

  it('finds, sorts and pages answers', async () => {
    const found = await listed('--query', 'number reward>0.5', '--sort=-reward', '--limit', '2');
    expect(found.total).toBe(4);
    expect(found.samples.map(({ completion, key }) => [completion, key])).toEqual([
      ['number 11', 1.1],
      ['number 10', 1],
    ]);
    // what was shown in place of the prompt, where that differs
    expect(found.samples.map(({ shown }) => shown)).toEqual(['What is 2? the same; Again:', undefined]);
    expect((await listed('--query', 'truncated wrong')).total).toBe(0);
    expect((await listed('--sort', 'reward~verifier', '--limit', '1')).samples[0].key).toBeTypeOf('number');
  });

  it('tells where answers began, and lists the one from which another began', async () => {
    const { samples } = await listed('--query', 'given>0');
    expect(samples.map(({ completion, origin }) => [completion, origin])).toEqual([
      [
        'number 6',
        {
          parent: 'a5',
          startState: 's',
          tokens: 1,
          characters: 4,
          from: { runId: run, step: 0, sample: 1, correct: true },
        },
      ],
    ]);
    const flags = ['--answer', 'a7', '--query', 'nothing-like-it'];
    const { origin } = (await listed(...flags)).samples[0];
    expect(origin).toEqual({ parent: 'gone', startState: null, tokens: 0, characters: 0, from: null });
    const { out } = await cli('samples', run, '--workspace', workspace, ...flags);
    expect(out).toMatch(/ given +parent .*\n.* 0 +gone /);
  });

  it('lists prompts, and equal answers once', async () => {
    const { prompts } = await listed('--group', '--sort=-reward');
    expect(prompts.map(({ promptId, answers, distinct }) => [promptId, answers, distinct])).toEqual([
      ['p2', 4, 3],
      ['p1', 4, 3],
      ['p0', 4, 3],
    ]);
    const { samples } = await listed('--distinct', '--prompt', 'p1');
    expect(samples.map(({ completion, copies }) => [completion, copies])).toEqual([
      ['the same', 2],
      ['number 7', 1],
      ['number 6', 1],
    ]);
  });

  it('saves what matches as a dataset, and as a label set', async () => {
    const saved = await cli(
      'samples',
      run,
      '--workspace',
      workspace,
      '--query',
      'wrong',
      '--to-dataset',
      'mistakes',
      '--json',
    );
    expect(saved.value).toMatchObject({ dataset: { name: 'mistakes', rows: 6 } });
    const flags = ['--distinct', '--to-labels', 'to rate', '--mode', 'rating'];
    const labels = await cli('samples', run, '--workspace', workspace, ...flags, '--json');
    expect(labels.value).toMatchObject({
      dataset: { name: 'to rate (answers)', rows: 9 },
      set: { name: 'to rate', mode: 'rating', pairs: 9 },
    });
    const rows = await cli('rows', 'mistakes', '--workspace', workspace, '--query', 'step:0..0', '--json');
    expect(rows.value).toMatchObject({
      total: 6,
      rows: [{ correct: false, extra: { run, reward: 1 } }, {}, {}, {}, {}, {}],
    });
  });

  it.each([
    [['--query', 'entropy>1'], "There is no column 'entropy'."],
    [['--query', 'is:new'], "There is no state 'new' of answers."],
    [['--sort', 'nothing'], "There is no column 'nothing'."],
    [['--group', '--distinct'], 'Answers are listed by prompt, or equal ones once.'],
    [['--group', '--to-dataset', 'x'], 'Prompts by themselves are no dataset.'],
    [['--query', 'nowhere', '--to-dataset', 'x'], 'No stored answer matches.'],
  ])('refuses %j', async (flags, message) => {
    const { code, value } = await cli('samples', run, '--workspace', workspace, ...flags, '--json');
    expect([code, value]).toMatchObject([1, { error: { message } }]);
  });

  it('names a run that is not there', async () => {
    const { value } = await cli('samples', 'nobody', '--workspace', workspace, '--json');
    expect(value).toMatchObject({ error: { kind: 'not-found', where: 'nobody' } });
  });
});
