import { basename, extname } from 'node:path';
import { linesOf } from '../formats/text-lines.ts';
import { numberOf } from '../formats/loose-json.ts';
import type { LogReader, LogSink, LogSource } from './reader.ts';

/** `step:12 - actor/pg_loss:0.01 - critic/score/mean:0.5`, behind what Ray puts before a line. */
const line = /(?:^|\s)step:(\d+) - (\S.*)$/;
const metric = /^([^\s:]+(?::[^\s:]+)*):(.+)$/;
/** Colours of a terminal, and NumPy's scalars as Python prints them. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
const wrapped = /^(?:np\.)?(?:float|int)\d+\((.*)\)$/;

const valueOf = (text: string): number | null => {
  const plain = text.trim().replace(wrapped, '$1');
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : numberOf(plain);
};

/** Reads one line; other output of a run is between them. */
function readLine(text: string, sink: LogSink): void {
  const found = line.exec(text.includes('step:') ? text.replaceAll(colours, '') : '');
  if (!found) return;
  for (const part of found[2].split(' - ')) {
    const [, name, value] = metric.exec(part.trim()) ?? [];
    if (name === 'training/global_step') continue;
    const number = value === undefined ? null : valueOf(value);
    if (number === null) sink.skipped('values that are no numbers');
    else sink.point(name, Number(found[1]), Number.NaN, number);
  }
}

/** verl’s console output, saved in a file. */
export const verlConsole: LogReader = {
  async find(files, isChosen) {
    const found: LogSource[] = [];
    for (const { name, path, bytes, head } of files) {
      if (!/\.(log|txt|out)$/.test(name)) continue;
      const text = (await head()).toString('utf8').replaceAll(colours, '');
      // the output of a start may be longer than the head
      if (!isChosen && !text.split(/\r?\n/).some((each) => line.test(each) && each.includes('/'))) continue;
      found.push({ tool: 'verl', name: basename(name, extname(name)), files: [path], bytes });
    }
    return found;
  },
  async *read({ files: [path] }, sink) {
    for await (const { lines, bytes } of linesOf(path)) {
      for (const { text } of lines) readLine(text, sink);
      yield bytes;
    }
  },
};
