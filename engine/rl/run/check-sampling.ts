/** Refuses options of sampling that cannot work, and those that would make a method's ratio wrong. */
import { checkGrammar } from '../../models/generate/grammar/token-grammar.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { Recipe, Role } from '../kernel/recipe.ts';

type Sampling = RunSpec['sampling'];

/** The sampling options without choices of nothing, so that equal runs have equal specifications. */
const withoutNone = ({ guidance, steering, grammar, ...sampling }: Sampling): Sampling => ({
  ...sampling,
  ...(guidance && guidance.kind !== 'none' && { guidance }),
  ...(steering && steering.kind !== 'none' && { steering }),
  ...(grammar && grammar.kind !== 'none' && { grammar }),
});

/**
 * True if a role learns right from answers that a hook has changed: it does not train, it imitates or compares
 * them, or its advantages are corrected by the importance weights and it has no divergence.
 */
const learnsRight = ({ objective, stages, ports }: Role): boolean => {
  if (!objective) return true;
  const needs: readonly string[] = objective.needs;
  if (ports.some((port) => port.startsWith('buffer/'))) return false;
  if (needs.includes('behaviorLogp') && !needs.includes('advantage')) return false;
  // importance weights correct advantages, and no divergence that is averaged over the same tokens
  if (needs.includes('advantage') && needs.some((need) => need.startsWith('logp/'))) return false;
  return stages.every(
    ({ needs: read, adds }) =>
      !(read as readonly string[]).includes('behaviorLogp') ||
      (adds as readonly string[]).includes('behaviorLogp'),
  );
};

/** Throws `invalid-input` for a role with a guide, a steering or a grammar of its own: the run's hold for all. */
export const checkRoleSampling = ({ sampling, roles = {} }: Pick<RunSpec, 'sampling' | 'roles'>): void => {
  for (const [name, { sampling: own }] of Object.entries(roles))
    for (const field of ['guidance', 'steering', 'grammar'] as const)
      if (own && JSON.stringify(withoutNone(own)[field]) !== JSON.stringify(sampling[field]))
        throw new WhetstoneError('invalid-input', `The ${field} of sampling is the same for every role.`, {
          where: `roles.${name}.sampling.${field}`,
          hint: `Set it for the whole run (sampling.${field}).`,
        });
};

/**
 * The run's sampling without choices of nothing. Throws `invalid-input` with the path of the field for a
 * grammar that admits nothing, for a direction of the policy in models of other roles, and for guidance,
 * steering or a grammar under a method whose ratios or divergences take sampled answers for the model's own.
 */
export const checkedSampling = (spec: RunSpec, recipe: Recipe, methodId: string): Sampling => {
  const sampling = withoutNone(spec.sampling);
  const { guidance, steering, grammar } = sampling;
  if (grammar && grammar.kind !== 'none') checkGrammar(grammar, 'sampling.grammar');
  const others = Object.keys(spec.models).filter((name) => name !== 'policy');
  if (steering && others.length > 0)
    throw new WhetstoneError(
      'invalid-input',
      `The direction is one of the policy’s hidden states; '${others[0]}' has a model of its own.`,
      { where: 'sampling.steering', hint: `Leave out models.${others[0]}, or the steering.` },
    );
  const field = guidance ? 'guidance' : steering ? 'steering' : 'grammar';
  if (!guidance && !steering && !grammar) return sampling;
  const wrong = Object.entries(recipe.roles).find(
    ([, role]) => role.has.includes('behaviorLogp') && !learnsRight(role),
  );
  if (!wrong) return sampling;
  throw new WhetstoneError(
    'invalid-input',
    `'${methodId}' takes the answers of its ${wrong[0]} for draws from that model, and with ` +
      `${field === 'grammar' ? 'a grammar' : field} they are not.`,
    {
      where: `sampling.${field}`,
      hint:
        'Use it to make answers (sample), in a method that imitates them (raft, rest-em), or in one whose ' +
        'advantages are weighted by importance (grpo with klWeight 0).',
    },
  );
};
