import { WhetstoneError } from '../../engine/common/errors.ts';
import type { AnswersFrom, AnswersProgress } from '../../preload/contract/answers.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { OperatorSpec } from '../../engine/schema/plan.ts';
import { rewardOf, samplingOf } from './column.ts';
import { onInterrupt, text, workspaceOption, type Command, type Values } from './command.ts';
import { workspaceModel } from './model-option.ts';
import { throttled } from './progress.ts';

/** A run by its id, unless --prompts names a dataset to answer: then a model. */
async function fromOf({ services }: OpenServices, given: string, values: Values): Promise<AnswersFrom> {
  if (values.prompts === undefined) {
    const purpose = (['train', 'evaluation', 'sample'] as const).find((each) => each === values.purpose);
    if (values.purpose !== undefined && !purpose)
      throw new WhetstoneError('invalid-input', 'There is no such purpose.', {
        where: '--purpose',
        hint: 'Use train, evaluation or sample.',
      });
    return { kind: 'run', runId: given, ...(purpose && { purpose }) };
  }
  return {
    kind: 'model',
    model: await workspaceModel(services, given),
    datasetId: text(values, 'prompts'),
    query: String(values.query ?? ''),
    ...samplingOf(values, 1),
    ...(values.reward !== undefined && { reward: rewardOf(text(values, 'reward')) }),
  };
}

/** Operators as in a plan's data. */
function operatorsOf(values: Values): OperatorSpec[] {
  if (values.operators === undefined) return [];
  try {
    return OperatorSpec.array().parse(JSON.parse(text(values, 'operators')));
  } catch (cause) {
    throw new WhetstoneError('invalid-input', 'These are no operators.', {
      where: '--operators',
      hint: 'Give a JSON list as in a plan: [{"id": "show", "params": {"attempts": 3}}].',
      cause,
    });
  }
}

type LeftOut = Extract<AnswersProgress, { state: 'done' }>['leftOut'];

const leftOutLines = ({ count, first }: LeftOut): string[] =>
  count === 0
    ? []
    : [
        `${count} prompt${count === 1 ? '' : 's'} left out, since the model cannot answer ${count === 1 ? 'it' : 'them'}:`,
        ...first.map(({ row, message }) => `  row ${row + 1}: ${message}`),
        ...(count > first.length ? [`  and ${count - first.length} more`] : []),
      ];

const string = { type: 'string' } as const;

export const answersCommand: Command = {
  name: 'answers',
  usage:
    'RUN|MODEL --to NAME --workspace DIR [--purpose train|evaluation|sample] [--prompts DATASET [--query QUERY] ' +
    '[--samples N] [--temperature T] [--max-tokens N] [--seed N] [--reward ID]] [--operators JSON] [--keep-done]',
  summary:
    'Save the stored answers of a run as a dataset, or answers of a model to the prompts of a dataset; with --operators, ' +
    'those of a plan, the rows that they make of the answers: \'[{"id": "show"}]\' shows earlier attempts in the prompts; ' +
    'with "params": {"fallback": true} it takes the reference answer of the task where none is right. ' +
    'Ctrl+C keeps nothing, or with --keep-done the answers made so far.',
  example: 'RUN --to answers --workspace my-work',
  positionals: { least: 1, most: 1 },
  names: [{ kind: 'dataset', option: 'prompts' }],
  options: {
    ...workspaceOption,
    to: string,
    purpose: string,
    prompts: string,
    query: string,
    samples: string,
    temperature: string,
    'max-tokens': string,
    seed: string,
    reward: string,
    operators: string,
    'keep-done': { type: 'boolean' },
  },
  async run({ positionals: [given], values, log }) {
    samplingOf(values, 1);
    const name = text(values, 'to');
    const keep = values['keep-done'] === true ? 'done' : 'nothing';
    const operators = operatorsOf(values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const progress = throttled(log);
    try {
      const from = await fromOf(bench, given, values);
      for await (const each of bench.api.answers.save({ from, name, keep, operators }, stop.signal)) {
        if (each.state === 'saving') progress(`answers: ${each.done} of ${each.total}`);
        else {
          const { dataset, scoringFaults } = each;
          const faults = scoringFaults > 0 ? `, ${scoringFaults} of them not scored` : '';
          const saved = `${dataset.name}: ${dataset.rows} answers${faults} (${dataset.id})`;
          return { value: each, text: [saved, ...leftOutLines(each.leftOut)].join('\n') };
        }
      }
      await bench.api.answers.settle({});
      const kept = keep === 'done' ? 'The answers made so far were kept.' : 'Nothing of them was kept.';
      throw new WhetstoneError('cancelled', `Saving the answers was cancelled. ${kept}`);
    } finally {
      release();
      await bench.close();
    }
  },
};
