import type { Run } from '../../preload/contract/runs.ts';
import type { Section } from './input.ts';

type Noted = Pick<Run, 'name' | 'question' | 'conclusion' | 'notes'>;

/** Questions, conclusions and notes of the runs that have any. */
export function noteSections(runs: readonly Noted[]): Section[] {
  const written = runs
    .map((run, colour) => ({ run, colour }))
    .filter(
      ({ run: { question, conclusion, notes } }) => Boolean(question) || Boolean(conclusion) || notes !== '',
    );
  if (written.length === 0) return [];
  return [
    {
      title: 'Questions and conclusions',
      blocks: [
        {
          kind: 'table',
          columns: [{ title: 'Run' }, { title: 'Question' }, { title: 'Conclusion' }, { title: 'Notes' }],
          rows: written.map(({ run, colour }) => [
            { text: run.name, colour },
            run.question ?? '–',
            run.conclusion ?? '–',
            run.notes || '–',
          ]),
        },
      ],
    },
  ];
}
