/** The tables of the section Ten of tests/bench/README.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/planted.ts';

/** One row: the claim in the table's own words, and what was found. */
export interface MeasuredRow {
  readonly words: string;
  /** Difference and interval, as printed: `+.331 [.302, .361]`. */
  readonly figures: string;
  readonly holds: string;
}

export interface MeasuredTable {
  /** The id of the command above the table: `npm run bench -- ten --only ID --json`. */
  readonly system: string;
  readonly rows: readonly MeasuredRow[];
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The tables of a text, each under its command. Throws for one without, or with other columns. */
export const tablesOf = (text: string): MeasuredTable[] => {
  const tables: { system: string; rows: MeasuredRow[] }[] = [];
  let command: string | undefined;
  for (const line of text.split('\n')) {
    const named = /^ +npm run bench -- ten --only (\S+) --json$/.exec(line);
    if (named) command = named[1];
    if (!line.startsWith('|') || /^\| -/.test(line)) continue;
    const cells = cellsOf(line);
    if (cells[0].startsWith('claim of ')) {
      if (command === undefined) throw new Error(`No command stands above the table '${cells[0]}'.`);
      const titles = cells.slice(2).join(', ');
      if (titles !== 'difference, 95 % interval, holds')
        throw new Error(`The columns of '${cells[0]}' are ${titles}.`);
      tables.push({ system: command, rows: [] });
      command = undefined;
    } else {
      const [words, , figures, holds] = cells;
      tables.at(-1)?.rows.push({ words, figures, holds });
    }
  }
  return tables;
};

/** The tables of the repository. */
export const measuredTables = (): MeasuredTable[] => {
  const [, section] = readFileSync(join(root, 'tests/bench/README.md'), 'utf8').split('\n## Ten\n');
  return tablesOf(section.split('\n## ', 1)[0]);
};
