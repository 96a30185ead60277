import { WhetstoneError } from '../../engine/common/errors.ts';
import { readNumber } from '../../engine/common/number-text.ts';
import type {
  CurationEvent,
  CurationProgress,
  RowChange,
  RowTarget,
} from '../../preload/contract/curation.ts';
import { openServices } from '../headless/open.ts';
import {
  numbers,
  onInterrupt,
  text,
  workspaceOption,
  type Answer,
  type Command,
  type Values,
  datasetFirst,
} from './command.ts';

const author = { author: { type: 'string' } } as const;
const authorOf = (values: Values): string => String(values.author ?? '');

/** A cell as it is typed: `column=value`; a number where it is one, and nothing after the sign empties it. */
function editOf(given: string): RowChange {
  const at = given.indexOf('=');
  if (at < 1)
    throw new WhetstoneError('invalid-input', `'${given}' names no column and value.`, {
      where: '--set',
      hint: 'Write them as column=value, such as mark=right.',
    });
  const [column, value] = [given.slice(0, at), given.slice(at + 1)];
  if (column === 'mark') {
    const mark = { right: true, wrong: false, unmarked: null, '': null }[value];
    if (mark === undefined)
      throw new WhetstoneError('invalid-input', `There is no mark '${value}'.`, {
        where: '--set',
        hint: 'Use right, wrong or unmarked.',
      });
    return { kind: 'edit', column, value: mark };
  }
  const read = readNumber(value, {});
  const isText = ['prompt', 'answer', 'reference'].includes(column);
  return { kind: 'edit', column, value: value === '' ? null : !isText && read.ok ? read.value : value };
}

/** The one change that the flags name. */
function changeOf(values: Values): RowChange {
  const marks = (['tag', 'untag', 'flag', 'unflag', 'note'] as const).flatMap((kind): RowChange[] =>
    values[kind] === undefined ? [] : [{ kind, value: String(values[kind]) } as RowChange],
  );
  const switches = (['exclude', 'restore'] as const).flatMap((kind): RowChange[] =>
    values[kind] === true ? [{ kind }] : [],
  );
  const edits = values.set === undefined ? [] : [editOf(String(values.set))];
  const changes = [...marks, ...switches, ...edits];
  if (changes.length !== 1)
    throw new WhetstoneError('invalid-input', `A step is one change, and ${changes.length} were given.`, {
      where: 'curate',
      hint: 'Give one of --exclude, --restore, --tag, --untag, --flag, --unflag, --note and --set.',
    });
  return changes[0];
}

/** The rows by number, or those of the query; one of them must be given, so that no step takes all by mistake. */
function targetOf(values: Values): RowTarget {
  if (values.rows !== undefined) return { rows: numbers(values, 'rows', { least: 0, most: 1e9 }) };
  if (typeof values.query === 'string') return { query: values.query };
  throw new WhetstoneError('invalid-input', 'Neither --query nor --rows says which rows to change.', {
    where: 'curate',
    hint: "Give one of them; --query '' means every row.",
  });
}

/** Waits for a step; Ctrl+C takes it back. */
async function followed(
  open: (signal: AbortSignal) => AsyncIterable<CurationProgress>,
  log: (line: string) => void,
): Promise<CurationEvent | null> {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  try {
    for await (const progress of open(stop.signal)) {
      if (progress.state === 'done') return progress.event;
      log(`${progress.done} of ${progress.total} rows`);
    }
  } finally {
    release();
  }
  throw new WhetstoneError('cancelled', 'The change was cancelled, and no part of it was kept.');
}

const answerOf = (event: CurationEvent | null): Answer => ({
  value: event,
  text: event ? `${event.event}: ${event.rows} rows (step ${event.sequence})` : 'These rows are so already.',
});

export const curateCommand: Command = {
  name: 'curate',
  usage:
    'DATASET --workspace DIR (--query QUERY | --rows 1,2) (--exclude | --restore | --tag NAME | --untag NAME | ' +
    '--flag NAME | --unflag NAME | --note TEXT | --set COLUMN=VALUE) [--author NAME]',
  summary: 'Change rows of a dataset in one step, which "undo" takes back.',
  example: "DATASET --workspace my-work --query 'length>4000' --exclude",
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: {
    ...workspaceOption,
    ...author,
    query: { type: 'string' },
    rows: { type: 'string' },
    exclude: { type: 'boolean' },
    restore: { type: 'boolean' },
    tag: { type: 'string' },
    untag: { type: 'string' },
    flag: { type: 'string' },
    unflag: { type: 'string' },
    note: { type: 'string' },
    set: { type: 'string' },
  },
  async run({ positionals: [id], values, log }) {
    const [target, change] = [targetOf(values), changeOf(values)];
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const input = { id, target, change, author: authorOf(values) };
      return answerOf(await followed((signal) => bench.api.curation.change(input, signal), log));
    } finally {
      await bench.close();
    }
  },
};

const stepCommand = (which: 'undo' | 'redo', summary: string): Command => ({
  name: which,
  usage: 'DATASET --workspace DIR [--author NAME]',
  summary,
  example: 'DATASET --workspace my-work',
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: { ...workspaceOption, ...author },
  async run({ positionals: [id], values, log }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const input = { id, author: authorOf(values) };
      return answerOf(await followed((signal) => bench.api.curation[which](input, signal), log));
    } finally {
      await bench.close();
    }
  },
});
export const undoCommand = stepCommand('undo', 'Undo the last step of a dataset’s curation.');
export const redoCommand = stepCommand(
  'redo',
  'Repeat the step of a dataset’s curation that was undone last.',
);

export const historyCommand: Command = {
  name: 'history',
  usage: 'DATASET --workspace DIR',
  summary: 'List the steps of a dataset’s curation, newest first.',
  example: 'DATASET --workspace my-work --json',
  positionals: { least: 1, most: 1 },
  names: datasetFirst,
  options: workspaceOption,
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const value: CurationEvent[] = [];
      let page = await bench.api.curation.history({ id });
      while (page.length > 0) {
        value.push(...page);
        page = await bench.api.curation.history({ id, before: page[page.length - 1].sequence });
      }
      const lines = value.map(({ sequence, event, field, value: to, rows, state, author: who, at }) =>
        [sequence, new Date(at).toISOString(), who, event, field ?? '', to ?? '', rows, state].map(String),
      );
      return {
        value,
        text: lines.map((cells) => cells.filter(Boolean).join('  ')).join('\n') || 'No step yet.',
      };
    } finally {
      await bench.close();
    }
  },
};
