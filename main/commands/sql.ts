import { WhetstoneError } from '../../engine/common/errors.ts';
import type { SqlResult, SqlValue } from '../../preload/contract/sql.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, onInterrupt, text, workspaceOption, type Command } from './command.ts';

/** Most characters of a cell in the printed table; `--json` has all. */
const cellLength = 60;
const cell = (value: SqlValue): string =>
  value === null ? '' : String(value).replaceAll(/\s+/g, ' ').slice(0, cellLength);

const resultText = ({ columns: names, rows, total, isExact }: SqlResult, seconds: number): string => {
  const count = `${isExact ? '' : 'more than '}${total} ${total === 1 ? 'row' : 'rows'}`;
  const shown = rows.length < total ? `${count}, ${rows.length} shown` : count;
  return [columns([names, ...rows.map((row) => row.map(cell))]), `${shown}, ${seconds.toFixed(1)} s`].join(
    '\n',
  );
};

export const sqlCommand: Command = {
  name: 'sql',
  usage: 'DATASET [STATEMENT] --workspace DIR [--columns] [--limit N] [--seconds N]',
  summary:
    'Run one reading SQL statement (SQLite) over the rows of a dataset, as the table "rows"; --columns lists its ' +
    'columns as they are written in a statement.',
  example:
    "DATASET 'select source, count(*), avg(length) from rows group by source' --workspace my-work --json",
  positionals: { least: 1, most: 2 },
  options: {
    ...workspaceOption,
    columns: { type: 'boolean' },
    limit: { type: 'string' },
    seconds: { type: 'string' },
  },
  async run({ positionals: [id, sql = ''], values }) {
    const limit = number(values, 'limit', { fallback: 100, least: 1, most: 10_000, whole: true });
    const seconds = number(values, 'seconds', { fallback: 60, least: 1, most: 3600, whole: true });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const stop = new AbortController();
    const release = onInterrupt(() => stop.abort());
    try {
      if (values.columns === true || sql === '') {
        const value = await bench.api.sql.columns({ id });
        return { value, text: columns(value.map(({ written, about }) => [written, about])) };
      }
      for await (const each of bench.api.sql.run({ id, sql, limit, seconds }, stop.signal))
        return { value: each.result, text: resultText(each.result, each.seconds) };
      throw new WhetstoneError('cancelled', 'The statement was cancelled; nothing was changed.');
    } finally {
      release();
      await bench.close();
    }
  },
};
