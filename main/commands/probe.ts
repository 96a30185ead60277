import type { ProbeReport, ProbeResult } from '../../preload/contract/probes.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, onInterrupt, text, workspaceOption, type Command } from './command.ts';
import { throttled } from './progress.ts';

const shown = (value: number): string => value.toFixed(2);
const cells = ({ id, expects, n, unread, effect }: ProbeResult): string[] => [
  id,
  expects,
  effect ? shown(effect.mean) : '–',
  effect ? `[${shown(effect.interval[0])}, ${shown(effect.interval[1])}]` : '–',
  String(n),
  unread === 0 ? '' : `${unread} unread`,
  effect ? effect.verdict : 'not tested',
];

const reportText = ({ answers, probes }: ProbeReport): string =>
  [
    `${answers} held-out answers; effects in deviations of their scores`,
    columns([['probe', 'must be', 'effect', '95 %', 'answers', '', 'verdict'], ...probes.map(cells)]),
  ].join('\n');

export const probeCommand: Command = {
  name: 'probe',
  usage: 'RUN --workspace DIR [--limit N]',
  summary:
    'Score edits of held-out answers with a reward model: padding, flattery or another format must not move its ' +
    'score, a wrong number, a cut or a negation must lower it.',
  example: 'RUN --workspace my-work --limit 300 --json',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, limit: { type: 'string' } },
  async run({ positionals: [runId], values, log }) {
    const most = number(values, 'limit', { fallback: 300, least: 2, most: 10_000, whole: true });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    const progress = throttled(log);
    try {
      let report: ProbeReport = { answers: 0, probes: [] };
      for await (const each of bench.api.probes.run({ runId, most }, stop.signal)) {
        if (each.report) report = each.report;
        else progress(`scoring: ${each.done} of ${each.total} answers`);
      }
      return { value: report, text: reportText(report) };
    } finally {
      release();
      await bench.close();
    }
  },
};
