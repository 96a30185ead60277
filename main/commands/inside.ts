import { WhetstoneError } from '../../engine/common/errors.ts';
import { CreditUnit, type InsideAnswer } from '../../engine/schema/inside.ts';
import type { AnswerSteps } from '../../preload/contract/inside.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, text, workspaceOption, type Command, type Values } from './command.ts';
import { judgeFrom } from './judge-from.ts';

const unitOf = ({ by }: Values): CreditUnit | undefined => {
  if (by === undefined) return undefined;
  const unit = CreditUnit.safeParse(by);
  if (unit.success) return unit.data;
  throw new WhetstoneError('invalid-input', `--by is one of ${CreditUnit.options.join(', ')}.`, {
    where: '--by',
  });
};

/** Throws `invalid-input` for a threshold without steps, and for parts of another kind with them. */
function thresholdOf(values: Values): number | undefined {
  const threshold =
    values.threshold === undefined
      ? undefined
      : number(values, 'threshold', { fallback: 0, least: -1e9, most: 1e9 });
  const wrong = values.steps === true ? 'by' : 'threshold';
  if (values[wrong] !== undefined)
    throw new WhetstoneError(
      'invalid-input',
      wrong === 'by' ? '--by does not go with --steps.' : '--threshold needs --steps.',
      { where: `--${wrong}` },
    );
  return threshold;
}

const signed = (value: number): string => (value < 0 ? '' : '+') + value.toFixed(4);
const rho = (value: number | null, n: number): string =>
  value === null ? `ρ undefined, n = ${n}` : `ρ = ${value.toFixed(2)}, n = ${n}`;

const shown = ({ unit, score, empty, units, agreement }: InsideAnswer): string =>
  [
    `score ${score.toFixed(4)}, of an empty answer ${empty.toFixed(4)}`,
    columns([
      [unit, 'credit', 'in one pass', 'deletion'],
      ...units.map(({ text: part, credit, state, deletion }) => [
        JSON.stringify(part),
        signed(credit),
        state === null ? '–' : signed(state),
        signed(deletion),
      ]),
    ]),
    `credit agrees with deletion: ${rho(agreement.credit, units.length)}`,
    ...(units.some(({ state }) => state !== null)
      ? [`credit in one pass agrees with deletion: ${rho(agreement.state, units.length)}`]
      : []),
  ].join('\n');

const found = ({ firstWrong, threshold, thresholdBy }: AnswerSteps): string => {
  if (threshold === null)
    return 'no threshold: run a suite of ProcessBench with this judge, or give --threshold';
  const from = { chosen: 'as chosen', report: 'of its report of ProcessBench', half: 'one half' };
  const first = firstWrong === null ? 'unknown: a step has no score' : stepName(firstWrong);
  return `first wrong step by the judge: ${first} (threshold ${threshold.toFixed(4)}, ${thresholdBy ? from[thresholdBy] : ''})`;
};

const stepName = (firstWrong: number): string => (firstWrong < 0 ? 'none' : `step ${firstWrong + 1}`);
const score = (value: number | null): string => (value === null ? '–' : value.toFixed(4));

const stepsShown = (answer: AnswerSteps): string =>
  [
    columns([
      ['step', 'prefix', ...(answer.by === 'head' ? ['head'] : []), 'drop', 'text'],
      ...answer.steps.map(({ text: step, prefix, head, drop }, at) => [
        String(at + 1),
        score(prefix),
        ...(answer.by === 'head' ? [score(head)] : []),
        score(drop),
        JSON.stringify(step),
      ]),
    ]),
    found(answer),
    ...answer.labels.map(
      ({ source, firstWrong }) =>
        `first wrong step by “${source}”: ${firstWrong === null ? 'the answer is wrong, no step is named' : stepName(firstWrong)}`,
    ),
  ].join('\n');

export const insideCommand: Command = {
  name: 'inside',
  usage: `JUDGE --prompt TEXT --answer TEXT --workspace DIR [--by ${CreditUnit.options.join('|')}] [--steps [--threshold N]]`,
  summary:
    'Which parts of an answer its score comes from: what each adds to the score of the prefix before it, what the ' +
    'score loses without it, and how well the two agree. --steps: the scores of its steps, and the first wrong one ' +
    'as ProcessBench finds it. JUDGE is a run, a checkpoint or a model.',
  example: "RUN --prompt '2+2?' --answer 'It is 4.' --workspace my-work --json",
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    prompt: { type: 'string' },
    answer: { type: 'string' },
    by: { type: 'string' },
    steps: { type: 'boolean' },
    threshold: { type: 'string' },
  },
  async run({ positionals: [id], values }) {
    const threshold = thresholdOf(values);
    const [prompt, completion, unit] = [text(values, 'prompt'), text(values, 'answer'), unitOf(values)];
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const from = await judgeFrom(bench, id);
      if (values.steps === true) {
        const answer = { prompt, completion };
        const value = await bench.api.inside.steps({
          from,
          answer,
          ...(threshold !== undefined && { threshold }),
        });
        return { value, text: stepsShown(value) };
      }
      const value = await bench.api.inside.answer({ from, prompt, completion, ...(unit && { unit }) });
      return { value, text: shown(value) };
    } finally {
      await bench.close();
    }
  },
};
