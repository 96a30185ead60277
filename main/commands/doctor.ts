import { worlds } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Against, Examination } from '../../preload/contract/doctor.ts';
import {
  findingFacts,
  findingIds,
  fixIds,
  fixTitle,
  type FindingId,
  type FixId,
} from '../../preload/wire/findings.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import {
  columns,
  onInterrupt,
  text,
  workspaceOption,
  type Answer,
  type Command,
  type Values,
  datasetFirst,
} from './command.ts';
import { workspaceModel } from './model-option.ts';
import { throttled } from './progress.ts';

const all = (values: Values, name: string): string[] => [values[name] ?? []].flat().map(String);

/** A dataset's id or name, or a world's id. */
async function againstOf({ services }: OpenServices, given: string): Promise<Against> {
  if (worlds.some(({ id }) => id === given)) return { kind: 'world', id: given };
  const known = (await services.store.datasets.list()).find(({ id, name }) => id === given || name === given);
  if (known) return { kind: 'dataset', id: known.id };
  throw new WhetstoneError('not-found', `There is no dataset and no world '${given}'.`, {
    where: '--against',
    hint: 'Give the id or name of a dataset, or a world such as toy/copy.',
  });
}

function repairOf(values: Values): { finding: FindingId; fix: FixId } | null {
  if (values.fix === undefined) return null;
  const [finding, given] = text(values, 'fix').split(':');
  const known = findingIds.find((id) => id === finding);
  if (!known)
    throw new WhetstoneError('invalid-input', `There is no finding '${finding}'.`, {
      where: '--fix',
      hint: `There are: ${findingIds.join(', ')}.`,
    });
  const fix = given === undefined ? findingFacts[known].fixes[0] : fixIds.find((id) => id === given);
  if (!fix)
    throw new WhetstoneError('invalid-input', `There is no repair '${given}'.`, {
      where: '--fix',
      hint: `'${known}' has: ${findingFacts[known].fixes.join(', ')}.`,
    });
  return { finding: known, fix };
}

const percent = (share: number | null): string => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);

/** The findings as a table, with the query that finds the rows of each. */
export function examinationText({ summary, stale }: Examination): string {
  const { findings, baselines, languages, judge } = summary;
  const table = findings
    .filter(({ id }) => !id.endsWith('-loses'))
    .map(({ id, rows, groups, parts }) => [
      findingFacts[id].title,
      `${rows} rows`,
      groups === null ? '' : `${groups} ${findingFacts[id].group ?? 'group'}${groups === 1 ? '' : 's'}`,
      parts.map((part) => `${part.title} ${part.rows}`).join(', '),
      rows > 0 ? `finding:${id}` : '',
    ]);
  return [
    `${summary.rows} rows examined in ${summary.seconds.toFixed(1)} s${stale === 'fresh' ? '' : ', and changed since'}`,
    columns(table),
    `longest answer wins: ${percent(baselines.longestWins.rate)} of ${baselines.longestWins.pairs} pairs`,
    `first answer wins: ${percent(baselines.firstWins.rate)} of ${baselines.firstWins.pairs} pairs`,
    ...(judge
      ? [
          `judge of marks: ${percent(judge.accuracy)} right on ${judge.rows} rows (always the same mark: ` +
            `${percent(judge.majority)})${judge.noise === null ? ', too weak to doubt any' : `, estimated noise ${percent(judge.noise)}`}`,
        ]
      : []),
    `languages: ${languages.map((each) => `${each.language} ${each.rows}`).join(', ')}`,
  ].join('\n');
}

async function repaired(
  { api }: OpenServices,
  id: string,
  repair: { finding: FindingId; fix: FixId },
  values: Values,
  signal: AbortSignal,
): Promise<Answer> {
  const version = values.version === undefined ? undefined : text(values, 'version');
  const input = {
    id,
    ...repair,
    author: String(values.author ?? ''),
    ...(version !== undefined && { version }),
  };
  for await (const progress of api.doctor.fix(input, signal)) {
    if (progress.state !== 'done') continue;
    const { event, version: saved } = progress;
    const done = fixTitle(repair.finding, repair.fix);
    return {
      value: { event, version: saved },
      text: [
        event ? `${done}: ${event.rows} rows (step ${event.sequence})` : 'No row had to change.',
        ...(saved ? [`saved as version ${saved.name}: ${saved.rows} rows, ${saved.hash}`] : []),
      ].join('\n'),
    };
  }
  throw new WhetstoneError('cancelled', 'The repair was cancelled, and nothing was changed.');
}

export const doctorCommand: Command = {
  name: 'doctor',
  usage:
    'DATASET --workspace DIR [--tokenizer MODEL] [--against DATASET|WORLD]… [--split COLUMN] [--score COLUMN] ' +
    '[--last] [--fix FINDING[:REPAIR] [--version NAME] [--author NAME]]',
  summary:
    'Examine the rows of a dataset: duplicates, contradictions, leaks, personal data, lengths, languages, likely ' +
    'wrong marks. "finding:…" in a query finds the rows of each. --last shows the newest result; --fix repairs a ' +
    'finding of it in one step.',
  example: 'DATASET --workspace my-work --against toy/copy --json',
  positionals: { least: 1, most: 1 },
  names: [...datasetFirst, { kind: 'dataset', option: 'against', isOptional: true }],
  options: {
    ...workspaceOption,
    tokenizer: { type: 'string' },
    against: { type: 'string', multiple: true },
    split: { type: 'string' },
    score: { type: 'string' },
    last: { type: 'boolean' },
    fix: { type: 'string' },
    version: { type: 'string' },
    author: { type: 'string' },
  },
  async run({ positionals: [id], values, log }) {
    const repair = repairOf(values);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    try {
      if (repair) return await repaired(bench, id, repair, values, stop.signal);
      const value =
        values.last === true
          ? await bench.api.doctor.get({ id })
          : await examined(bench, id, values, log, stop.signal);
      if (!value)
        throw new WhetstoneError('not-found', 'This dataset was not examined yet.', {
          where: id,
          hint: 'Leave --last out to examine it.',
        });
      return { value, text: examinationText(value) };
    } finally {
      release();
      await bench.close();
    }
  },
};

async function examined(
  bench: OpenServices,
  id: string,
  values: Values,
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<Examination> {
  const against: Against[] = [];
  for (const given of all(values, 'against')) against.push(await againstOf(bench, given));
  const tokenizer =
    values.tokenizer === undefined ? null : await workspaceModel(bench.services, text(values, 'tokenizer'));
  const input = {
    id,
    against,
    wrongMarks: true,
    ...(tokenizer && { tokenizer }),
    ...(values.split !== undefined && { split: text(values, 'split') }),
    ...(values.score !== undefined && { score: text(values, 'score') }),
  };
  const progress = throttled(log);
  for await (const each of bench.api.doctor.examine(input, signal)) {
    if (each.state === 'done') return each.examination;
    progress(`${each.step}: ${Math.round(100 * each.share)} %`);
  }
  throw new WhetstoneError('cancelled', 'The examination was cancelled; the result before stays.');
}
