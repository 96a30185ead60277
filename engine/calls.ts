/** Questions that the engine answers at once, outside any run. */
import { writeAnswers } from './rl/answers.ts';
import { openTextScorer } from './rl/judges.ts';
import { maskedSums, gather } from './rl/rows.ts';
import { encodePrompts } from './rl/sources.ts';
import { openModelFolder } from './models/checkpoint.ts';
import { openDevice, type Device } from './runtime/index.ts';
import { promptIdOf } from './data/hash.ts';
import type { TextScorer } from './rewards/index.ts';
import { WhetstoneError } from './schema/errors.ts';
import type { CallName, EngineCalls } from './schema/messages.ts';
import { cpus, availableParallelism } from 'node:os';

let opened: Promise<Device> | undefined;
/** The process's device; opening it runs the self-check once. */
export const theDevice = (): Promise<Device> => {
  opened ??= openDevice({ id: 'cpu' });
  // a failure is told to whoever asked; the next one tries again
  opened.catch(() => { opened = undefined; });
  return opened;
};

/** The scorer that was asked last stays open: a person scores several texts with one model. */
let scorer: { readonly folder: string; readonly model: Promise<TextScorer> } | undefined;

const scorerOf = async (folder: string): Promise<TextScorer> => {
  if (scorer?.folder !== folder) scorer = { folder, model: openTextScorer(await theDevice(), folder) };
  try {
    return await scorer.model;
  } catch (error) {
    scorer = undefined;
    throw error;
  }
};

export const calls: { readonly [N in CallName]: (input: EngineCalls[N]['input']) => Promise<EngineCalls[N]['output']> } = {
  check: async () => {
    const facts = { id: 'cpu', name: cpus()[0]?.model.trim() ?? 'CPU', threads: availableParallelism() };
    try {
      const { threads } = await theDevice();
      return [{ ...facts, threads, ok: true }];
    } catch (error) {
      return [{ ...facts, ok: false, error: WhetstoneError.from(error).facts }];
    }
  },
  score: async ({ checkpoint, items }) => {
    const model = await scorerOf(checkpoint);
    const rows = items.map(({ prompt, completion }) => ({ promptId: promptIdOf(prompt), prompt, completion, tokens: completion.length, stopReason: 'end' as const }));
    return [...await model.score(rows)];
  },
  generate: async ({ checkpoint, prompts, samples, temperature, maxTokens, seed }) => {
    const device = await theDevice();
    const { model, tokenizer } = await openModelFolder(checkpoint);
    const problems = prompts.map((prompt) => ({ promptId: promptIdOf(prompt), prompt, reference: null }));
    const from_R = Uint32Array.from({ length: prompts.length * samples }, (_, r) => Math.floor(r / samples));
    const encoded = encodePrompts(problems, { tokenizer, context: model.config.context, maxTokens });
    const answers = await writeAnswers(gather(encoded, from_R), gather(problems, from_R), Float64Array.from(from_R, (_, r) => r % samples),
      { device, model, tokenizer, temperature, maxTokens, seed, purpose: 'asked', step: 0 });
    const logp = maskedSums(answers.behaviorLogp, answers.mask);
    return answers.completion.map((completion, r) => ({ prompt: prompts[from_R[r]], completion, logp: logp[r] }));
  },
};
