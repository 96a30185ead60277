import { evaluationEvery } from '../../engine/common/evaluation-every.ts';
import { checkSpec, methods, taskKinds } from '../../engine/index.ts';
import type { RunSpec, RunSpecInput } from '../../engine/schema/run-spec.ts';
import { base, grpo } from '../demo/plan.ts';
import { number, text, type Command } from './command.ts';

/** Prints the specifications recommended by the launch form, for the command `run`. */
export const recommendedCommand: Command = {
  name: 'recommended',
  usage: '[--from CHECKPOINT] [--seed N]',
  summary:
    'Print the recommended specification of a base policy; with --from, of GRPO from that base. Save ' +
    'it, and pass it to run.',
  example: '--seed 1 > base.json',
  positionals: { least: 0, most: 0 },
  options: { from: { type: 'string' }, seed: { type: 'string' } },
  async run({ values }) {
    const seed = number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true });
    const from = values.from === undefined ? null : text(values, 'from');
    const spec = evaluatedAlong(
      from === null ? base(seed) : grpo('grpo', from, [], seed, { evaluationRewards: [] }),
    );
    return { value: spec, text: JSON.stringify(spec, null, 2) };
  },
};

/** The specification with evaluations along the way, as often as the launch form suggests them. */
export const evaluatedAlong = (input: RunSpecInput): RunSpec => {
  const spec = checkSpec(input);
  const task = methods.find(({ id }) => id === spec.method.id)?.task;
  const kind = taskKinds.find((each) => each.kind === task);
  if (!kind) return spec;
  const { groupSize } = spec.method.params;
  const every = evaluationEvery({
    ...spec.budget,
    ...spec.evaluation,
    trainsOn: kind.trainsOn,
    groupSize: typeof groupSize === 'number' ? groupSize : 1,
  });
  return { ...spec, evaluation: { ...spec.evaluation, every } };
};
