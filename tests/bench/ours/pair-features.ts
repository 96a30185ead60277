/**
 * Features of the answers of HH transcripts by a model folder, through the engine: the final hidden state of
 * each answer's last token. Prompt is the last question alone, and answers are cut to 160 tokens, so that two
 * cores need minutes instead of an hour; kept in `cache`, so that the next bench has them at once.
 */
import { readFile } from 'node:fs/promises';
import { openModelFolder } from '../../../engine/models/checkpoint.ts';
import { liveModel } from '../../../engine/rl/compute/live-model.ts';
import { frozenFeatures } from '../../../engine/rl/compute/frozen-features.ts';
import { ragged } from '../../../engine/rl/kernel/rows.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { encodePrompt } from '../../../engine/text/spans.ts';
import { say } from '../figures.ts';

/** Tokens of a question, counted from its end, and of an answer, counted from its start. */
const LONGEST = { prompt: 160, answer: 160 };
/** Pairs between two lines of progress. */
const REPORT = 96;

export interface PairFeatures {
  /** 2P × width, row by row: the preferred answer of each pair, then the other. */
  readonly values: Float64Array;
  readonly width: number;
}

interface Transcripts {
  readonly chosen: string;
  readonly rejected: string;
}

const lastTurn = (transcript: string): { readonly prompt: string; readonly answer: string } => {
  const at = transcript.lastIndexOf('\n\nAssistant:');
  const before = transcript.slice(0, at);
  const question = before.lastIndexOf('\n\nHuman:');
  return {
    prompt: before.slice(question + '\n\nHuman:'.length).trim(),
    answer: transcript.slice(at + '\n\nAssistant:'.length).trim(),
  };
};

/** Features of every pair of an HH file. Throws if the model's folder or the file cannot be read. */
export const pairFeatures = async (
  file: string,
  folder: string,
  cache: string,
  threads: number,
): Promise<PairFeatures> => {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const turns = lines.flatMap((line) => {
    const { chosen, rejected } = JSON.parse(line) as Transcripts;
    return [lastTurn(chosen), lastTurn(rejected)];
  });
  const { model, tokenizer } = await openModelFolder(folder);
  const device = await openDevice({ id: 'cpu', threads });
  try {
    const live = liveModel(device, model);
    const encoded = turns.map(({ prompt, answer }) => {
      const question = encodePrompt(tokenizer, prompt).slice(-LONGEST.prompt);
      const text = tokenizer.encode(answer).slice(0, LONGEST.answer);
      return { question, all: Int32Array.of(...question, ...text, tokenizer.end) };
    });
    const values: Float64Array[] = [];
    let width = 0;
    for (let from = 0; from < encoded.length; from += 2 * REPORT) {
      const part = encoded.slice(from, from + 2 * REPORT);
      const found = await frozenFeatures(
        live,
        {
          tokens: ragged(part, Int32Array, ({ all }) => all),
          mask: ragged(part, Uint8Array, ({ question, all }) =>
            all.map((_, t) => Number(t >= question.length)),
          ),
        },
        { folder: cache },
      );
      values.push(found.values);
      ({ width } = found);
      say(`features of ${Math.min(from + 2 * REPORT, encoded.length) / 2} of ${encoded.length / 2} pairs`);
    }
    const all = new Float64Array(encoded.length * width);
    values.reduce((at, one) => {
      all.set(one, at);
      return at + one.length;
    }, 0);
    return { values: all, width };
  } finally {
    await device.close();
  }
};
