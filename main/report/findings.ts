import type { Run } from '../../preload/contract/runs.ts';
import type { Workbench } from '../services/workbench.ts';
import type { Block, Cell } from './input.ts';

/** Findings of the run doctor for each run, those that were dismissed left out. */
export async function findingBlocks(
  api: Pick<Workbench['api'], 'runDoctor'>,
  runs: readonly Pick<Run, 'id' | 'name'>[],
): Promise<Block[]> {
  const rows: Cell[][] = [];
  for (const { id, name } of runs) {
    const { findings, dismissed } = await api.runDoctor.get({ id });
    for (const each of findings.filter(({ rule }) => !dismissed.includes(rule)))
      rows.push([
        name,
        each.title,
        each.severity,
        String(each.step),
        `${each.observed.name}: ${each.observed.text}`,
        `${each.expected.name}: ${each.expected.text}`,
        each.remedies.map(({ title }) => title).join('; '),
      ]);
  }
  if (rows.length === 0) return [{ kind: 'text', text: 'No rule of the run doctor found anything.' }];
  const titles = ['Run', 'Finding', 'Severity', 'From step', 'Observed', 'Expected', 'Remedies'];
  return [{ kind: 'table', columns: titles.map((title) => ({ title })), rows }];
}
