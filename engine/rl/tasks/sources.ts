/** What a run's task offers a method: the sources that recipes begin with. */
import { WhetstoneError } from '../../schema/errors.ts';
import type { TaskKind } from '../../schema/method-info.ts';
import type { RewardStack, Tasks } from '../kernel/method.ts';
import { answers, demonstrations, steps } from './answer-sources.ts';
import type { EncodingOptions } from './encoding.ts';
import type { Draws, Material } from './material.ts';
import { pairSource, preferring, tripleSource } from './pair-sources.ts';
import { guided, prompts } from './prompt-sources.ts';

export interface SourceOptions extends EncodingOptions {
  readonly stack: RewardStack<'total'>;
}

/**
 * What the run's task offers a method of this kind. Throws `invalid-input` where it offers nothing of the
 * kind.
 */
export const tasksOf = (kind: TaskKind, material: Material, options: SourceOptions): Tasks[TaskKind] => {
  const lacks = (what: string): never => {
    throw new WhetstoneError(
      'invalid-input',
      `There are no ${what} to learn from in the training part of ${material.name}.`,
      { where: 'task', hint: 'Choose a task that has some, hold out less, or filter less.' },
    );
  };
  const some = <T>(draws: Draws<T> | undefined, what: string): Draws<T> =>
    draws && draws.size > 0 ? draws : lacks(what);
  const makers: { readonly [K in TaskKind]: () => Tasks[K] } = {
    demonstrations: () => ({
      demonstrations: demonstrations(some(material.examples, 'demonstrations'), options),
    }),
    answers: () => {
      const graded = some(material.graded, 'answers that are known to be right or wrong');
      return {
        answers: answers(graded, options),
        steps: steps(graded, options, material.name),
        reward: options.stack,
      };
    },
    verifiable: () => ({
      prompts: prompts(material, options),
      guided: guided(material, options),
      reward: options.stack,
    }),
    preferences: () => {
      const pairs = preferring(some(material.pairs, 'decided pairs'), material.name);
      return {
        pairs: pairSource(pairs, options),
        allPairs: pairSource(pairs, options, pairs.size),
        triples: tripleSource(pairs, options),
        count: pairs.size,
      };
    },
    prompts: () => ({ prompts: prompts(material, options), scores: options.stack }),
  };
  return makers[kind]();
};
