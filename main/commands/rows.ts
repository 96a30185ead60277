import type { RowSort } from '../../preload/contract/rows.ts';
import { openServices } from '../headless/open.ts';
import { columns, datasetFirst, number, text, workspaceOption, type Command } from './command.ts';

/** `length`: upwards; `-length`: downwards. */
const sortOf = (given: string): RowSort | null =>
  given === '' ? null : { column: given.replace(/^-/, ''), descending: given.startsWith('-') };
const line = (given: string): string => given.replaceAll(/\s+/g, ' ').slice(0, 60);

export const rowsCommand: Command = {
  name: 'rows',
  usage: 'DATASET --workspace DIR [--query QUERY] [--sort [-]COLUMN] [--limit N] [--offset N] [--facets]',
  summary:
    'Find rows of a dataset: words, "phrases", -without, right, wrong, source:part, length>400, tag:name, OR; with ' +
    '--facets, how they are distributed over the columns.',
  example: "DATASET --workspace my-work --query 'wrong length>400 -tag:dup' --sort=-length --json",
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...workspaceOption,
    query: { type: 'string' },
    sort: { type: 'string' },
    limit: { type: 'string' },
    offset: { type: 'string' },
    facets: { type: 'boolean' },
  },
  async run({ positionals: [id], values }) {
    const place = {
      limit: number(values, 'limit', { fallback: 20, least: 1, most: 500, whole: true }),
      offset: number(values, 'offset', { fallback: 0, least: 0, most: 1e9, whole: true }),
    };
    const [query, sort] = [String(values.query ?? ''), sortOf(String(values.sort ?? ''))];
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { rows } = await bench.api.rows.page({ id, query, sort, ...place });
      const { total, facets } = await bench.api.rows.facets({ id, query });
      const table = columns([
        ['row', 'mark', 'tags', 'prompt', 'answer'],
        ...rows.map(({ row, correct, tags, prompt, answer }) => [
          String(row),
          correct === null ? '' : correct ? 'right' : 'wrong',
          tags.join(', '),
          line(prompt),
          line(answer),
        ]),
      ]);
      const counts = facets.map((facet) => {
        const found =
          facet.kind === 'values'
            ? facet.values.map((each) => `${each.value} ${each.rows}`).join(', ')
            : facet.kind === 'numbers'
              ? `${facet.low ?? ''} to ${facet.high ?? ''}`
              : 'texts';
        return `${facet.column}: ${found}${facet.empty ? `, empty ${facet.empty}` : ''}`;
      });
      return {
        value: values.facets === true ? { total, rows, facets } : { total, rows },
        text: [...(values.facets === true ? counts : [table]), `${total} rows match`].join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
