import type { AnswerRow, RewardFault } from '../rewards/index.ts';
import { openLikelihood, openTextScorer, checkpointOpener } from './judges.ts';
import { openStack } from '../rewards/stack.ts';
import type { Device } from '../runtime/index.ts';
import type { EngineCalls } from '../schema/messages.ts';
import { openMaterial, type Material } from './material.ts';
import { centered } from './parts/credit.ts';

type Asked = EngineCalls['rescore'];

/** Expected answers by prompt: of a dataset all of them, of a world, which has no end, those that a run with so many answers may have come to. */
const referencesOf = ({ problems, heldout, hasReferences }: Material, answers: number): Map<string, string | null> => new Map([
  ...(hasReferences && problems ? Array.from({ length: Number.isFinite(problems.size) ? problems.size : 2 * answers }, (_, at) => problems.at(at)) : []), ...(hasReferences ? heldout.problems : []),
].map(({ promptId, reference }) => [promptId, reference]));

/**
 * The rewards of a checked spec on stored answers: batch by batch in the order in which they were written, so that scorers that learn from batches see
 * what a run would have shown them. Advantages are those of groups, divided by the sample deviation.
 */
export const rescore = async (device: Device, { spec, resources, batches }: Asked['input'], signal?: AbortSignal, report?: (progress: Asked['progress']) => void): Promise<Asked['output']> => {
  const material = await openMaterial(spec, resources), references = referencesOf(material, batches.reduce((sum, batch) => sum + batch.length, 0)), faults: RewardFault[] = [];
  const stack = await openStack(spec.rewards, {
    ...(material.world && { world: material.world }), ...(material.hasReferences && { reference: true as const }), report: (found) => void faults.push(...found),
    checkpoint: checkpointOpener(device, resources, openTextScorer), policy: checkpointOpener(device, resources, openLikelihood),
  });
  const total: number[] = [], scores: { [scorer: string]: number[] } = {}, advantage: number[] = [];
  for (const [at, batch] of batches.entries()) {
    signal?.throwIfAborted();
    const rows = batch.map((row): AnswerRow => ({ ...row, reference: references.get(row.promptId) ?? null }));
    const scored = await stack.score(rows);
    total.push(...scored.total);
    advantage.push(...centered(scored.total, Float64Array.from(batch, ({ group }) => group), new Float64Array(batch.length).fill(1), 'sample'));
    for (const [scorer, values] of Object.entries(scored.raw)) (scores[scorer] ??= []).push(...values);
    report?.({ done: at + 1, total: batches.length });
  }
  return { total, scores, advantage, faults };
};
