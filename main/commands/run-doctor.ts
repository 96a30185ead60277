import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunExamination } from '../../preload/contract/run-doctor.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { entriesOf } from '../store/pages.ts';
import { columns, text, workspaceOption, type Answer, type Command } from './command.ts';

export const runDoctorCommand: Command = {
  name: 'run-doctor',
  usage: '[RUN] --workspace DIR [--dismiss RULE | --restore RULE]',
  summary:
    'Examine a run by named rules over its curves, answers and evaluations: what was observed and expected, ' +
    'from which step on, and settings that would help. Without a run, count the findings of every run. ' +
    '--dismiss RULE hides a finding of the run, --restore RULE shows it again.',
  example: 'RUN --workspace my-work --json',
  positionals: { least: 0, most: 1 },
  options: { ...workspaceOption, dismiss: { type: 'string' }, restore: { type: 'string' } },
  async run({ positionals: [id], values }) {
    const rule = values.dismiss ?? values.restore;
    if (values.dismiss !== undefined && values.restore !== undefined)
      throw new WhetstoneError('invalid-input', 'Give --dismiss or --restore, not both.', {
        where: '--restore',
      });
    if (rule !== undefined && id === undefined)
      throw new WhetstoneError('invalid-input', 'Name the run whose finding it is.', { where: 'RUN' });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      if (id === undefined) return await everyRun(bench);
      const examination =
        rule === undefined
          ? await bench.api.runDoctor.get({ id })
          : await bench.api.runDoctor.dismiss({
              id,
              rule: text({ rule }, 'rule'),
              dismissed: values.dismiss !== undefined,
            });
      return { value: examination, text: examinationText(examination) };
    } finally {
      await bench.close();
    }
  },
};

/** Counts of every run with a step. */
async function everyRun({ api }: OpenServices): Promise<Answer> {
  const runs = await entriesOf((before) => api.runs.list({ archived: false, before }));
  const value: { run: Pick<Run, 'id' | 'name'>; rules: string[]; severe: number; warning: number }[] = [];
  for (const { id, name } of runs) {
    const { findings, dismissed } = await api.runDoctor.get({ id });
    const open = findings.filter(({ rule }) => !dismissed.includes(rule));
    const count = (severity: string): number => open.filter((each) => each.severity === severity).length;
    value.push({
      run: { id, name },
      rules: open.map(({ rule }) => rule),
      severe: count('severe'),
      warning: count('warning'),
    });
  }
  return {
    value,
    text: columns([
      ['id', 'severe', 'warnings', 'findings', 'name'],
      ...value.map(({ run, rules, severe, warning }) => [
        run.id,
        String(severe),
        String(warning),
        rules.join(', '),
        run.name,
      ]),
    ]),
  };
}

function examinationText({ step, findings, dismissed }: RunExamination): string {
  const open = findings.filter(({ rule }) => !dismissed.includes(rule));
  const hidden = findings.length - open.length;
  return [
    `${open.length === 0 ? 'No finding' : `Findings: ${open.length}`} at step ${step}${hidden > 0 ? `; ${hidden} dismissed` : ''}`,
    ...open.flatMap((each) => [
      '',
      `${each.severity}: ${each.title} (${each.rule})`,
      `  ${each.text}`,
      `  observed ${each.observed.name}: ${each.observed.text}`,
      `  expected ${each.expected.name}: ${each.expected.text}`,
      `  steps ${each.step} to ${each.lastStep}${each.metric === null ? '' : `, curve ${each.metric}`}`,
      ...each.remedies.map(
        ({ title, changes }) =>
          `  remedy ${title}: ${changes.map(({ path, value }) => `${path.join('.')}=${JSON.stringify(value)}`).join(' ')}`,
      ),
      ...(each.source === '' ? [] : [`  source ${each.source}`]),
    ]),
  ].join('\n');
}
