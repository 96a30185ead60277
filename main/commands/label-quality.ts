import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { Consensus, DecisionDetails, type OptionChanges } from '../../engine/schema/labeling/index.ts';
import { Verdict } from '../../engine/schema/preference.ts';
import { Choice } from '../../preload/contract/labels.ts';
import type { LabelerQuality, QualityReport, Rate } from '../../preload/contract/quality.ts';
import { rate, withInterval } from '../../preload/wire/numbers.ts';
import type { openServices } from '../headless/open.ts';
import { columns, parseNumberFlag, text, type Answer, type Values } from './command.ts';

type Api = Awaited<ReturnType<typeof openServices>>['api'];
export type QualityAction = (api: Api, values: Values) => Promise<Answer>;

const setOf = (values: Values) => ({ setId: text(values, 'set') });
const optional = (values: Values, name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined;

const share = ({ rate: value, interval, n }: Rate): string =>
  value === null ? '–' : `${withInterval(value, interval)} (n ${n})`;
const coefficient = (value: number | null, interval: readonly [number, number] | null): string =>
  value === null ? 'undefined' : interval ? withInterval(value, interval) : rate(value);

const labelerLine = (each: LabelerQuality): string[] => [
  each.labeler,
  String(each.labeled),
  each.pace?.median.toFixed(1) ?? '–',
  share(each.left),
  share(each.self),
  share(each.gold),
  each.reliability === null ? '–' : rate(each.reliability),
];

/** The report as lines. */
function reportText(report: QualityReport): string {
  const head = ['labeler', 'labeled', 'pace (s)', 'left', 'self-agreement', 'gold', 'reliability'];
  const agreement = [
    ...report.pairs.map(({ one, other, kappa }) => [
      `Cohen's kappa, ${one} and ${other}`,
      `${coefficient(kappa.value, kappa.interval)} (n ${kappa.items})`,
    ]),
    ...(report.fleiss
      ? [
          [
            `Fleiss' kappa, ${report.fleiss.raters} labels an item`,
            `${coefficient(report.fleiss.value, report.fleiss.interval)} (n ${report.fleiss.items})`,
          ],
        ]
      : []),
    ...(report.alpha
      ? [
          [
            "Krippendorff's alpha",
            `${coefficient(report.alpha.value, report.alpha.interval)} (n ${report.alpha.items})`,
          ],
        ]
      : []),
  ];
  return [
    report.labelers.length > 0 ? columns([head, ...report.labelers.map(labelerLine)]) : 'No labels yet.',
    agreement.length > 0
      ? columns(agreement)
      : 'No item has labels of two labelers: choose an overlap of 2 or more, and label under another name.',
    ...(report.steps
      ? [`Correct and incorrect are compared; the same first wrong step: ${share(report.steps)}`]
      : []),
    `${report.disputed} of ${report.shared} shared items disputed, ${report.adjudicated} adjudicated, ` +
      `${report.goldItems} gold items; what counts: ${report.consensus}`,
  ].join('\n');
}

const GoldLine = z.strictObject({
  pairId: z.string().min(1),
  verdict: z.union([Verdict.exclude(['skip']), Choice.exclude(['skip', 'answered'])]),
});
const DecisionLine = z.strictObject({
  pairId: z.string().min(1),
  verdict: z.union([Verdict, Choice]),
  details: DecisionDetails.optional(),
  value: z.unknown().optional(),
  rationale: z.string().max(4000).optional(),
});

/** JSON lines of a file, all checked. Throws `invalid-input` with file, line and field. */
async function linesOf<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/);
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const where = `${path}:${at + 1}`;
    const parsed = schema.safeParse(parsedJson(line, where));
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new WhetstoneError(
      'invalid-input',
      `${[...issue.path].join('.') || 'The line'}: ${issue.message}.`,
      {
        where,
      },
    );
  });
}

function parsedJson(line: string, where: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw new WhetstoneError('invalid-input', 'The line is not JSON.', { where, cause: error });
  }
}

