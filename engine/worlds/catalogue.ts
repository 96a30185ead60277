/**
 * Worlds for display in the catalogue: their levels and ceiling, a problem, demonstrations with the
 * verifier's verdict.
 */
import { WhetstoneError } from '../common/errors.ts';
import { splitTranscript } from '../common/transcript.ts';
import type { Transcript, Verdict, WorldFacts, WorldSample } from '../schema/atlas.ts';
import { judgedBy, type Split, type World, type WorldKind, type WorldVerdict } from './world.ts';

/** Problems and demonstrations searched for an example. */
const SEARCHED = 400;

/** An answer split by author; for a world without turns it is one piece. */
export const transcriptOf = ({ turns }: Pick<World, 'turns'>, answer: string): Transcript => {
  if (!turns) return [{ by: 'model', text: answer }];
  const { turns: own, replies } = splitTranscript(answer);
  return own.flatMap((text, at): Transcript => [
    { by: 'model', text },
    ...(at < replies.length ? [{ by: 'world' as const, text: replies[at] }] : []),
  ]);
};

export const verdictOf = ({ correct, reward, reason }: WorldVerdict): Verdict => ({
  correct,
  reward,
  reason,
});

/**
 * The reward of a perfect solver: the best of the outcomes if they are listed, or the verifier's reward of a
 * correct demonstration.
 */
const ceilingOf = (world: World): number => {
  if (world.outcomes) return Math.max(...world.outcomes.map(({ reward }) => reward));
  for (let at = 0; at < SEARCHED; at++) {
    const { prompt, answer, correct } = world.demonstration(at, 0);
    if (correct) return world.verify(prompt, answer).reward;
  }
  throw new WhetstoneError('internal', `None of ${SEARCHED} demonstrations of world "${world.id}" is right.`);
};

export const worldFacts = ({ id, title, summary, open }: WorldKind): WorldFacts => {
  const world = open();
  const { levels, turns, maxPromptTokens, maxTokens, disjoint } = world;
  return {
    id,
    title,
    summary,
    levels: [...(levels?.trained ?? [])],
    heldoutLevels: [...(levels?.heldout ?? [])],
    ceiling: ceilingOf(world),
    turns: turns?.limit ?? null,
    maxPromptTokens,
    maxTokens,
    disjoint,
    hasPairs: world.preference !== undefined,
  };
};

/**
 * Problem `index` of a level (null: of any), and the first demonstration of each kind. Throws
 * `invalid-input` for a level the world does not have.
 */
export const sampleOf = async (
  world: World,
  { split, level, index }: { readonly split: Split; readonly level: number | null; readonly index: number },
): Promise<WorldSample> => {
  let left = index;
  const at = Array.from({ length: SEARCHED + index }, (_, i) => i).find(
    (i) => (level === null || world.problem(split, i, 0).level === level) && left-- === 0,
  );
  if (at === undefined)
    throw new WhetstoneError(
      'invalid-input',
      `World "${world.id}" has no ${split === 'train' ? 'training' : 'held-out'} problem of level ` +
        `${level}.`,
      { where: 'level' },
    );
  const { prompt, reference, level: own } = world.problem(split, at, 0);
  const kinds = new Map(
    Array.from({ length: SEARCHED }, (_, i) => SEARCHED - 1 - i)
      .map((i) => world.demonstration(i, 0))
      .map((each) => [each.kind, each]),
  );
  const shown = (['right', 'wrong', 'rambling'] as const).flatMap((kind) => kinds.get(kind) ?? []);
  const verdicts = await judgedBy(
    world,
    shown.map((each) => ({ prompt: each.prompt, completion: each.answer })),
  );
  return {
    problem: { prompt, reference, level: own },
    demonstrations: shown.map((each, i) => ({
      kind: each.kind,
      prompt: each.prompt,
      transcript: transcriptOf(world, each.answer),
      verdict: verdictOf(verdicts[i]),
    })),
  };
};
