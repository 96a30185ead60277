/**
 * A synthetic language with a model's vocabulary size and prompts of equal length, and models of it that
 * never end an answer by themselves.
 */
import { stream } from '../../../engine/random/random.ts';
import { configOf } from '../../../engine/models/config.ts';
import { createModel, type Model } from '../../../engine/models/model.ts';
import { charactersTokenizer } from '../../../engine/text/characters.ts';
import { firstOrdinary, specials, type Tokenizer } from '../../../engine/text/tokenizer.ts';
import { defineWorld } from '../../../engine/worlds/world.ts';
import type { World } from '../../../engine/worlds/index.ts';
import * as z from 'zod';
import { answerTokens, promptTokens, type Size } from '../sizes.ts';

/**
 * One character per token, from the block of Chinese characters, which is large enough for vocabularies of
 * up to 20,000.
 */
const alphabetOf = ({ vocabulary }: Size): string =>
  String.fromCodePoint(...Array.from({ length: vocabulary - firstOrdinary }, (_, i) => 0x4e00 + i));

export const tokenizerOf = (size: Size): Tokenizer => charactersTokenizer(alphabetOf(size));

/**
 * A random model that cannot sample the end token, so that the benchmark decides a row's length: the last
 * layer norm shifts one coordinate far up, where the end token's embedding is far down.
 */
export const endlessModel = (size: Size, seed: number): Model => {
  const model = createModel(configOf({ family: 'gpt2', ...size }, size.vocabulary), seed);
  model.parameters.view('transformer.ln_f.bias')[0] = 30;
  model.parameters.view('transformer.wte.weight')[specials.end * size.width] = -30;
  return model;
};

/** Prompts of random characters; an answer earns the share of its characters that are in its prompt. */
export const worldOf = (size: Size): World =>
  defineWorld({
    id: 'bench/echo',
    title: 'Echo',
    summary: 'Answers with characters of the prompt.',
    params: z.strictObject({}),
    build: () => {
      const characters = [...alphabetOf(size)];
      return {
        alphabet: characters.join(''),
        maxPromptTokens: promptTokens(size),
        maxTokens: answerTokens(size),
        heldout: null,
        problem: (_level, draw) => ({
          prompt: Array.from(
            { length: promptTokens(size) - 1 },
            () => characters[draw.int(characters.length)],
          ).join(''),
          reference: '',
          meta: {},
        }),
        verify: (prompt, completion) => {
          const held = new Set(prompt);
          const written = [...completion];
          const reward = written.filter((c) => held.has(c)).length / Math.max(1, written.length);
          return { correct: reward === 1, reward, reason: 'share of the characters' };
        },
        demonstration: ({ prompt }) => ({ answer: prompt, kind: 'right' }),
      };
    },
  }).open();

/** Tokens of random prompts, `begin` first. */
export const randomPrompts = (size: Size, count: number, seed: number): Int32Array[] =>
  Array.from({ length: count }, (_, at) => {
    const draw = stream(seed, 'prompts', at);
    return Int32Array.of(
      specials.begin,
      ...Array.from(
        { length: promptTokens(size) - 1 },
        () => firstOrdinary + draw.int(size.vocabulary - firstOrdinary),
      ),
    );
  });
