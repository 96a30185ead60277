/** Roles that exchange only text with the others have tokenizers of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkSpec } from '../../../engine/index.ts';
import { openModelFolder, readCheckpoint } from '../../../engine/models/checkpoint.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import type { Columns } from '../../../engine/rl/kernel/columns.ts';
import { coTrain, mainOf, role, teacher } from '../../../engine/rl/kernel/recipe.ts';
import { rowOf } from '../../../engine/rl/kernel/rows.ts';
import { pipe, stage } from '../../../engine/rl/kernel/stage.ts';
import { defineMethod } from '../../../engine/rl/methods/define-method.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { exchangesTokens } from '../../../engine/rl/run/role-tokenizers.ts';
import { stubOf } from '../../../engine/rl/tasks/kinds/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { bytesTokenizer } from '../../../engine/text/bytes.ts';
import { found, lastCheckpoint, noResources, runInto, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let folders = 0;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-tokenizers-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});
const place = () => join(folder, String(folders++));

const copy = { kind: 'world', id: 'toy/copy' } as const;
const bytes = { ...toyModel.policy, tokenizer: { kind: 'bytes' } } as const;
const attacks = {
  kind: 'world',
  id: 'toy/triggers',
  params: { side: 'defend', letters: 6, size: 1, families: 3, length: 3 },
} as const;
const base = {
  models: toyModel,
  task: copy,
  budget: { steps: 6, batch: 3 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 2, samples: 1 },
} as const satisfies Partial<RunSpecInput>;

/** A checkpoint of a policy with a tokenizer of bytes. */
const bytesCheckpoint = async (): Promise<string> => {
  const spec = checkSpec({ ...base, models: { policy: bytes }, method: { id: 'sft' } });
  return lastCheckpoint((await runInto(device, spec, place())).seen);
};
const target = { kind: 'checkpoint', checkpointId: 'target' } as const;

test('the methods whose roles exchange text alone', () => {
  const free = methods.flatMap((method) => {
    const recipe = method.recipe({}, stubOf(method));
    const others = Object.keys(recipe.roles).filter((name) => name !== mainOf(recipe));
    return others.filter((name) => !exchangesTokens(recipe, name)).map((name) => `${method.id} ${name}`);
  });
  expect(free.sort()).toEqual(['crt target', 'mart attacker', 'tango verifier']);
});

describe('a role that the policy asks by text', () => {
  /** Columns of the replies in the order of the batches. */
  const seen: Pick<
    Columns,
    'problem' | 'completion' | 'reply/tokens' | 'reply/mask' | 'reply/behaviorLogp'
  >[] = [];
  const keep = stage({
    id: 'keep',
    station: 'scorers',
    needs: ['problem', 'completion', 'reply/tokens', 'reply/mask', 'reply/behaviorLogp', 'reply/completion'],
    adds: ['reward/total'],
    run: async (columns) => {
      seen.push(columns);
      return {
        columns: { 'reward/total': Float64Array.from(columns['reply/completion'], (text) => text.length) },
      };
    },
  });
  const asking = defineMethod({
    id: 'asking',
    title: 'Asking',
    summary: '',
    cites: '',
    task: 'verifiable',
    produces: 'policy',
    suggested: {},
    params: z.object({}),
    recipe: (_, task) =>
      coTrain({
        buffers: {},
        roles: {
          policy: role({
            rows: pipe(
              task.prompts,
              part.sampleGroups({ groupSize: 2 }),
              part.replyTo({ by: 'target', sees: 'all', mark: '', ending: '>' }),
              keep,
              part.centerByGroup({ scaleBy: 'none' }),
            ),
            objective: part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 }),
          }),
          target: teacher(),
        },
        schedule: [{ turns: { policy: 1 } }],
      }),
  });

  test('reads prompt and answer by its own tokenizer, and its tokens have its own probabilities', async () => {
    const checkpoint = await bytesCheckpoint();
    const plain = checkSpec({ ...base, method: { id: 'grpo' } });
    const spec = { ...plain, models: { ...plain.models, target } };
    const resources = { ...noResources, checkpoints: { target: checkpoint } };
    await runInto(device, spec, place(), { resources, method: asking });
    expect(seen).toHaveLength(6);
    const { model, tokenizer } = await openModelFolder(checkpoint);
    expect(tokenizer.kind).toBe('bytes');
    const live = liveModel(device, model);
    for (const { problem, completion, ...reply } of seen) {
      const { 'reply/tokens': tokens, 'reply/mask': mask, 'reply/behaviorLogp': behavior } = reply;
      problem.forEach(({ prompt }, r) => {
        const given = rowOf(tokens, r).filter((_, t) => !rowOf(mask, r)[t]);
        expect(tokenizer.decode(given)).toBe(`${prompt}${completion[r]}>`);
      });
      const own = await live.logp(tokens, 1, mask);
      own.values.forEach((value, t) => {
        if (mask.values[t]) expect(value).toBeCloseTo(behavior.values[t], 4);
      });
    }
  });

  test('refuses a grammar, which is of one tokenizer', async () => {
    const plain = checkSpec({
      ...base,
      method: { id: 'grpo', params: { klWeight: 0 } },
      sampling: { maxTokens: 4, grammar: { kind: 'pattern', pattern: '[a-c]+' } },
    });
    const spec = { ...plain, models: { ...plain.models, target } };
    const resources = { ...noResources, checkpoints: { target: await bytesCheckpoint() } };
    await expect(runInto(device, spec, place(), { resources, method: asking })).rejects.toMatchObject({
      kind: 'invalid-input',
      where: 'sampling.grammar',
    });
  });
});

