/** Tries one prompt on one model: the answer token by token, with log-probabilities. */
import { promptIdOf } from '../../random/hash.ts';
import { withNumericCause } from '../../models/broken.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import type { Model } from '../../models/model.ts';
import type { Device } from '../../runtime/index.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import type { TriedPrompt } from '../../schema/tried-prompt.ts';
import { splitTranscript, unmarked } from '../../common/transcript.ts';
import { encodePrompt } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { judgedBy, openWorldById } from '../../worlds/index.ts';
import { verdictOf } from '../../worlds/catalogue.ts';
import { writeAnswers } from '../compute/answers.ts';
import { steeredDecodingOf } from '../compute/decoding.ts';
import type { Answers } from '../kernel/columns.ts';
import { ragged } from '../kernel/rows.ts';

/** The last model stays in memory, since a person tries several prompts on one. */
let last:
  | {
      readonly key: string;
      readonly opened: Promise<{ readonly model: Model; readonly tokenizer: Tokenizer }>;
    }
  | undefined;

const openTried = async ({ folder, base, hash, putPrompts }: EngineCalls['tryPrompt']['input']) => {
  const key = JSON.stringify([folder, base, hash, putPrompts]);
  if (last?.key !== key) last = { key, opened: openModelFolder(folder, putPrompts, undefined, base) };
  try {
    return await last.opened;
  } catch (error) {
    last = undefined;
    throw error;
  }
};

/**
 * Samples one answer, cut at the end of the model's context; with a multi-turn `world` it is played in
 * turns, and the world's verifier judges it. An aborted `signal` stops it between chunks of tokens. Throws
 * `cancelled` then, `unsupported` for a reward model, `invalid-input` for a prompt that leaves no room,
 * `not-found` for an unknown world, `numeric` with the offending tensor for a model with non-finite outputs,
 * and the errors of opening the folder.
 */
export const tryPrompt = async (
  device: Device,
  input: EngineCalls['tryPrompt']['input'],
  signal?: AbortSignal,
): Promise<TriedPrompt> => {
  const { prompt, temperature, maxTokens, seed } = input;
  const world = input.world && openWorldById(input.world.id, input.world.params);
  const { model, tokenizer } = await openTried(input);
  const tokens = encodePrompt(tokenizer, prompt);
  const problem = { promptId: promptIdOf(prompt), prompt, reference: null };
  const from = performance.now();
  const decoder = { device, model, tokenizer, maxTokens, where: 'decoding.' };
  const decoding = await steeredDecodingOf(input.decoding ?? {}, decoder);
  const answers = await withNumericCause(model, input.folder, () =>
    writeAnswers(ragged([tokens], Int32Array), [problem], [0], {
      device,
      model,
      tokenizer,
      temperature,
      maxTokens,
      seed,
      purpose: 'tried',
      step: 0,
      ...(signal && { signal }),
      ...(world?.turns && { turns: world.turns }),
      ...decoding,
    }),
  );
  const seconds = (performance.now() - from) / 1000;
  const completion = answers.completion[0];
  const [verdict] = world ? await judgedBy(world, [{ prompt, completion }]) : [];
  return {
    promptTokens: tokens.length,
    tokens: triedTokens(tokenizer, answers, tokens.length, world?.turns ? unmarked : (text) => text),
    stopReason: answers.ended[0] ? 'end' : 'length',
    seconds,
    verdict: verdict ? verdictOf(verdict) : null,
  };
};

/** The answer's tokens; `own` decodes the model's, and a world's reply is one entry, without its marks. */
const triedTokens = (
  tokenizer: Tokenizer,
  { tokens: { values: tokens }, mask: { values: mask }, behaviorLogp: { values: logp } }: Answers,
  begin: number,
  own: (text: string) => string,
): TriedPrompt['tokens'] => {
  const found: TriedPrompt['tokens'] = [];
  for (let start = begin, end = begin; start < tokens.length; start = end) {
    while (end < tokens.length && mask[end] === mask[start]) end++;
    const span = tokens.subarray(start, end);
    const first = start;
    if (mask[start])
      textsOf(tokenizer, span).forEach((text, t) =>
        found.push({
          by: 'model',
          text: own(text),
          logp: logp[first + t],
          ends: tokenizer.ends.includes(span[t]),
        }),
      );
    else
      found.push({
        by: 'world',
        text: splitTranscript(tokenizer.decode(span)).replies.join(''),
        logp: 0,
        ends: false,
      });
  }
  return found;
};

const replacement = '\ufffd';

/**
 * Each token's contribution to the text. The bytes of one character may be spread over several tokens: it
 * belongs to the one that completes it.
 */
export const textsOf = (tokenizer: Pick<Tokenizer, 'decode' | 'ends'>, tokens: Int32Array): string[] => {
  let before = '';
  return Array.from(tokens, (token, t) => {
    if (tokenizer.ends.includes(token)) return '';
    const whole = tokenizer.decode(tokens.subarray(0, t + 1));
    const isLast = t + 1 === tokens.length;
    const text = isLast ? whole : whole.replace(/\ufffd+$/, '');
    // a tokenizer may decode a prefix differently once more tokens follow
    const added = text.startsWith(before)
      ? text.slice(before.length)
      : tokenizer.decode(tokens.subarray(t, t + 1)).replaceAll(replacement, '');
    if (text.length > before.length) before = text;
    return added;
  });
};
