/** Records of a batch of rows: trajectories, and the metrics of every run. */
import { createHash } from 'node:crypto';
import { deviation, mean } from '../../evaluate/index.ts';
import type { Trajectory } from '../../schema/trajectory.ts';
import type { Columns, PerRow, Problem } from './columns.ts';
import { replayMetrics } from './replay-metrics.ts';
import { gatherTable, lengthsOf, maskedCounts, maskedSums, rowOf, tableRows, type Table } from './rows.ts';
import type { TextPort } from './columns.ts';

export interface RecordFacts {
  readonly runId: string;
  readonly attempt: number;
  readonly role: string;
  /** Update of the role's model that wrote the rows (update 0 for `row/initial`), and their step. */
  readonly update: number;
  readonly step: number;
  readonly purpose: Trajectory['purpose'];
  readonly temperature: number;
  readonly decode: TextPort['decode'];
}

/** The id of a trajectory. */
export const answerId = (
  {
    runId,
    attempt,
    role,
    purpose,
    step,
  }: Pick<RecordFacts, 'runId' | 'attempt' | 'role' | 'purpose' | 'step'>,
  promptId: string,
  sample: number,
): string => hashed([runId, attempt, role, purpose, step, promptId, sample]);

const hashed = (facts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);

/** Number of equal characters at the start of both texts. */
const commonStart = (a: string, b: string): number => {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
};

type Origin = Pick<Trajectory, 'parent' | 'startState' | 'given'>;

/**
 * Where an answer began, if not at its prompt: behind a beginning that was given in the prompt (a hint) or
 * counts as its own first tokens, of a recorded answer or another text.
 */
const originOf = (rows: Sampled, r: number, promptLength: number, facts: RecordFacts): Origin => {
  const { promptId, hint } = rows.problem[r];
  const sample = rows['row/parent']?.[r] ?? -1;
  const parent = hint?.parent ?? (sample < 0 ? undefined : answerId(facts, promptId, sample));
  const start = promptLength - (hint?.tokens.length ?? 0);
  const length = hint?.tokens.length ?? rows['row/given']?.[r] ?? 0;
  const tokens = [...rowOf(rows.tokens, r).subarray(Math.max(0, start), Math.max(0, start) + length)];
  return {
    ...(parent !== undefined && { parent }),
    ...(tokens.length > 0 && {
      startState: hashed([promptId, tokens]),
      given: {
        tokens: tokens.length,
        characters: commonStart(facts.decode(tokens), rows.completion[r]),
      },
    }),
  };
};

/** Columns of a trajectory: a sampled answer to a problem. */
type Sampled = Pick<
  Columns,
  'problem' | 'sample' | 'completion' | 'ended' | 'tokens' | 'mask' | 'behaviorLogp'
> & {
  readonly 'row/initial'?: PerRow;
  readonly 'row/given'?: PerRow;
  readonly 'row/parent'?: PerRow;
  readonly shown?: Columns['shown'];
  readonly 'reply/completion'?: Columns['reply/completion'];
};
const sampledColumns = [
  'problem',
  'sample',
  'completion',
  'ended',
  'tokens',
  'mask',
  'behaviorLogp',
] as const;

/**
 * The table's sampled answers, or undefined if its rows were not sampled. Stored rows among fresh ones
 * (`row/fresh` is 0) are left out.
 */
export const sampledOf = (table: Table): (Table & Sampled) | undefined => {
  if (!sampledColumns.every((name) => name in table)) return undefined;
  const fresh = table['row/fresh'] as Float64Array | undefined;
  return (
    fresh ? gatherTable(table, Uint32Array.from([...fresh.keys()].filter((r) => fresh[r] === 1))) : table
  ) as Table & Sampled;
};

/** Each row's raw value of each scorer. */
export const scoresOf = (table: Table): { readonly [scorer: string]: Float64Array } =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, column]) =>
      name.startsWith('reward/') && name !== 'reward/total'
        ? [[name.slice('reward/'.length), column as Float64Array]]
        : [],
    ),
  );

/** Spans of an answer with text of other authors. */
const spansOf = (mask: Uint8Array, promptLength: number): Pick<Trajectory, 'spans'> => {
  const spans: [number, number, string, boolean][] = [[0, promptLength, 'prompt', false]];
  for (let start = promptLength; start < mask.length;) {
    let end = start + 1;
    while (end < mask.length && mask[end] === mask[start]) end++;
    spans.push([start, end, mask[start] ? 'answer' : 'world', mask[start] === 1]);
    start = end;
  }
  return spans.length > 2 ? { spans } : {};
};

