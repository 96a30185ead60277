import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFraction } from '../../engine/data/hash.ts';
import type { Material } from '../../engine/rl/material.ts';
import type { Events } from '../../engine/rl/outbox.ts';
import type { Substitutes } from '../../engine/rl/session.ts';
import { runToEnd } from '../../engine/rl/train.ts';
import type { Device } from '../../engine/runtime/index.ts';
import type { EventBody, Resources } from '../../engine/schema/messages.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';

export { found, sanitySpec, toyModel } from '../../engine/rl/toy-run.ts';

export type Seen = EventBody & { readonly role: string; readonly step: number };

export const noResources: Resources = { checkpoints: {}, datasets: {}, preferences: {} };

/** Runs a spec in a folder that is gone afterwards; answers with everything it said. */
export const runToy = async (device: Device, spec: RunSpec, { resources = noResources, ...substitutes }: Substitutes & { readonly resources?: Resources } = {}): Promise<Seen[]> => {
  const outDir = await mkdtemp(join(tmpdir(), 'whetstone-run-'));
  try {
    const { seen, events } = recorder();
    await runToEnd({ runId: 'toy', attempt: 1, spec, resources, outDir }, events, new AbortController().signal, device, substitutes);
    return seen;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
};

/** Events as a list. */
export const recorder = (): { seen: Seen[]; events: Events } => {
  const seen: Seen[] = [];
  let now = 0;
  return { seen, events: { emit: async (body, { role = 'policy', step = now } = {}) => { now = step; seen.push({ ...body, role, step }); } } };
};

/** Targets torn from what they belong to: answers of other prompts, pairs swapped by a coin, verdicts about another problem. */
export const shuffled = (material: Material): Material => {
  const { examples, graded, worked, pairs, world } = material;
  const coin = (text: string) => hashFraction('coin', text) < 0.5;
  return {
    ...material,
    ...(examples && { examples: { size: examples.size, at: (draw: number) => ({ ...examples.at(draw), answer: examples.at(draw + 7919).answer }) } }),
    ...(worked && { worked: { size: worked.size, at: (draw: number) => ({ ...worked.at(draw), answer: worked.at(draw + 7919).answer }) } }),
    ...(graded && { graded: { size: graded.size, at: (draw: number) => {
      const row = graded.at(draw);
      return { ...row, right: coin(`${draw} right`), ...(row.steps && { steps: row.steps.map((_, step) => coin(`${draw} step ${step}`)) }) };
    } } }),
    ...(pairs && { pairs: { size: pairs.size, at: (draw: number) => {
      const pair = pairs.at(draw);
      return coin(`${draw}`) ? pair : { ...pair, chosen: pair.rejected, rejected: pair.chosen };
    } } }),
    ...(world && { world: { ...world, verify: (problem, completion) => {
      const prompt = typeof problem === 'string' ? problem : problem.prompt;
      return world.verify(world.problem('train', Math.floor(hashFraction('other', prompt, completion) * 1e6), 0), completion);
    } } }),
  };
};