test.each<[string, string, RunSpecInput]>([
  [
    'a verifier that learns (tango)',
    'verifier',
    {
      ...base,
      method: { id: 'tango', params: { groupSize: 3, warmup: 1, step: 'token' } },
      models: { ...toyModel, verifier: bytes },
      roles: { verifier: { sampling: { maxTokens: 8 } } },
    },
  ],
  [
    'an attacker that learns (mart)',
    'policy',
    {
      ...base,
      method: { id: 'mart', params: { groupSize: 6, threshold: 0.1 } },
      task: attacks,
      // the policy reads the attacks
      models: { policy: bytes, attacker: toyModel.policy },
    },
  ],
])('%s resumes to the same bits with its own tokenizer', async (_, inBytes, input) => {
  const spec = checkSpec({ ...input, checkpoints: { every: 1, keep: 99 } });
  const whole = await runInto(device, spec, place());
  const begun = await runInto(device, spec, place(), { stopAfter: 3 });
  const resumeFrom = lastCheckpoint(begun.seen);
  const rest = await runInto(device, spec, place(), { attempt: 2, resumeFrom });
  const [a, b] = [
    await readCheckpoint(lastCheckpoint(whole.seen)),
    await readCheckpoint(lastCheckpoint(rest.seen)),
  ];
  expect(begun.outcome).toBe('stopped');
  expect(b.model.parameters.flat).toEqual(a.model.parameters.flat);
  expect(b.optimizer).toEqual(a.optimizer);
  const rows = whole.seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
  const own = rows.filter(({ role: writer }) => writer === inBytes);
  expect(own.length).toBeGreaterThan(0);
  for (const { tokens, promptLength, completion } of own)
    expect(bytesTokenizer().decode(tokens.slice(promptLength))).toBe(completion);
});

test('an evaluation measures a role by its own tokenizer', async () => {
  const steps = { id: 'toy/steps', params: { length: 2 } };
  const spec = checkSpec({
    ...base,
    method: { id: 'tango', params: { warmup: 2 } },
    task: { kind: 'world', ...steps },
    models: { ...toyModel, verifier: bytes },
    sampling: { maxTokens: 6 },
    evaluations: [{ name: 'judged', world: steps, role: 'verifier', measure: 'first-error', problems: 8 }],
  });
  const { seen } = await runInto(device, spec, place());
  expect(found(seen, 'eval/judged/first_error_f1')).toBeGreaterThanOrEqual(0);
});

describe('refused before anything runs, with the field:', () => {
  const tango = { ...base, method: { id: 'tango', params: { warmup: 1, step: 'token' } } } as const;
  test.each<[string, RunSpecInput, string, RegExp]>([
    [
      'a role that exchanges tokens',
      { ...base, method: { id: 'kdrl' }, models: { ...toyModel, teacher: target } },
      'models.teacher',
      /exchange tokens \(logpUnder/,
    ],
    [
      'a role that cannot spell what it reads',
      { ...tango, models: { policy: bytes, verifier: toyModel.policy } },
      'models.verifier',
      /the policy may write any character/,
    ],
  ])('%s', async (_, input, where, message) => {
    const resources = { ...noResources, checkpoints: { target: await bytesCheckpoint() } };
    await expect(runInto(device, checkSpec(input), place(), { resources })).rejects.toMatchObject({
      kind: 'invalid-input',
      where,
      message: expect.stringMatching(message) as string,
    });
  });
});
