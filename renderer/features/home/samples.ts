import { router } from '../../lib/router.svelte.ts';
import { session } from '../../lib/session.svelte.ts';

/** A plan that ships and ends within about a minute: an example of a system. */
export interface Sample {
  /** Id of the plan. */
  readonly preset: string;
  readonly title: string;
  readonly about: string;
}

export const samples: readonly Sample[] = [
  {
    preset: 'co-training',
    title: 'Co-train',
    about:
      'A policy and a verifier that writes a verdict on each line learn in turns; nobody marks lines. Open the run ' +
      '“together” and its Verdicts. About a minute.',
  },
  {
    preset: 'reward-arena',
    title: 'Reward arena',
    about:
      'Four rewards in code compete for updates; two of them mislead. Pause, pin or add one while it runs. About half a minute.',
  },
  {
    preset: 'robustness',
    title: 'Robustness',
    about:
      'One model is adapted to three rules by four recipes: what each gains, and loses on the other rules. ' +
      'About a minute.',
  },
  {
    preset: 'start-states',
    title: 'Start states',
    about:
      'A policy restarts from its own right and wrong answers. Its run’s Results show what it repairs and damages. About a minute.',
  },
  {
    preset: 'red-team',
    title: 'Red team',
    about:
      'An attacker looks for requests that a small local target should refuse; the target is patched, and attacked again. About a minute.',
  },
  {
    preset: 'probe',
    title: 'Probe',
    about:
      'Instructions are looked for that mean what a policy knows and make it fail; it learns from these, and is probed ' +
      'again. About two minutes.',
  },
  {
    preset: 'evolve',
    title: 'Evolve',
    about:
      'A small policy learns to improve its own attempts, then answers in rounds that show them, with and without a ' +
      'selector. About a minute.',
  },
  {
    preset: 'replay',
    title: 'Replay',
    about:
      'A learner replays logged steps, weighed alike, by errors or by regularized RL. Its Results show how many count. ' +
      'Half a minute.',
  },
  {
    preset: 'explore',
    title: 'Explore',
    about:
      'Four ways to explore large rooms without reward. Open “random-latents” and its Results: the map of visits, ' +
      'paths, and what latents change. About a minute.',
  },
];

/** Makes a sample in the open workspace, or opens the one that is there already; a refusal shows a notice. */
export async function openSample(preset: string): Promise<void> {
  await session.attempt(async () => {
    const { plans } = session.client;
    const found = (await plans.presets({})).find(({ id }) => id === preset);
    const { id } = await plans.launch({ plan: found?.plan });
    router.go(['runs', 'plans', id]);
    return id;
  });
}
