/**
 * What a run would end with at its first step or its first evaluation, refused when it is opened, and so by
 * the check before it is launched.
 */
import type { TextScorer } from '../../rewards/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { IndexedStream, TaskData } from '../tasks/task-data.ts';
import type { Recipe } from '../kernel/recipe.ts';

/**
 * Throws `invalid-input` for a head that is solved on the features of random weights: nothing trains them, so
 * the judge would say little more than length. No method here is published so. Random features (Rahimi and
 * Recht 2007) approximate a kernel that somebody chose, and for them an untrained transformer is none.
 */
export const refuseRandomTrunk = (
  { roles }: Pick<Recipe, 'roles'>,
  { models, budget }: Pick<RunSpec, 'models' | 'budget'>,
): void => {
  const fits = budget.steps > 0 && Object.values(roles).some(({ objective }) => objective?.fit);
  if (!fits || models.policy.kind !== 'new') return;
  throw new WhetstoneError(
    'invalid-input',
    'Only a head would be fitted here, on the features of a model whose weights are random and stay so.',
    {
      where: 'models.policy.kind',
      hint:
        'Begin with a checkpoint or a model that has been trained (models.policy), or train the whole ' +
        'model (method.params.trunk: trained).',
    },
  );
};

/** Prompts of a task without end that are looked at. */
const MOST_DRAWS = 512;

/** Prompts that a run's rewards are asked about: those that it draws, and held-out ones. */
export const promptsAsked = ({ problems, graded, heldout }: TaskData, draws: number): string[] => {
  const of = (items: IndexedStream<{ readonly prompt: string }> | undefined): string[] => {
    const count = items ? Math.min(items.size, items.only ? Infinity : Math.min(MOST_DRAWS, draws)) : 0;
    return items ? Array.from({ length: count }, (_, draw) => items.at(draw).prompt) : [];
  };
  return [...new Set([...of(problems ?? graded), ...heldout.problems.map(({ prompt }) => prompt)])];
};

/**
 * Throws `invalid-input` where a model that scores answers cannot spell a prompt, or where no prompt leaves
 * it room for an answer.
 */
export const checkPrompts = (
  checkpointId: string,
  { room }: Pick<TextScorer, 'room'>,
  prompts: readonly string[],
): void => {
  if (!room) return;
  let least = Infinity;
  let context = 0;
  for (const prompt of prompts) {
    const taken = roomOf(checkpointId, room, prompt);
    least = Math.min(least, taken.tokens);
    context = taken.context;
  }
  if (prompts.length === 0 || least <= context) return;
  throw new WhetstoneError(
    'invalid-input',
    `None of the ${prompts.length} prompts leaves the model that scores answers room to read one: it ` +
      `reads ${context} tokens.`,
    {
      where: `rewards: checkpoint ${checkpointId}`,
      hint: `Score with a model that reads more than ${least} tokens, or ask shorter prompts.`,
    },
  );
};

const roomOf = (
  checkpointId: string,
  room: NonNullable<TextScorer['room']>,
  prompt: string,
): { readonly tokens: number; readonly context: number } => {
  try {
    return room({ prompt, completion: '' });
  } catch (cause) {
    if (!(cause instanceof WhetstoneError)) throw cause;
    throw new WhetstoneError(cause.kind, cause.message, {
      where: `rewards: checkpoint ${checkpointId}${cause.where === undefined ? '' : `, ${cause.where}`}`,
      hint:
        'Score with a model that spells these prompts (one with the bytes or bpe tokenizer), or ask ' +
        'prompts of its alphabet.',
      cause,
    });
  }
};
