/** The rows of datasets that further evaluations measure. */
import { placed, WhetstoneError } from '../../common/errors.ts';
import type { Resources } from '../../schema/messages.ts';
import { Demonstration, Preference } from '../../schema/preference.ts';
import type { FurtherEvaluation, RunSpec } from '../../schema/run-spec.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { sequenceOf } from './encoding.ts';
import type { LeftOut } from './fitting.ts';
import { readLines } from './read-lines.ts';
import { checkedReferences } from './references.ts';
import { byPromptId, distinctPrompts, heldoutOf } from './row-data.ts';
import type { EvaluatedRows, TaskData } from './task-data.ts';

/** A further evaluation on a dataset, with its place in the specification. */
export type OfDataset = FurtherEvaluation & {
  readonly datasetId: string;
  readonly where: string;
  /** True of the run's own dataset, whose other rows are trained on. */
  readonly isHeldout: boolean;
};

/** True if an evaluation measures the held-out rows of the run's own dataset alone. */
export const isOfHeldout = (
  task: RunSpec['task'],
  { datasetId, part }: Pick<FurtherEvaluation, 'datasetId' | 'part'>,
): boolean => task.kind === 'dataset' && task.datasetId === datasetId && part === undefined;

/** The further evaluations on datasets. */
export const evaluationsOfDatasets = ({
  evaluations = [],
  task,
}: Pick<RunSpec, 'evaluations' | 'task'>): OfDataset[] =>
  evaluations.flatMap((one, at) => {
    const { datasetId } = one;
    if (datasetId === undefined) return [];
    return [{ ...one, datasetId, where: `evaluations.${at}`, isHeldout: isOfHeldout(task, one) }];
  });

/** Format of its file: pairs of a right and a wrong answer, or rows. Main writes it, and the engine reads it. */
export const evaluationFormat = ({
  measure,
}: Pick<FurtherEvaluation, 'measure'>): 'preferences' | 'demonstrations' =>
  measure === 'pairs' ? 'preferences' : 'demonstrations';

/** All texts of the rows, whose characters a new tokenizer must have. */
export const textsOfEvaluated = (evaluated: { readonly [name: string]: EvaluatedRows }): string[] =>
  Object.values(evaluated).flatMap(({ problems, examples, pairs }) => [
    ...problems.map(({ prompt }) => prompt),
    ...examples.flatMap(({ prompt, answer }) => [prompt, answer]),
    ...pairs.flatMap(({ prompt, a, b }) => [prompt, a, b]),
  ]);

/**
 * The rows of each further evaluation on a dataset, in the order of their prompts' ids. Throws `invalid-input` with
 * the field if a dataset has no rows of its kind, `not-found` for a missing file.
 */
export const loadEvaluated = async (
  spec: RunSpec,
  resources: Resources,
  data: Pick<TaskData, 'problems'>,
): Promise<{ [name: string]: EvaluatedRows }> => {
  const found: { [name: string]: EvaluatedRows } = {};
  const ones = evaluationsOfDatasets(spec);
  const trained = ones.length > 0 ? trainedPrompts(data) : new Set<string>();
  for (const one of ones) {
    const rows = await loadRows(spec, one, resources.evaluations?.[one.name]);
    if (rows.problems.length + rows.examples.length + rows.pairs.length === 0) refuseEmpty(one, rows);
    found[one.name] = { ...rows, trained };
  }
  return found;
};

/** Ids of the prompts that a run trains on; a world's are endless. */
const trainedPrompts = ({ problems }: Pick<TaskData, 'problems'>): ReadonlySet<string> =>
  new Set(
    problems?.only ? Array.from({ length: problems.size }, (_, draw) => problems.at(draw).promptId) : [],
  );

const nothing = { problems: [], examples: [], pairs: [] };

