import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workbench } from '../app/workbench.ts';
import { rounded } from './figures.ts';

/** Seconds of one command, with the start of its process, on a dataset of so many rows. */
export interface CommandFigures {
  readonly command: string;
  readonly rows: number;
  readonly seconds: number;
}

const words = 'robe bolts cloth takes half that much white fiber total answer because number each week'.split(
  ' ',
);
const textOf = (seed: number, length: number): string =>
  Array.from(
    { length },
    (_none, at) => words[(seed * 31 + at * at * 7 + (seed >> 3) * at) % words.length],
  ).join(' ');

/** Marked answers, four to a prompt, of three levels; every fiftieth row appears twice. */
function writeRows(path: string, rows: number): void {
  const lines = Array.from({ length: rows }, (_none, at) => {
    const row = at % 50 === 49 ? at - 4 : at;
    const prompt = `Question ${row >> 2}: ${textOf(row >> 2, 24)}?`;
    const answer = `${textOf(row + 7, 60)} is answer ${row}.`;
    return JSON.stringify({ prompt, answer, correct: row % 4 === 0, level: row % 3, reference: String(row) });
  });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

/**
 * Times the commands that curate a dataset and label in bulk, each as a process of its own on the same
 * workspace: what a user waits for at that size.
 */
export async function measureCuration({ rows }: { readonly rows: number }): Promise<CommandFigures[]> {
  const workbench = new Workbench();
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-curate-'));
  const figures: CommandFigures[] = [];
  const timed = async (...args: readonly [string, ...string[]]): Promise<{ id: string }> => {
    const start = performance.now();
    const out = await workbench.command(...args, '--json');
    const seconds = rounded((performance.now() - start) / 1000);
    const command = args.filter((arg) => !arg.includes(folder) && !/^[\da-f-]{36}/.test(arg)).join(' ');
    figures.push({ command, rows, seconds });
    process.stderr.write(`${command}: ${seconds} s\n`);
    return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as { id: string };
  };
  try {
    const file = join(folder, 'rows.jsonl');
    writeRows(file, rows);
    const { id } = await timed('import', file);
    await timed('version', 'save', id, 'imported');
    await timed('derive', id, '--query', 'right', '--name', 'right');
    await timed('sample', id, '--rows', '.1', '--by', 'level', '--name', 'tenth');
    await timed('mix', `${id}=1`, '--rows', String(rows >> 1), '--name', 'half');
    await timed('split', id, '--parts', 'train=.8,test=.2');
    await timed('lineage', id);
    await timed('doctor', id);
    await timed('doctor', id, '--fix', 'exact-duplicates', '--version', 'once');
    await timed('column', id, '--name', 'len', '--code', 'answer.length');
    await timed('column', id, '--name', 'number', '--reward', 'numeric');
    const { id: set } = await timed('labels', 'create', '--dataset', id, '--per-prompt', '1');
    await timed('labels', 'bulk', '--set', set, '--verdict', 'left');
    const labels = join(folder, 'labels.jsonl');
    await timed('label-export', labels, '--set', set);
    await timed('labels', 'import', labels, '--set', set, '--as', 'ann');
    await timed('labels', 'quality', set);
    await timed('labels', 'judge', set);
    return figures;
  } finally {
    await workbench.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
