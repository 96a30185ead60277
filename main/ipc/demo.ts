import type { Handlers } from '../../preload/contract/define.ts';
import type { demo, DemoStatus } from '../../preload/contract/demo.ts';
import { runDemo } from '../demo/index.ts';
import { DemoProgress, idleDemo } from '../demo/progress.ts';
import type { Services } from '../services/services.ts';
import type { PlanBench } from '../plans/whole.ts';
import { waitForRun, type Workbench } from '../services/workbench.ts';
import { follow } from './stream.ts';

const ok = { ok: true } as const;

/** `apiOf` gives all handlers, which do not exist yet while these are made. */
export const demoHandlers = (services: Services, apiOf: () => Workbench['api']): Handlers<typeof demo> => ({
  start({ seed }) {
    const { folder } = services;
    const bench: PlanBench = {
      services,
      api: apiOf(),
      waitForRun: (runId, onChange) => waitForRun(services, runId, onChange),
    };
    services.demo.start(idleDemo, async (signal, report) => {
      const progress = new DemoProgress();
      const { result, findings } = await runDemo(bench, {
        folder,
        seed,
        log: () => undefined,
        signal,
        onStage: (stage, run) => report(progress.at(stage, run)),
      });
      report({ report: result.report, findings: [...findings], finished: idleDemo.stages });
    });
    return ok;
  },
  stop() {
    services.demo.stop();
    return ok;
  },
  watch: (_input, signal) =>
    follow<DemoStatus>(
      signal,
      (_older, newer) => newer,
      (push) => {
        push(services.demo.status ?? idleDemo);
        return services.demo.watch(push);
      },
    ),
});
