/**
 * Checks for errors that a run would only meet at its first step or evaluation, so that the check before a
 * launch reports them.
 */
import type { TextScorer } from '../../rewards/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { IndexedStream, TaskData } from '../tasks/task-data.ts';
import type { Recipe } from '../kernel/recipe.ts';

/**
 * Throws `invalid-input` for a head fitted on the features of random weights: they are not trained, so the
 * judge would score little more than length. No published method does this. Random features (Rahimi and Recht
 * 2007) approximate a chosen kernel, which an untrained transformer does not.
 */
export const refuseRandomTrunk = (
  { roles }: Pick<Recipe, 'roles'>,
  { models, budget }: Pick<RunSpec, 'models' | 'budget'>,
): void => {
  const fits = budget.steps > 0 && Object.values(roles).some(({ objective }) => objective?.fit);
  if (!fits || models.policy.kind !== 'new') return;
  throw new WhetstoneError(
    'invalid-input',
    'This run would fit only a head, on the features of a model with random weights that are not trained.',
    {
      where: 'models.policy.kind',
      hint:
        'Start from a checkpoint or a trained model (models.policy), or train the whole ' +
        'model (method.params.trunk: trained).',
    },
  );
};

/** Number of prompts checked of an endless task. */
const MOST_DRAWS = 512;

/** Prompts scored by a run's rewards: those that it draws, and held-out ones. */
export const promptsToScore = ({ problems, graded, heldout }: TaskData, draws: number): string[] => {
  const of = (items: IndexedStream<{ readonly prompt: string }> | undefined): string[] => {
    const count = items ? Math.min(items.size, items.only ? Infinity : Math.min(MOST_DRAWS, draws)) : 0;
    return items ? Array.from({ length: count }, (_, draw) => items.at(draw).prompt) : [];
  };
  return [...new Set([...of(problems ?? graded), ...heldout.problems.map(({ prompt }) => prompt)])];
};

/**
 * Throws `invalid-input` if a model scorer cannot tokenize a prompt, or if no prompt leaves it room for an
 * answer.
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
    `None of the ${prompts.length} prompts leaves room for an answer in the context of the model that ` +
      `scores answers, ${context} tokens.`,
    {
      where: `rewards: checkpoint ${checkpointId}`,
      hint: `Score with a model whose context is longer than ${least} tokens, or use shorter prompts.`,
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
        'Score with a model that can tokenize these prompts (with the bytes or bpe tokenizer), or use ' +
        'prompts in its alphabet.',
      cause,
    });
  }
};

/** The error `conflict` for a checkpoint that a run cannot resume from. */
export const cannotResume = (why: string, where: string): WhetstoneError =>
  new WhetstoneError('conflict', `A run cannot be continued from this checkpoint: ${why}.`, {
    where,
    hint:
      'Another version of the app wrote it, or the specification has changed. Its model is ' +
      'intact: launch a new run that starts from this checkpoint.',
  });
