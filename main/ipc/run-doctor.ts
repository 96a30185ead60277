import { runRules } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { runDoctor, RunExamination } from '../../preload/contract/run-doctor.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

export const runDoctorHandlers = (services: Services): Handlers<typeof runDoctor> => ({
  rules: () => [...runRules],
  get: ({ id }) => services.runDoctor.of(id),
  watch: ({ id }, signal) =>
    follow<RunExamination>(
      signal,
      (_older, newer) => newer,
      (push, end) => {
        const doctor = services.runDoctor;
        const read = (): void => void doctor.of(id).then(push, end);
        read();
        const stops = [
          doctor.watch((examined) => {
            if (examined === id) read();
          }),
          services.queue.watchRemovals((removed) => {
            if (removed === id) end();
          }),
        ];
        return () => stops.forEach((stop) => stop());
      },
    ),
  dismiss({ id, rule, dismissed }) {
    if (!runRules.some((each) => each.id === rule))
      throw new WhetstoneError('not-found', `The run doctor has no rule “${rule}”.`, { where: 'rule' });
    return services.runDoctor.dismiss(id, rule, dismissed);
  },
});
