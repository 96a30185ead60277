import { shuffle, stream } from '../../../engine/data/random.ts';
import { promptIdOf } from '../../../engine/data/hash.ts';
import type { Claim, Side } from './claim.ts';
import { beside, curve, mean, type Run, type Workbench } from './world.ts';

const PROMPTS = 8, EACH = 4, BATCHES = 60;
const letters = [...'abcd'], strings = letters.flatMap((a) => letters.map((b) => a + b));

/** Demonstrations of copying, 16 of each prompt: of the first one is right, of the second three, of the last 15. */
const demonstrations = (seed: number) => shuffle(strings, seed, 'prompts').slice(0, PROMPTS).flatMap((reference, at) => {
  const draw = stream(seed, 'wrong answers', at), others = strings.filter((text) => text !== reference), prompt = `${reference}>`;
  return Array.from({ length: 16 }, (_, i) => {
    const correct = i <= 2 * at;
    return { promptId: promptIdOf(prompt), prompt, reference, correct, answer: correct ? reference : draw.pick(others) };
  });
});

const task = { kind: 'dataset', datasetId: 'prompts', heldout: 0, onlyCorrect: false } as const;
const start = async ({ run, dataset }: Workbench, seed: number) => {
  await dataset('prompts', demonstrations(seed));
  await run({ method: { id: 'sft' }, task, optimizer: { learningRate: 1e-2, schedule: 'linear' }, budget: { steps: 100, batch: 32 }, sampling: { maxTokens: 4 }, seed }, { as: 'base' });
};

/**
 * E|g|² − |E g|² at one policy (learning rate 0). Batches of both sides hold the same prompts equally often, so that both are unbiased estimates of
 * one gradient. |E g|² is read off the gradient G of `BATCHES` batches at once, whose own variance is a share of 1 ⁄ BATCHES of theirs.
 */
const variance = async (run: Run, side: Side, seed: number, level: number): Promise<number> => {
  const method = side === 'method' ? { id: 'rloo', params: { size: EACH, klWeight: 0 } } : { id: 'reinforce', params: { klWeight: 0 } };
  const rewards = [{ id: 'match/exact' }, ...(level > 0 ? [{ id: 'snippet', params: { code: `({ prompt }) => prompt < 'c' ? ${level} : ${-level}` } }] : [])];
  const squares = async (steps: number, batches: number, seed: number): Promise<number> => mean(curve(await run({
    method, task, rewards, optimizer: { learningRate: 0 }, budget: { steps, batch: batches * PROMPTS * (side === 'method' ? 1 : EACH) }, sampling: { maxTokens: 4 }, seed,
  }, { from: 'base' }), 'grad_norm').map((norm) => norm ** 2));
  return (await squares(BATCHES, 1, seed) - await squares(1, BATCHES, seed + 1000)) / (1 - 1 / BATCHES);
};

const shared = {
  cites: 'arXiv:2402.14740', method: 'rloo', baseline: 'reinforce, mean of all others of the batch as baseline',
  measure: 'variance of the gradient of a batch of 8 prompts × 4 answers (60 batches, the same policy and prompts)', better: 'lower',
} as const;

/**
 * A verifier alone: the level of the reward differs from prompt to prompt as the chance of a right answer does, here from 1⁄16 to 15⁄16.
 */
export const rlooVariance: Claim = {
  id: 'rloo-variance',
  title: 'Leave-one-out on the same prompt varies less than a baseline from all answers (copying two letters, right or wrong, prompts from hard to easy)',
  ...shared, of: beside(start, (run, side, seed) => variance(run, side, seed, 0)),
};

/**
 * Reward models are taught by comparisons of answers to one prompt, so the level of their scores is free in each: here ±1 is added, the same to all
 * answers to a prompt, twice the largest deviation that a verdict has within a prompt.
 */
export const rlooVarianceLevels: Claim = {
  id: 'rloo-variance-levels',
  title: 'The same, where each prompt has a level of reward of its own beside the verdict, +1 or −1, as a reward model’s scores may have',
  ...shared, of: beside(start, (run, side, seed) => variance(run, side, seed, 1)),
};
