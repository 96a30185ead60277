/** Loads the task data of a run: a world, a dataset or a label set. */
import { compileWatched, controlWorldById } from '../../control/index.ts';
import { Demonstration, Preference } from '../../schema/preference.ts';
import type { Resources } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { TaskKindInfo } from '../../schema/task-kind.ts';
import { openWorldById } from '../../worlds/index.ts';
import { filters, gradedByVerdict, weighed } from './decisions.ts';
import { loadEvaluated, textsOfEvaluated } from './evaluated-rows.ts';
import type { TaskData } from './task-data.ts';
import { readLines } from './read-lines.ts';
import { checkedReferences } from './references.ts';
import { fromRows } from './row-data.ts';
import { datasetFormat } from './task-kind.ts';
import { fromWorld } from './world-data.ts';

/**
 * Loads the task data of a checked spec for a method of some kind. Throws `not-found` for a missing file, and
 * `invalid-input` with the line for one that cannot be read.
 */
export const loadTaskData = async (spec: RunSpec, resources: Resources, kind: Kind): Promise<TaskData> => {
  const { world } = spec.evaluation;
  const evaluationWorld = world ? openWorldById(world.id, world.params) : undefined;
  const data = await openers[spec.task.kind](spec, spec.task as never, resources, kind);
  const measured = evaluationWorld ?? data.world;
  const evaluated = await loadEvaluated(spec, resources, data);
  return {
    ...data,
    ...(measured && { evaluationWorld: measured }),
    evaluated,
    texts: [
      ...data.texts,
      ...(evaluationWorld ? [evaluationWorld.alphabet] : []),
      ...furtherAlphabets(spec),
      ...textsOfEvaluated(evaluated),
    ],
  };
};

/** Characters of the worlds of further evaluations, which a new tokenizer must have. */
const furtherAlphabets = ({ evaluations = [] }: RunSpec): string[] =>
  evaluations.flatMap(({ world }) => (world ? [openWorldById(world.id, world.params).alphabet] : []));

type Kind = Pick<TaskKindInfo, 'trainsOn'>;
type Of<K extends RunSpec['task']['kind']> = Extract<RunSpec['task'], { kind: K }>;
const openers: {
  readonly [K in RunSpec['task']['kind']]: (
    spec: RunSpec,
    task: Of<K>,
    resources: Resources,
    kind: Kind,
  ) => Promise<TaskData> | TaskData;
} = {
  world: (spec, task) => fromWorld(openWorldById(task.id, task.params), spec),
  control: (_, { id, charts = [] }) => {
    const world = controlWorldById(id, 'task.id');
    return {
      name: `control world '${id}'`,
      texts: [],
      trainingTexts: [],
      hasReferences: false,
      heldout: { examples: [], pairs: [], graded: [], problems: [] },
      control: world,
      charts: compileWatched(world, charts, 'task.charts'),
    };
  },
  dataset: async (spec, { datasetId, heldout, onlyCorrect, roles }, resources, kind) => {
    const name = `dataset '${datasetId}'`;
    const path = resources.datasets[datasetId];
    if (datasetFormat(kind) === 'preferences') {
      const pairs = await readLines(Preference, path, `preferences of ${name}`);
      return fromRows(
        { name, examples: [], graded: pairs.flatMap(gradedByVerdict), pairs, prompts: pairs, heldout },
        spec.seed,
      );
    }
    const rows = await readLines(Demonstration, path, name);
    const hasReferences = checkedReferences(rows, [...spec.rewards, ...spec.evaluation.rewards], {
      name,
      path,
    });
    // a row without an answer is only a prompt
    const answered = rows.filter(({ answer, messages }) => answer !== '' || messages);
    const examples = answered
      .filter((row) => !onlyCorrect || row.correct !== false)
      .map(({ messages, where = name, ...row }) => ({
        ...row,
        ...(messages && { conversation: { messages, roles, where } }),
      }));
    const graded = answered.flatMap(({ correct, ...row }) =>
      correct === null ? [] : [{ ...row, right: correct }],
    );
    return fromRows({ name, examples, graded, pairs: [], prompts: rows, heldout, hasReferences }, spec.seed);
  },
  labels: async (spec, { labelSetId, heldout, filter, weigh }, resources) => {
    const name = `label set '${labelSetId}'`;
    const stored = await readLines(Preference, resources.preferences[labelSetId], name);
    const pairs = weighed(stored.filter(filters[filter]), weigh);
    return fromRows(
      { name, examples: [], graded: pairs.flatMap(gradedByVerdict), pairs, prompts: pairs, heldout },
      spec.seed,
    );
  },
};
