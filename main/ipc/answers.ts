import type { answers, AnswersProgress, ShowableAnswers } from '../../preload/contract/answers.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { Services } from '../services/services.ts';
import { saveAnswers } from '../use-cases/answers/index.ts';
import { showableAnswers } from '../use-cases/answers/showable.ts';
import { worked } from './stream.ts';

export const answersHandlers = (services: Services): Handlers<typeof answers> => {
  const running = new Set<Promise<unknown>>();
  return {
    save: (input, signal) =>
      worked<AnswersProgress>(signal, (stop, push) => {
        const work = saveAnswers(services, input, stop, push);
        running.add(work);
        const ended = (): void => void running.delete(work);
        work.then(ended, ended);
        return work;
      }),
    showable: ({ from }, signal) =>
      worked<ShowableAnswers>(signal, (stop, push) => showableAnswers(services, from, stop, push)),
    async settle() {
      await Promise.allSettled(running);
      return { ok: true };
    },
  };
};
