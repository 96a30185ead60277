import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSpec, taskKinds as infos, worlds } from '../../engine/index.ts';
import { stream } from '../../engine/random/random.ts';
import { openControl } from '../../engine/rl/controllers/index.ts';
import type { Column } from '../../engine/rl/kernel/columns.ts';
import { tableRows } from '../../engine/rl/kernel/rows.ts';
import type { Source, StageContext } from '../../engine/rl/kernel/stage.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { fitting } from '../../engine/rl/tasks/fitting.ts';
import { taskKinds } from '../../engine/rl/tasks/kinds/index.ts';
import { loadTaskData } from '../../engine/rl/tasks/load-task-data.ts';
import { stubOptions } from '../../engine/rl/tasks/stub-data.ts';
import { datasetFormat, type AnyTaskKind } from '../../engine/rl/tasks/task-kind.ts';
import type { Resources } from '../../engine/schema/messages.ts';
import type { Demonstration, Preference } from '../../engine/schema/preference.ts';
import { RunSpec, type RunSpecInput, type TaskSpec } from '../../engine/schema/run-spec.ts';
import { TaskKindInfo } from '../../engine/schema/task-kind.ts';
import { bytesTokenizer } from '../../engine/text/bytes.ts';
import { caught } from '../support/errors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { noResources, toyModel, toyModels } from '../support/toy-run.ts';

type DataKind = TaskSpec['kind'];
const tasks: { readonly [K in DataKind]: RunSpecInput['task'] } = {
  world: { kind: 'world', id: 'toy/pairs' },
  dataset: { kind: 'dataset', datasetId: 'd', heldout: 0.2 },
  labels: { kind: 'labels', labelSetId: 'l', heldout: 0.2 },
  control: { kind: 'control', id: 'control/cart-pole' },
};
const dataKinds = Object.keys(tasks) as DataKind[];
/** The task with data of a kind; where the usual world does not offer it, one that does. */
const taskOf = (data: DataKind, { kind, offeredBy }: AnyTaskKind): RunSpecInput['task'] => {
  const offering = worlds.filter(({ taskKinds: kinds }) => kinds.includes(kind)).map(({ id }) => id);
  if (data !== 'world' || !offeredBy.includes('world') || offering.includes('toy/pairs')) return tasks[data];
  return { kind: 'world', id: offering[0] };
};

const rows = Array.from({ length: 40 }, (_, i): Demonstration => ({
  promptId: `q${i}`,
  prompt: `${i}?`,
  answer: 'ab',
  reference: 'ab',
  correct: i % 2 === 0,
}));
const pairs = rows.map(({ promptId, prompt }): Preference => ({
  pairId: promptId,
  promptId,
  prompt,
  a: 'ab',
  b: 'ba',
  verdict: 'a',
  correctA: null,
  correctB: null,
}));
const written = (items: readonly object[]): string => {
  const path = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(path, items.map((item) => JSON.stringify(item)).join('\n'));
  return path;
};
const resourcesFor = (kind: AnyTaskKind): Resources => ({
  ...noResources,
  datasets: { d: written(datasetFormat(kind) === 'preferences' ? pairs : rows) },
  preferences: { l: written(pairs) },
});

/** Row sources of a kind for the data of a task, as a run creates them. */
const opened = async (kind: AnyTaskKind, data: DataKind): Promise<object> => {
  const spec = RunSpec.parse({ method: { id: 'any' }, models: toyModel, task: taskOf(data, kind) });
  const options = { ...stubOptions, tokenizer: bytesTokenizer(), context: 64, maxTokens: 8 };
  const { material } = fitting(await loadTaskData(spec, resourcesFor(kind), kind), {
    ...options,
    trainsOn: kind.trainsOn,
    produces: 'policy',
    source: 'new',
    bySteps: false,
    needsInitialAnswers: false,
    problems: [],
  });
  return kind.sources(material, options);
};
const isSource = (value: unknown): value is Source<Column> =>
  typeof value === 'object' && value !== null && 'run' in value;
const context = {
  draw: 0,
  batch: 4,
  control: openControl([], { steps: 1, batch: 4 }),
  // for a kind whose rows are steps of the policy
  memory: { get: () => undefined, set: () => undefined },
  random: (purpose: string) => stream(0, purpose),
  act: async (_: Float32Array, rows: number) => ({
    logits: new Float32Array(2 * rows),
    values: new Float32Array(rows),
  }),
} as unknown as StageContext;

describe.each(taskKinds.map((kind: AnyTaskKind) => [kind.kind, kind] as const))('%s', (id, kind) => {
  test('is in the catalogue once, with the kind of its schema', () => {
    const found = infos.filter((info) => info.kind === id);
    expect(found).toHaveLength(1);
    expect(TaskKindInfo.parse(found[0])).toEqual(found[0]);
    expect(new Set(kind.offeredBy).size).toBe(kind.offeredBy.length);
  });

  test.each(kind.offeredBy)('gives a recipe rows of a %s with the columns that it declares', async (data) => {
    const sources = Object.entries(await opened(kind, data));
    expect(sources.map(([name]) => name)).toEqual(Object.keys(kind.stub));
    // the first source is the kind's own; others may need more from the data
    const [, made] = sources[0];
    const first: unknown = typeof made === 'function' ? made({ copies: 2, atLimit: 'value' }) : made;
    if (!isSource(first)) throw new Error(`${id} has no source`);
    const { columns } = await first.run({} as never, context);
    expect(Object.keys(columns).sort()).toEqual([...first.adds].sort());
    expect(tableRows(columns)).toBeGreaterThan(0);
  });

  test('accepts data that offers it, and rejects other data with a hint where to look', () => {
    for (const method of methods.filter(({ task }) => task === id)) {
      for (const data of dataKinds) {
        const check = () =>
          checkSpec({
            method: { id: method.id },
            models: toyModels(method),
            // actions are choices in some control worlds and numbers in others
            task:
              data === id && id === 'control' ? { kind: id, id: method.sanity?.world } : taskOf(data, kind),
            rewards: kind.rewards === 'needed' ? [{ id: 'length' }] : [],
          });
        if (kind.offeredBy.includes(data)) expect(check, `${method.id} on ${data}`).not.toThrow();
        else expect(caught(check).message).toContain(`learns from ${kind.summary}`);
      }
    }
  });
});

test('a kind that only some worlds offer is rejected for the others', () => {
  const check = () =>
    checkSpec({ method: { id: 'dpo' }, models: toyModel, task: { kind: 'world', id: 'toy/copy' } });
  expect(caught(check)).toMatchObject({ kind: 'invalid-input', where: 'task' });
});
