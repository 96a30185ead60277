import { WhetstoneError } from '../../engine/common/errors.ts';
import { CreditUnit, type InsideAnswer } from '../../engine/schema/inside.ts';
import { openServices } from '../headless/open.ts';
import { columns, text, workspaceOption, type Command, type Values } from './command.ts';
import { judgeFrom } from './judge-from.ts';

const unitOf = ({ by }: Values): CreditUnit | undefined => {
  if (by === undefined) return undefined;
  const unit = CreditUnit.safeParse(by);
  if (unit.success) return unit.data;
  throw new WhetstoneError('invalid-input', `--by is one of ${CreditUnit.options.join(', ')}.`, {
    where: '--by',
  });
};

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

export const insideCommand: Command = {
  name: 'inside',
  usage: `JUDGE --prompt TEXT --answer TEXT --workspace DIR [--by ${CreditUnit.options.join('|')}]`,
  summary:
    'Which parts of an answer its score comes from: what each adds to the score of the prefix before it, what the ' +
    'score loses without it, and how well the two agree. JUDGE is a run, a checkpoint or a model.',
  example: "RUN --prompt '2+2?' --answer 'It is 4.' --workspace my-work --json",
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    prompt: { type: 'string' },
    answer: { type: 'string' },
    by: { type: 'string' },
  },
  async run({ positionals: [id], values }) {
    const [prompt, completion, unit] = [text(values, 'prompt'), text(values, 'answer'), unitOf(values)];
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const from = await judgeFrom(bench, id);
      const value = await bench.api.inside.answer({ from, prompt, completion, ...(unit && { unit }) });
      return { value, text: shown(value) };
    } finally {
      await bench.close();
    }
  },
};