/** One immutable record per row. */
export const trajectories = (
  rows: Sampled,
  scores: { readonly [scorer: string]: Float64Array },
  facts: RecordFacts,
): Trajectory[] => {
  const { runId, attempt, role, update, step, purpose, temperature } = facts;
  const initial = rows['row/initial'];
  return rows.problem.map((problem: Problem, r): Trajectory => {
    const mask = rowOf(rows.mask, r);
    const promptLength = mask.indexOf(1) < 0 ? mask.length : mask.indexOf(1);
    const sample = rows.sample[r];
    return {
      id: answerId(facts, problem.promptId, sample),
      role,
      policyVersion: `${runId}/${attempt}/${role}/${initial?.[r] ? 0 : update}`,
      step,
      purpose,
      promptId: problem.promptId,
      sample,
      prompt: problem.prompt,
      ...(rows.shown?.[r] && { shown: rows.shown[r] }),
      completion: rows.completion[r],
      ...(rows['reply/completion'] && { reply: rows['reply/completion'][r] }),
      tokens: rowOf(rows.tokens, r).slice(),
      promptLength,
      behaviorLogp: rowOf(rows.behaviorLogp, r).slice(promptLength),
      ...spansOf(mask, promptLength),
      ...originOf(rows, r, promptLength, facts),
      stopReason: rows.ended[r] ? 'end' : 'length',
      temperature,
      scores: Object.fromEntries(Object.entries(scores).map(([scorer, values]) => [scorer, values[r]])),
    };
  });
};

/** Metrics that need only the rows, named as in TRL; each one requires its column. */
export const rowMetrics = (table: Table): { [name: string]: number } => {
  const metrics: { [name: string]: number } = {};
  // the mean of no rows is undefined
  if (tableRows(table) === 0) return metrics;
  Object.assign(metrics, replayMetrics(table));
  const fresh = sampledOf(table) ?? table;
  const { mask, ended } = fresh as Partial<Pick<Columns, 'mask' | 'ended'>>;
  const { groupId, 'reward/total': total } = fresh as Partial<Pick<Columns, 'groupId' | 'reward/total'>>;
  for (const [scorer, values] of Object.entries(scoresOf(fresh))) metrics[`reward/${scorer}`] = mean(values);
  if (total) {
    // a composer may learn from another number than the total that it measures
    const { 'reward/composed': measured = total } = fresh as { readonly 'reward/composed'?: PerRow };
    metrics['reward/mean'] = mean(measured);
    metrics['reward/std'] = deviation(measured, 'population');
  }
  if (total && groupId) metrics.frac_reward_zero_std = flatShare(total, groupId);
  if (mask && ended) {
    const lengths = maskedCounts(mask);
    metrics['completions/mean_length'] = mean(lengths);
    metrics['completions/truncated'] = 1 - mean(ended);
  }
  const dropped = truncatedMass(table);
  if (dropped !== undefined) metrics['sampling/truncated_mass'] = dropped;
  return metrics;
};

/**
 * Mean probability, over answer tokens, of the tokens that filters dropped; undefined without filters, and
 * for rows to which others were added since.
 */
const truncatedMass = (table: Table): number | undefined => {
  const { mask, keptLogp } = table as Partial<Pick<Columns, 'mask' | 'keptLogp'>>;
  if (!mask || keptLogp?.values.length !== mask.values.length) return undefined;
  const dropped = keptLogp.values.map((kept) => -Math.expm1(kept));
  const tokens = maskedCounts(mask).reduce((a, b) => a + b, 0);
  const all = maskedSums({ ...keptLogp, values: dropped }, mask).reduce((a, b) => a + b, 0);
  return tokens === 0 ? undefined : all / tokens;
};

/** Share of groups whose rewards are all equal: they give no learning signal. */
const flatShare = (rewards_R: Float64Array, groupId_R: Float64Array): number => {
  const groups = new Map<number, { first: number; flat: boolean }>();
  groupId_R.forEach((group, r) => {
    const seen = groups.get(group);
    if (!seen) groups.set(group, { first: rewards_R[r], flat: true });
    else if (rewards_R[r] !== seen.first) seen.flat = false;
  });
  return mean([...groups.values()].map(({ flat }) => Number(flat)));
};

/** Tokens of a table, prompts included. */
export const tokenCount = (table: Table): number => {
  const tokens = (table as Partial<Pick<Columns, 'tokens'>>).tokens;
  if (!tokens) return 0;
  // a row of actions begins with a place for none
  const none = tokens.observed ? 1 : 0;
  return lengthsOf(tokens).reduce((a, b) => a + b - none, 0);
};
