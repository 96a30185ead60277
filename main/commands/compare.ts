import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices } from '../headless/open.ts';
import { conclusionSentences, conclusionTables } from '../report/conclusions.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

/** Most runs in one comparison. */
const MOST = 64;

/** The id of a run by its id or its name. Throws `not-found`, or `invalid-input` for a name of several runs. */
function runIdOf(runs: readonly Pick<Run, 'id' | 'name'>[], given: string, where: string): string {
  const found = runs.filter(({ id, name }) => id === given || name === given);
  if (found.length === 1) return found[0].id;
  if (found.length === 0)
    throw new WhetstoneError('not-found', `There is no run '${given}' in the workspace.`, {
      where,
      hint: 'The command "runs" lists them.',
    });
  throw new WhetstoneError('invalid-input', `${found.length} runs are named '${given}'.`, {
    where,
    hint: `Give the id of one of them: ${found.map(({ id }) => id).join(', ')}.`,
  });
}

export const compareCommand: Command = {
  name: 'compare',
  usage: 'RUN RUN … [--baseline RUN] [--fold] [--report FILE] --workspace DIR',
  summary: 'Compare runs on common problems: differences with intervals, aggregates, wins.',
  example: 'RUN RUN --baseline RUN --fold --workspace my-work --json',
  positionals: { least: 2, most: MOST },
  options: {
    ...workspaceOption,
    baseline: { type: 'string' },
    fold: { type: 'boolean' },
    report: { type: 'string' },
  },
  async run({ positionals, values }) {
    const folded = values.fold === true;
    const { api, close } = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const runs = [
        ...(await entriesOf((before) => api.runs.list({ archived: false, before }))),
        ...(await entriesOf((before) => api.runs.list({ archived: true, before }))),
      ];
      const runIds = [...new Set(positionals.map((given) => runIdOf(runs, given, given)))];
      const baseline =
        values.baseline === undefined ? null : runIdOf(runs, text(values, 'baseline'), '--baseline');
      if (baseline !== null && !runIds.includes(baseline)) runIds.unshift(baseline);
      const input = { runIds, baseline, folded };
      const conclusion = await api.compare.conclude(input);
      const report =
        values.report === undefined
          ? null
          : await api.compare.report({ ...input, title: 'Comparison', path: text(values, 'report') });
      const { differences, aggregates, wins } = conclusionTables(conclusion);
      return {
        value: conclusion,
        text: [
          ...conclusionSentences(conclusion),
          ...[differences, aggregates, wins]
            .filter((rows) => rows.length > 1)
            .map((rows) => `\n${columns(rows)}`),
          ...(report ? [`\nReport written to ${report.path}.`] : []),
        ].join('\n'),
      };
    } finally {
      await close();
    }
  },
};