const gold: QualityAction = async ({ quality }, values) => {
  const { setId } = setOf(values);
  const [item, file] = [optional(values, 'item'), optional(values, 'file')];
  const answer = (value: { gold: number }): Answer => ({ value, text: `${value.gold} gold items` });
  if (values.remove === true)
    return answer(await quality.unmarkGold({ setId, ...(item !== undefined && { pairIds: [item] }) }));
  if (values['from-marks'] === true) return answer(await quality.goldFromMarks({ setId }));
  if (file !== undefined)
    return answer(await quality.markGold({ setId, items: await linesOf(file, GoldLine), source: 'file' }));
  if (item !== undefined) {
    const line = GoldLine.safeParse({ pairId: item, verdict: text(values, 'verdict') });
    if (!line.success)
      throw new WhetstoneError('invalid-input', '--verdict is a, b, left, right, tie or both-bad.', {
        where: '--verdict',
      });
    return answer(await quality.markGold({ setId, items: [line.data], source: 'command' }));
  }
  const value = await quality.gold({ setId });
  const lines = value.map(({ pairId, verdict, source, labelers }) => [
    pairId,
    verdict,
    source,
    `${labelers} labels`,
  ]);
  return { value, text: lines.length > 0 ? columns(lines) : 'No gold items.' };
};

const disputed: QualityAction = async ({ adjudication }, values) => {
  const { setId } = setOf(values);
  const value = await adjudication.queue({ setId, after: [], count: 50, labeler: 'me' });
  const { pairs, labeled } = await adjudication.progress({ setId, labeler: 'me' });
  const lines = value.map(({ pairId, prompt }) => `${pairId}\t${prompt.slice(0, 60)}`);
  return { value, text: [`${pairs - labeled} of ${pairs} disputes open`, ...lines].join('\n') };
};

/** Settles items by the decisions of a file; all lines are checked before the first is stored. */
const adjudicate: QualityAction = async ({ adjudication }, values) => {
  const labeler = text(values, 'labeler', 'me');
  const decisions = await linesOf(text(values, 'file'), DecisionLine);
  for (const { details = {}, rationale = '', ...decision } of decisions)
    await adjudication.decide({ ...decision, details, rationale, labeler, seconds: null });
  const value = await adjudication.progress({ ...setOf(values), labeler });
  return { value, text: `${value.labeled} of ${value.pairs} disputes adjudicated` };
};

/** Actions of `labels` about the trust in labels. */
export const qualityActions: Readonly<Record<string, QualityAction>> = {
  quality: async ({ quality }, values) => {
    const value = await quality.report(setOf(values));
    return { value, text: reportText(value) };
  },
  gold,
  disputed,
  adjudicate,
};

const parts = { least: 0, most: 0.5 };

/** Options of a set that flags of their own give. Throws `invalid-input` for a share above one half. */
export function sharesFrom(values: Values): OptionChanges {
  const repeats = optional(values, 'repeats');
  const after = optional(values, 'repeat-after');
  const goldShare = optional(values, 'gold-share');
  const consensus = optional(values, 'consensus');
  const rule = consensus === undefined ? undefined : Consensus.safeParse(consensus);
  if (rule?.success === false)
    throw new WhetstoneError('invalid-input', `--consensus is one of ${Consensus.options.join(', ')}.`, {
      where: '--consensus',
    });
  return {
    ...(repeats !== undefined && { repeats: parseNumberFlag('repeats', repeats, parts) }),
    ...(after !== undefined && {
      repeatAfter: parseNumberFlag('repeat-after', after, { least: 1, most: 1000, whole: true }),
    }),
    ...(goldShare !== undefined && { gold: parseNumberFlag('gold-share', goldShare, parts) }),
    ...(rule && { consensus: rule.data }),
  };
}

export const qualityUsage =
  'quality|disputed SET | gold SET [--from-marks | --item ID --verdict VERDICT | --file FILE | --remove] | ' +
  'adjudicate SET --file FILE; shares of a set: [--repeats SHARE] [--repeat-after N] [--gold-share SHARE] ' +
  '[--consensus newest|majority|reliability]';

export const qualityOptions = {
  file: { type: 'string' },
  remove: { type: 'boolean' },
  'from-marks': { type: 'boolean' },
  adjudicate: { type: 'boolean' },
  repeats: { type: 'string' },
  'repeat-after': { type: 'string' },
  'gold-share': { type: 'string' },
  consensus: { type: 'string' },
} as const;
