import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFraction } from '../../engine/random/hash.ts';
import type { Method } from '../../engine/rl/kernel/method.ts';
import type { TaskData } from '../../engine/rl/tasks/task-data.ts';
import type { Events } from '../../engine/rl/run/outbox.ts';
import type { Opening } from '../../engine/rl/run/open-session.ts';
import { runToEnd } from '../../engine/rl/run/train.ts';
import type { Device } from '../../engine/runtime/index.ts';
import type { EventBody, Resources } from '../../engine/schema/messages.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';

export { found, sanitySpec, toyModel, toyModels } from '../../engine/rl/tools/toy-run.ts';

/** True for a search that rewards guide; they must not know the right answer. */
export const isGuided = (method: Method): boolean => method.search({})?.kind === 'guide';

export type Seen = EventBody & { readonly role: string; readonly step: number };

export const noResources: Resources = { checkpoints: {}, datasets: {}, preferences: {} };

export interface RunInto extends Omit<Opening, 'isRehearsal'> {
  readonly resources?: Resources;
  readonly attempt?: number;
  readonly resumeFrom?: string;
  readonly stopAfter?: number;
}

/** Runs a spec in a folder, to its end or until step `stopAfter`; returns all events. */
export const runInto = async (
  device: Device,
  spec: RunSpec,
  outDir: string,
  { resources = noResources, attempt = 1, resumeFrom, stopAfter = Infinity, ...substitutes }: RunInto = {},
): Promise<{ seen: Seen[]; outcome: 'done' | 'stopped' }> => {
  const { seen, events } = recorder();
  const stop = new AbortController();
  const outcome = await runToEnd(
    { runId: 'toy', attempt, spec, resources, outDir, ...(resumeFrom !== undefined && { resumeFrom }) },
    {
      emit: async (body, at) => {
        await events.emit(body, at);
        if (body.type === 'metrics' && (at?.step ?? 0) >= stopAfter) stop.abort();
      },
    },
    stop.signal,
    device,
    substitutes,
  );
  return { seen, outcome };
};

/** Runs a spec in a temporary folder; returns all events. */
export const runToy = async (
  device: Device,
  spec: RunSpec,
  more: Omit<RunInto, 'attempt' | 'resumeFrom'> = {},
): Promise<Seen[]> => {
  const outDir = await mkdtemp(join(tmpdir(), 'whetstone-run-'));
  try {
    return (await runInto(device, spec, outDir, more)).seen;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
};

/** The folder of the last checkpoint. */
export const lastCheckpoint = (seen: readonly Seen[]): string => {
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  if (saved?.type !== 'checkpoint') throw new Error('no checkpoint was reported');
  return saved.checkpoint.path;
};

/** Events as a list. */
export const recorder = (): { seen: Seen[]; events: Events } => {
  const seen: Seen[] = [];
  let now = 0;
  return {
    seen,
    events: {
      emit: async (body, { role = 'policy', step = now } = {}) => {
        now = step;
        seen.push({ ...body, role, step });
      },
    },
  };
};

/**
 * Targets separated from their inputs: answers of other prompts, pairs swapped at random, verdicts about
 * another problem, actions that a coin replaces.
 */
export const shuffled = (data: TaskData): TaskData => {
  const { examples, graded, worked, pairs, world, control } = data;
  const coin = (text: string) => hashFraction('coin', text) < 0.5;
  return {
    ...data,
    ...(examples && {
      examples: {
        size: examples.size,
        at: (draw: number) => ({ ...examples.at(draw), answer: examples.at(draw + 7919).answer }),
      },
    }),
    ...(worked && {
      worked: {
        size: worked.size,
        at: (draw: number) => ({ ...worked.at(draw), answer: worked.at(draw + 7919).answer }),
      },
    }),
    ...(graded && {
      graded: {
        size: graded.size,
        at: (draw: number) => {
          const row = graded.at(draw);
          return {
            ...row,
            right: coin(`${draw} right`),
            ...(row.steps && { steps: row.steps.map((_, step) => coin(`${draw} step ${step}`)) }),
          };
        },
      },
    }),
    ...(pairs && {
      pairs: {
        size: pairs.size,
        at: (draw: number) => {
          const pair = pairs.at(draw);
          return coin(`${draw}`) ? pair : { ...pair, chosen: pair.rejected, rejected: pair.chosen };
        },
      },
    }),
    ...(control && {
      control: {
        ...control,
        // what is done has nothing to do with what was chosen
        advance: (state, at, actions, from) =>
          control.advance(
            state,
            at,
            Array.from(actions, () => (coin(state.subarray(at, at + control.stateSize).join()) ? 1 : 0)),
            from,
          ),
      },
    }),
    ...(world && {
      world: {
        ...world,
        verify: (problem, completion) => {
          const prompt = typeof problem === 'string' ? problem : problem.prompt;
          return world.verify(
            world.problem('train', Math.floor(hashFraction('other', prompt, completion) * 1e6), 0),
            completion,
          );
        },
      },
    }),
  };
};

type Bounded = Pick<Method, 'id' | 'sanity'>;

/** True if a toy run reached its bound. */
export const reachesBound = ({ sanity }: Bounded, value: number): boolean =>
  value >= (sanity?.atLeast ?? -Infinity) && value <= (sanity?.atMost ?? Infinity);

/** A toy run's result and bound, and how to tune it. */
export const toyReport = ({ id, sanity }: Bounded, value: number): string =>
  `${sanity?.metric} came to ${value}; its bound is ` +
  `${sanity?.atLeast === undefined ? `at most ${sanity?.atMost}` : `at least ${sanity.atLeast}`}. ` +
  "Tune it in the method's sanity.run, the learning rate first (three to ten times more or less), then the " +
  `steps; \`npm run bench -- sanity --only ${id}\` shows three seeds.`;
