/** One prompt tried on one model: the answer token by token, with their log-probabilities. */
import { promptIdOf } from '../data/hash.ts';
import { openModelFolder } from '../models/checkpoint.ts';
import { generate } from '../models/generate/generate.ts';
import type { Model } from '../models/model.ts';
import type { Device } from '../runtime/index.ts';
import type { EngineCalls, TriedPrompt } from '../schema/messages.ts';
import { encodePrompt } from '../text/spans.ts';
import type { Tokenizer } from '../text/tokenizer.ts';

/** The model that was tried last stays in memory: a person tries several prompts on one. */
let last: { readonly key: string; readonly opened: Promise<{ readonly model: Model; readonly tokenizer: Tokenizer }> } | undefined;

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
 * Samples one answer, cut where the model's context ends. An aborted `signal` stops it between chunks of tokens. Throws `cancelled` then, `unsupported` for a reward model, `invalid-input`
 * for a prompt that leaves no room, and what opening the folder throws.
 */
export const tryPrompt = async (device: Device, asked: EngineCalls['tryPrompt']['input'], signal?: AbortSignal): Promise<TriedPrompt> => {
  const { model, tokenizer } = await openTried(asked), { prompt, temperature, maxTokens, seed } = asked;
  const tokens = encodePrompt(tokenizer, prompt);
  const from = performance.now();
  const [answer] = await generate({
    device, model, rows: [{ prompt: tokens, promptId: promptIdOf(prompt), sample: 0 }], temperature, maxTokens, ends: tokenizer.ends, seed, purpose: 'tried', step: 0, signal,
  });
  const written = answer.tokens.subarray(answer.promptLength), texts = textsOf(tokenizer, written);
  return {
    promptTokens: answer.promptLength, tokens: texts.map((text, t) => ({ text, logp: answer.logp[t], ends: tokenizer.ends.includes(written[t]) })),
    stopReason: answer.stopReason, seconds: (performance.now() - from) / 1000,
  };
};

const replacement = '\ufffd';

/** What each token adds to the text. The bytes of one character may be spread over several tokens: it belongs to the one that completes it. */
export const textsOf = (tokenizer: Pick<Tokenizer, 'decode' | 'ends'>, tokens: Int32Array): string[] => {
  let before = '';
  return Array.from(tokens, (token, t) => {
    if (tokenizer.ends.includes(token)) return '';
    const whole = tokenizer.decode(tokens.subarray(0, t + 1)), isLast = t + 1 === tokens.length;
    const text = isLast ? whole : whole.replace(/\ufffd+$/, '');
    // a tokenizer may write what stands before differently once more follows
    const added = text.startsWith(before) ? text.slice(before.length) : tokenizer.decode(tokens.subarray(t, t + 1)).replaceAll(replacement, '');
    if (text.length > before.length) before = text;
    return added;
  });
};
