/** What a run's task offers a method: the sources that recipes begin with. */
import { WhetstoneError } from '../../common/errors.ts';
import type { TaskKind } from '../../schema/method-info.ts';
import type { RewardStack, Tasks } from '../kernel/method.ts';
import { answers, demonstrations, steps } from './answer-sources.ts';
import type { EncodingOptions } from './encoding.ts';
import type { IndexedStream, TaskData } from './task-data.ts';
import { pairSource, preferring, tripleSource } from './pair-sources.ts';
import { guided, prompts } from './prompt-sources.ts';

export interface SourceOptions extends EncodingOptions {
  readonly stack: RewardStack<'total'>;
}

/**
 * What the run's task offers a method of this kind. Throws `invalid-input` where it offers nothing of the
 * kind.
 */
export const taskSources = (kind: TaskKind, data: TaskData, options: SourceOptions): Tasks[TaskKind] => {
  const lacks = (what: string): never => {
    throw new WhetstoneError(
      'invalid-input',
      `There are no ${what} to learn from in the training part of ${data.name}.`,
      { where: 'task', hint: 'Choose a task that has some, hold out less, or filter less.' },
    );
  };
  const some = <T>(draws: IndexedStream<T> | undefined, what: string): IndexedStream<T> =>
    draws && draws.size > 0 ? draws : lacks(what);
  const makers: { readonly [K in TaskKind]: () => Tasks[K] } = {
    demonstrations: () => ({
      demonstrations: demonstrations(some(data.examples, 'demonstrations'), options),
    }),
    answers: () => {
      const graded = some(data.graded, 'answers that are known to be right or wrong');
      return {
        answers: answers(graded, options),
        steps: steps(graded, options, data.name),
        reward: options.stack,
      };
    },
    verifiable: () => ({
      prompts: prompts(data, options),
      guided: guided(data, options),
      reward: options.stack,
    }),
    preferences: () => {
      const pairs = preferring(some(data.pairs, 'decided pairs'), data.name);
      return {
        pairs: pairSource(pairs, options),
        allPairs: pairSource(pairs, options, pairs.size),
        triples: tripleSource(pairs, options),
        count: pairs.size,
      };
    },
    prompts: () => ({ prompts: prompts(data, options), scores: options.stack }),
  };
  return makers[kind]();
};
