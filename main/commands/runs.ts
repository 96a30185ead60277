import type { Run } from '../../preload/contract/runs.ts';
import { openServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { outcomeFacts } from '../../preload/wire/run-outcome.ts';
import { columns, text, workspaceOption, type Command } from './command.ts';

export const runsCommand: Command = {
  name: 'runs',
  usage: '--workspace DIR [--archived]',
  summary: 'List the runs of the workspace, newest first.',
  example: '--workspace my-work --json',
  positionals: { least: 0, most: 0 },
  options: { ...workspaceOption, archived: { type: 'boolean' } },
  async run({ values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value = await entriesOf((before) =>
        bench.api.runs.list({ archived: values.archived === true, before }),
      );
      return {
        value,
        text: columns([
          ['id', 'method', 'state', 'step', 'result', 'KL', 'time', 'warning', 'name'],
          ...value.map((run) => [
            run.id,
            run.method,
            run.state,
            String(run.step),
            ...resultCells(run),
            signs(run),
            run.name,
          ]),
        ]),
      };
    } finally {
      await bench.close();
    }
  },
};

/** The doctor's worst finding and the number of others; warnings of a run that it has not examined. */
const signs = ({ findings, warnings }: Pick<Run, 'findings' | 'warnings'>): string => {
  if (!findings?.worst) return warnings.map(({ kind }) => kind).join(', ');
  const more = findings.severe + findings.warning - 1;
  return findings.worst.rule + (more > 0 ? ` +${more}` : '');
};

/** The result with its measure, KL and duration; empty where a run has none. */
const resultCells = (run: Pick<Run, 'outcome' | 'startedAt' | 'endedAt'>): string[] => {
  const facts = outcomeFacts(run);
  const textOf = (label: string): string => facts.find((fact) => fact.label === label)?.text ?? '';
  const result = run.outcome ? `${run.outcome.measure} ${textOf(run.outcome.measure)}` : '';
  return [result, textOf('KL'), textOf('duration')];
};
