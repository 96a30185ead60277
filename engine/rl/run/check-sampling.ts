/** Refuses options of sampling that cannot work, and those that would make a method's ratio wrong. */
import { checkGrammar } from '../../models/generate/grammar/token-grammar.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Recipe, Role } from '../kernel/recipe.ts';

type Sampling = RunSpec['sampling'];

/** The sampling options without choices of nothing, so that equal runs have equal specifications. */
export const withoutNone = ({ guidance, grammar, ...sampling }: Sampling): Sampling => ({
  ...sampling,
  ...(guidance && guidance.kind !== 'none' && { guidance }),
  ...(grammar && grammar.kind !== 'none' && { grammar }),
});

/**
 * True if a role learns right from answers that a hook has changed: it imitates or compares them, or its
 * advantages are corrected by the importance weights.
 */
const learnsRight = ({ objective, stages, ports }: Role): boolean => {
  const needs: readonly string[] = objective?.needs ?? [];
  if (ports.some((port) => port.startsWith('buffer/'))) return false;
  if (needs.includes('behaviorLogp') && !needs.includes('advantage')) return false;
  return stages.every(
    ({ needs: read, adds }) =>
      !(read as readonly string[]).includes('behaviorLogp') ||
      (adds as readonly string[]).includes('behaviorLogp'),
  );
};

/**
 * Throws `invalid-input` with the path of the field for a grammar that admits nothing, and for guidance or a
 * grammar under a method whose ratios or divergences take sampled answers for the model's own.
 */
export const checkSampling = ({ sampling }: RunSpec, recipe: Recipe, methodId: string): void => {
  const { guidance, grammar } = sampling;
  if (grammar && grammar.kind !== 'none') checkGrammar(grammar, 'sampling.grammar');
  const field = guidance ? 'guidance' : 'grammar';
  if (!guidance && !grammar) return;
  const wrong = Object.entries(recipe.roles).find(
    ([, role]) => role.has.includes('behaviorLogp') && !learnsRight(role),
  );
  if (!wrong) return;
  throw new WhetstoneError(
    'invalid-input',
    `'${methodId}' takes the answers of its ${wrong[0]} for draws from that model, and with ` +
      `${field === 'guidance' ? 'guidance' : 'a grammar'} they are not.`,
    {
      where: `sampling.${field}`,
      hint:
        'Use it to make answers (sample), in a method that imitates them (raft, rest-em), or in one whose ' +
        'advantages are weighted by importance (grpo with klWeight 0).',
    },
  );
};
