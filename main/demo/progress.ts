import type { DemoStatus } from '../../preload/contract/demo.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { stageNames as names, stages, type Stage } from './plan.ts';

const expected = (of: readonly Stage[]): number => of.reduce((sum, name) => sum + stages[name].seconds, 0);

/** The demo before it starts. */
export const idleDemo: DemoStatus = {
  state: 'idle',
  stage: '',
  finished: 0,
  stages: names.length,
  share: 0,
  secondsLeft: expected(names),
  runId: null,
  policies: [],
  findings: [],
  report: null,
  error: null,
};

/**
 * Expected seconds until the end: the rest of the stage at hand by its own estimate, and the later stages'
 * expected times, scaled by how long the finished ones took on this machine. Null before anything is known.
 */
export function demoSecondsLeft(
  stage: Stage,
  {
    before,
    inStage,
    stageLeft,
  }: {
    /** Seconds that the finished stages took. */
    readonly before: number;
    /** Seconds since the stage at hand began. */
    readonly inStage: number;
    /** What the run at hand expects to take still. */
    readonly stageLeft: number | null;
  },
): number | null {
  const at = names.indexOf(stage);
  const known = stageLeft !== null;
  const measured = before + (known ? inStage + stageLeft : 0);
  const planned = expected(names.slice(0, known ? at + 1 : at));
  if (planned === 0) return null;
  const scale = measured / planned;
  const rest = known ? stageLeft : Math.max(0, stages[stage].seconds * scale - inStage);
  return rest + scale * expected(names.slice(at + 1));
}

/** Keeps the status of a demo while its stages go by. `now` in milliseconds. */
export class DemoProgress {
  #began = 0;
  #stageBegan = 0;
  #stage: Stage = names[0];
  #policies: string[] = [];
  #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#began = this.#stageBegan = now();
  }

  /** What changes in the status when this stage is at hand; `run` is its run, if it has one. */
  at(stage: Stage, run: Run | null): Partial<DemoStatus> {
    const now = this.#now();
    if (stage !== this.#stage) [this.#stage, this.#stageBegan] = [stage, now];
    if (run?.state === 'done' && stages[stage].isPolicy && !this.#policies.includes(run.id))
      this.#policies = [...this.#policies, run.id];
    const finished = names.indexOf(stage);
    const part = run?.totalSteps ? run.step / run.totalSteps : 0;
    return {
      stage: stages[stage].title,
      finished,
      share: (expected(names.slice(0, finished)) + part * stages[stage].seconds) / expected(names),
      secondsLeft: demoSecondsLeft(stage, {
        before: (this.#stageBegan - this.#began) / 1000,
        inStage: (now - this.#stageBegan) / 1000,
        stageLeft: run?.secondsLeft ?? null,
      }),
      runId: run?.id ?? null,
      policies: this.#policies,
    };
  }
}
