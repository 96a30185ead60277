import { WhetstoneError } from '../../engine/common/errors.ts';
import { openServices } from '../headless/open.ts';
import { rescore, type OtherTotal } from '../use-cases/rescore.ts';
import { columns, onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

const parsed = (flag: string, given: string, example: string): unknown => {
  try {
    return JSON.parse(given);
  } catch (error) {
    throw new WhetstoneError(
      'invalid-input',
      `This is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      { where: `--${flag}`, hint: `For example ${example}.` },
    );
  }
};
/** The rewards and the composer of the flags. Throws `invalid-input` if neither is given. */
const otherTotal = (values: { readonly [flag: string]: unknown }): OtherTotal => {
  const { rewards, composer } = values;
  if (typeof rewards !== 'string' && typeof composer !== 'string')
    throw new WhetstoneError('invalid-input', 'Neither rewards nor a composer are given.', {
      where: '--rewards',
      hint: 'For example --rewards \'[{"id": "length"}]\', or --composer \'{"id": "product"}\'.',
    });
  return {
    ...(typeof rewards === 'string' && {
      rewards: parsed('rewards', rewards, '[{"id": "verifier"}, {"id": "length", "weight": 0.1}]'),
    }),
    ...(typeof composer === 'string' && { composer: parsed('composer', composer, '{"id": "product"}') }),
  };
};
const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(4));

const recomputedText = ({
  answers,
  features,
}: {
  readonly answers: number;
  readonly features: number;
}): string[] => [
  ...(answers > 0
    ? [
        `${answers} reference answers were sampled again from the run’s initial model, with the ` +
          'run’s seed, temperature and length',
      ]
    : []),
  ...(features > 0
    ? [`features of ${features} answers were computed again with the run’s initial model`]
    : []),
];

export const rescoreCommand: Command = {
  name: 'rescore',
  usage: "RUN [--rewards '[…]'] [--composer '{…}'] --workspace DIR [--save]",
  summary:
    'Score the stored answers of a run with other rewards, or with another total of them (null: the ' +
    'weighted sum), and compare; --save adds the values as separate score rows.',
  example: `RUN --rewards '[{"id": "length"}]' --workspace my-work`,
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    rewards: { type: 'string' },
    composer: { type: 'string' },
    save: { type: 'boolean' },
  },
  async run({ positionals: [runId], values, log }) {
    const other = otherTotal(values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const progress = throttled(log);
    try {
      const value = await rescore(bench.services, runId, other, {
        save: values.save === true,
        signal: stop.signal,
        report: ({ done, total }) => progress(`scoring: ${done} of ${total} steps`),
      });
      const { rows, groups, scorers, total, advantages, reordered, recomputed, saved, faults } = value;
      const lines = columns([
        ['', 'mean', 'stored', 'correlation'],
        ...Object.entries({ ...scorers, total }).map(([name, of]) => [
          name,
          shown(of.mean),
          shown(of.stored),
          shown(of.correlation),
        ]),
      ]);
      return {
        value: { ...value, points: undefined },
        text: [
          `${rows} answers in ${groups} groups${faults > 0 ? `, ${faults} of them not scored` : ''}`,
          lines,
          `advantages: correlation ${shown(advantages.correlation)}, mean change ` +
            `${shown(advantages.meanChange)}, sign changed on ${(100 * advantages.signsChanged).toFixed(1)} %`,
          ...(reordered === null
            ? []
            : [`order within the group changed for ${(100 * reordered).toFixed(1)} % of the answers`]),
          ...recomputedText(recomputed),
          ...(saved.length ? [`saved as ${saved.join(', ')}`] : []),
        ].join('\n'),
      };
    } finally {
      release();
      await bench.close();
    }
  },
};
