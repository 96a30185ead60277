/** Credit of the parts of one answer for its score, checked by deletion. */
import { splitSteps, stepRanges } from '../../common/answer-steps.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { spearman } from '../../evaluate/index.ts';
import { isWritten } from '../../schema/judge-output.ts';
import type { CreditUnit, InsideAnswer } from '../../schema/inside.ts';
import { encodeExample } from '../../text/spans.ts';
import type { OpenedJudge } from '../evaluation/model-scorers.ts';
import { textsOf } from './try-prompt.ts';
import { ragged } from '../kernel/rows.ts';

/** Most parts of an answer when none are asked for, and at all: each costs two passes over the answer. */
const USUAL_UNITS = 160;
const MOST_UNITS = 512;

interface Asked {
  readonly prompt: string;
  readonly completion: string;
  readonly unit?: CreditUnit;
}

/** Parts of a text that together are the text; null where a tokenizer does not spell it. */
type Split = (text: string, judge: OpenedJudge) => string[] | null;

const splits: { readonly [U in CreditUnit]: Split } = {
  tokens: (text, { tokenizer }) => {
    const parts = textsOf(tokenizer, tokenizer.encode(text)).filter(Boolean);
    return parts.join('') === text ? parts : null;
  },
  words: (text) => text.match(/\s*\S+|\s+$/gu) ?? [],
  sentences: (text) =>
    Array.from(
      new Intl.Segmenter('und', { granularity: 'sentence' }).segment(text),
      ({ segment }) => segment,
    ),
  steps: (text) => {
    const starts = stepRanges(splitSteps(text)).map(([start]) => start);
    return text === '' ? [] : starts.map((start, at) => text.slice(at === 0 ? 0 : start, starts[at + 1]));
  },
};

function partsOf(judge: OpenedJudge, { completion, unit }: Asked): { unit: CreditUnit; parts: string[] } {
  const asked: readonly CreditUnit[] =
    unit === undefined ? ['tokens', 'words', 'sentences', 'steps'] : [unit];
  const found = asked.flatMap((each) => {
    const parts = splits[each](completion, judge);
    // where tokens do not spell the answer, words are the finest parts
    return parts
      ? [{ unit: each, parts }]
      : [{ unit: 'words' as const, parts: splits.words(completion, judge) ?? [] }];
  });
  const fits = (most: number) => found.find(({ parts }) => parts.length <= most);
  const chosen = fits(unit === undefined ? USUAL_UNITS : MOST_UNITS) ?? fits(MOST_UNITS);
  if (chosen) return chosen;
  throw new WhetstoneError(
    'invalid-input',
    `The answer has ${found[found.length - 1].parts.length} ${found[found.length - 1].unit}; ` +
      `credit is computed for at most ${MOST_UNITS}.`,
    { where: 'unit', hint: 'Choose larger parts, such as sentences or steps, or a shorter answer.' },
  );
}

/**
 * The head's number at the end of each part within one pass over the answer, after the one before the answer:
 * parts + 1. Null for a judge of another kind, and for an answer whose tokens cross the ends of parts' texts.
 */
async function statesOf(judge: OpenedJudge, { prompt, completion }: Asked, parts: readonly string[]) {
  const { live, tokenizer, output } = judge;
  if (isWritten(output) || output.kind === 'latent') return null;
  const { tokens, promptLength, spans } = encodeExample(tokenizer, prompt, completion);
  const answer = tokens.subarray(promptLength, tokens.length - 1);
  const texts = textsOf(tokenizer, answer);
  if (spans.length > 2 || promptLength === 0 || texts.join('') !== completion) return null;
  const { values } = await live.each(
    'verdicts',
    ragged([tokens], Int32Array, (row) => row),
    1,
  );
  const states = [values[promptLength - 1]];
  let [token, length, end] = [0, 0, 0];
  for (const part of parts) {
    end += part.length;
    while (token < texts.length && length + texts[token].length <= end) length += texts[token++].length;
    states.push(values[promptLength - 1 + token]);
  }
  return states;
}

const agreementOf = (credit: readonly number[] | null, deletion: readonly number[]): number | null => {
  if (credit === null || deletion.length < 3) return null;
  const rho = spearman(credit, deletion);
  return Number.isNaN(rho) ? null : rho;
};

/**
 * Credit of each part of an answer: the change of the score from the prefix before it to the one that ends with
 * it, each scored as a whole answer (the credits sum to the score less that of an empty answer); and the change
 * of the head's number within one pass. Both are checked by deletion: the score less that of the answer without
 * the part (leave-one-out, Li, Monroe and Jurafsky 2016, arXiv:1612.08220). The answer must fit the context.
 * Throws `invalid-input` for an answer of more than 512 parts.
 */
export async function insideAnswer(judge: OpenedJudge, asked: Asked): Promise<InsideAnswer> {
  const { prompt, completion } = asked;
  const { unit, parts } = partsOf(judge, asked);
  const ends = parts.reduce<number[]>((all, part) => [...all, (all.at(-1) ?? 0) + part.length], []);
  const texts = [
    '',
    ...ends.map((end) => completion.slice(0, end)),
    ...parts.map((part, at) => completion.slice(0, ends[at] - part.length) + completion.slice(ends[at])),
  ];
  const scores = await judge.score(
    texts.map((text) => ({ promptId: '', prompt, completion: text, tokens: text.length, stopReason: 'end' })),
  );
  const states = await statesOf(judge, asked, parts);
  const n = parts.length;
  const deletion = parts.map((_part, at) => scores[n] - scores[n + 1 + at]);
  const credit = parts.map((_part, at) => scores[at + 1] - scores[at]);
  const state = states && parts.map((_part, at) => states[at + 1] - states[at]);
  return {
    unit,
    score: scores[n],
    empty: scores[0],
    units: parts.map((text, at) => ({
      text,
      prefix: scores[at + 1],
      credit: credit[at],
      state: state?.[at] ?? null,
      deletion: deletion[at],
    })),
    agreement: { credit: agreementOf(credit, deletion), state: agreementOf(state, deletion) },
  };
}
