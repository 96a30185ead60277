/**
 * Steps of a GRPO run in the engine's own loop: sampling, rewards, advantages, reference, update, and
 * reporting.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import type { Events } from '../../../engine/rl/run/outbox.ts';
import type { Method } from '../../../engine/rl/kernel/method.ts';
import { grpo } from '../../../engine/rl/methods/grpo.ts';
import type { Recipe, Role } from '../../../engine/rl/kernel/recipe.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { RunSpec } from '../../../engine/schema/run-spec.ts';
import { answerTokens, grpoSettings, optimizer, type Size } from '../sizes.ts';
import { endlessModel, tokenizerOf, worldOf } from './language.ts';
import { serve } from './serve.ts';

/** Seconds by stage of the latest step. */
let seconds: Record<string, number> = {};

/** The method with its stages timed, otherwise unchanged. */
const timed: Method = {
  ...grpo,
  recipe: (params, task) => {
    const recipe = grpo.recipe(params, task);
    const roles = Object.fromEntries(
      Object.entries(recipe.roles).map(([name, role]): [string, Role] => [
        name,
        {
          ...role,
          stages: role.stages.map((stage) => ({
            ...stage,
            run: async (inputs: never, loop: Parameters<typeof stage.run>[1]) => {
              const start = performance.now();
              const change = await stage.run(inputs, loop);
              const name = stage.id.replace(/\(.*/, '');
              seconds[name] = (seconds[name] ?? 0) + (performance.now() - start) / 1000;
              return change;
            },
          })),
        },
      ]),
    );
    return { ...recipe, roles } satisfies Recipe;
  },
};

/**
 * Holds the run before each step: `next` lets it take one, now or when it arrives, and resolves with its
 * metrics.
 */
class Gate implements Events {
  #onMetrics: (metrics: Readonly<Record<string, number>>) => void = () => undefined;
  #waiting: (() => void) | undefined;
  #allowed = 0;
  tokens = 0;

  async emit(body: Parameters<Events['emit']>[0]): Promise<void> {
    if (body.type === 'trajectories')
      for (const { tokens, promptLength } of body.rows) this.tokens += tokens.length - promptLength;
    if (body.type === 'metrics') this.#onMetrics(body.values);
    if (body.type === 'metrics' || body.type === 'started') await this.#pass();
  }

  next(): Promise<Readonly<Record<string, number>>> {
    const metrics = new Promise<Readonly<Record<string, number>>>((resolve) => {
      this.#onMetrics = resolve;
    });
    this.#allowed++;
    this.#waiting?.();
    return metrics;
  }

  async #pass(): Promise<void> {
    if (this.#allowed === 0)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    this.#waiting = undefined;
    this.#allowed--;
  }
}

const gate = new Gate();
const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));

const open = async ({
  size,
  threads,
  parameters,
}: {
  size: Size;
  threads: number;
  parameters: string;
}): Promise<void> => {
  const model = endlessModel(size, 1);
  const world = worldOf(size);
  const { prompts, attempts } = grpoSettings(size);
  writeFileSync(parameters, model.parameters.flat);
  const checkpoint = join(folder, 'policy');
  await writeCheckpoint(checkpoint, { model, tokenizer: tokenizerOf(size) });
  const spec = RunSpec.parse({
    method: { id: 'grpo', params: { groupSize: attempts, klWeight: 0.01 } },
    models: { policy: { kind: 'checkpoint', checkpointId: 'policy' } },
    task: { kind: 'world', id: 'toy/copy' },
    rewards: [{ id: 'verifier' }],
    optimizer,
    sampling: { maxTokens: answerTokens(size) },
    budget: { steps: 1_000_000, batch: prompts },
    evaluation: { problems: 0 },
    seed: 1,
  } satisfies Parameters<typeof RunSpec.parse>[0]);
  const device = await openDevice({ id: 'cpu', threads });
  const run = {
    runId: 'benchmark',
    attempt: 1,
    spec,
    resources: { checkpoints: { policy: checkpoint }, datasets: {}, preferences: {} },
    outDir: join(folder, 'out'),
  };
  const prepare: NonNullable<Parameters<typeof runToEnd>[4]>['prepare'] = (data) => ({
    ...data,
    texts: [world.alphabet],
    world,
    problems: { size: Infinity, at: (draw) => world.problem('train', draw, 1) },
  });
  runToEnd(run, gate, new AbortController().signal, device, { method: timed, prepare }).catch(
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
};

await serve({
  open,
  /** Seconds of one step, in total and by phase; tokens sampled. */
  step: async () => {
    [seconds, gate.tokens] = [{}, 0];
    const start = performance.now();
    const { 'reward/mean': reward, 'seconds/update': update, skipped } = await gate.next();
    const whole = (performance.now() - start) / 1000;
    if (skipped !== 0) throw new Error('the step was skipped');
    const {
      sampleGroups: sampling = 0,
      score: rewards = 0,
      centerByGroup: advantages = 0,
      logpUnder: reference = 0,
    } = seconds;
    return {
      seconds: whole,
      breakdown: {
        sampling,
        rewards,
        advantages,
        reference,
        update,
        rest: whole - sampling - rewards - advantages - reference - update,
      },
      tokens: gate.tokens,
      reward,
    };
  },
});
await rm(folder, { recursive: true, force: true });
process.exit(0); // the run is still waiting at its gate