const loadRows = async (
  { task }: RunSpec,
  one: OfDataset,
  path: string | undefined,
): Promise<Omit<EvaluatedRows, 'trained'>> => {
  const name = `dataset '${one.datasetId}'`;
  const field = `${one.where}.datasetId`;
  const kept = <T extends Parameters<typeof heldoutOf>[0][number]>(rows: readonly T[]): T[] =>
    byPromptId(one.isHeldout && task.kind === 'dataset' ? rows.filter(heldoutOf(rows, task.heldout)) : rows);
  if (evaluationFormat(one) === 'preferences') {
    const pairs = kept(await readLines(Preference, path, `preferences of ${name}`, field));
    return { ...nothing, name, pairs: pairs.filter(({ verdict }) => verdict === 'a' || verdict === 'b') };
  }
  const rows = kept(await readLines(Demonstration, path, name, field));
  if (one.measure === 'likelihood') {
    const answered = rows.filter(
      ({ answer, messages, correct }) => (answer !== '' || messages) && correct !== false,
    );
    const roles = task.kind === 'dataset' ? task.roles : ['assistant'];
    const examples = answered.map(({ messages, where = name, ...row }) => ({
      ...row,
      ...(messages && { conversation: { messages, roles, where } }),
    }));
    return { ...nothing, name, examples };
  }
  const scorers = one.scorer ? [{ weight: 1, ...one.scorer }] : [];
  if (rows.length > 0) checkedReferences(rows, scorers, { name, path: path ?? field });
  return { ...nothing, name, problems: distinctPrompts(rows) };
};

const kinds = {
  answers: 'prompt',
  'first-error': 'prompt',
  likelihood: 'answer that is not marked wrong',
  pairs: 'pair of a right and a wrong answer',
} as const;

const refuseEmpty = (
  { where, part, isHeldout, measure = 'answers' }: OfDataset,
  { name }: Pick<EvaluatedRows, 'name'>,
): never => {
  const rows = isHeldout ? 'held-out rows' : part === undefined ? 'rows' : `rows of part '${part}'`;
  throw new WhetstoneError('invalid-input', `The ${rows} of ${name} have no ${kinds[measure]}.`, {
    where: `${where}.datasetId`,
    hint: 'Choose another dataset, another part, or another measure.',
  });
};

/** What reads the rows of an evaluation. */
export interface ReadBy {
  readonly tokenizer: Tokenizer;
  readonly context: number;
}

/**
 * The rows within the context of the role that is measured; those beyond it are counted. Throws
 * `invalid-input` with the field if none is left, or if the tokenizer cannot encode one.
 */
export const readableEvaluated = (
  spec: RunSpec,
  evaluated: { readonly [name: string]: EvaluatedRows },
  readerOf: (role: string | undefined) => ReadBy,
  leftOut: LeftOut,
): { [name: string]: EvaluatedRows } =>
  Object.fromEntries(
    evaluationsOfDatasets(spec).map((one) => {
      const rows = evaluated[one.name];
      const { tokenizer, context } = readerOf(one.role);
      const { maxTokens } = spec.roles?.[one.role ?? '']?.sampling ?? spec.sampling;
      const length = (row: Parameters<typeof sequenceOf>[1]) => sequenceOf(tokenizer, row).tokens.length;
      const kept = <T>(items: readonly T[], size: (item: T) => number): T[] =>
        items.filter((item) => placed(`${one.where}.datasetId`, () => size(item)) <= context);
      const own = {
        problems: kept(rows.problems, ({ prompt }) => encodePrompt(tokenizer, prompt).length + maxTokens),
        examples: kept(rows.examples, length),
        pairs: kept(rows.pairs, ({ prompt, a, b }) =>
          Math.max(length({ prompt, answer: a }), length({ prompt, answer: b })),
        ),
      };
      const [all, left] = [rows, own].map(
        ({ problems, examples, pairs }) => problems.length + examples.length + pairs.length,
      );
      if (left === 0) refuseTooLong(one, rows.name, { all, context, maxTokens });
      leftOut.evaluations += all - left;
      return [one.name, { ...rows, ...own }];
    }),
  );

const refuseTooLong = (
  { where, measure = 'answers' }: OfDataset,
  name: string,
  { all, context, maxTokens }: { readonly all: number; readonly context: number; readonly maxTokens: number },
): never => {
  const answers = measure === 'answers' ? ` with an answer of ${maxTokens} tokens` : '';
  throw new WhetstoneError(
    'invalid-input',
    `None of the ${all} rows of ${name} fits the model's context of ${context} tokens${answers}.`,
    { where: `${where}.datasetId`, hint: 'Measure shorter rows, or use a model with a longer context.' },
  );
};
