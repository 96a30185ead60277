import { WhetstoneError } from '../../../common/errors.ts';
import { hash32 } from '../../../random/random.ts';
import type { Problem } from '../../kernel/columns.ts';
import { gather, ragged, rowOf } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { cutTo } from '../context/write-verdict.ts';
import { verdictIn, type VerdictTexts } from '../math/verdicts.ts';
import { grouped } from './sample-groups.ts';

const judged = ['tokens', 'mask', 'promptId', 'groupId', 'problem', 'weight', 'completion', 'ended'] as const;

/**
 * Several judgements of each answer, written by the role's own model after the answer: at most `tokens` tokens,
 * and a verdict at their end. Each earns 1 if the verdict is that of the answer's reward (right from ½ up), and
 * −1 otherwise (arXiv:2504.02495, section 3.2: one answer to be rated). An answer without room for judgements
 * is cut in its middle. The rows are then judgements, in a group for each answer.
 */
export const sampleVerdicts = ({
  groupSize,
  tokens: limit,
  ...texts
}: VerdictTexts & { readonly groupSize: number; readonly tokens: number }) =>
  stage({
    id: `sampleVerdicts(${groupSize}, ${limit}, ${texts.right}, ${texts.wrong})`,
    station: 'sampler',
    needs: [...judged, 'reward/total'],
    adds: [...judged, 'sample', 'behaviorLogp', 'reward/total'],
    run: async (rows, context) => {
      const { text, control } = context;
      const room = text.context - limit;
      if (room < 2)
        throw new WhetstoneError(
          'invalid-input',
          `Judgements of ${limit} tokens leave no room for an answer; the model reads ${text.context}.`,
          { where: 'method.params.tokens', hint: 'Choose shorter judgements, or a longer context.' },
        );
      const isRight = rows['reward/total'].map((reward) => Number(reward >= 0.5));
      const problem = rows.problem.map((one, r): Problem => ({
        ...one,
        promptId: `${one.promptId}/${hash32(rows.completion[r])}`,
        prompt: `${one.prompt}${rows.completion[r]}`,
        reference: isRight[r] ? texts.right : texts.wrong,
      }));
      const promptId = Float64Array.from(problem, (one) => hash32(one.promptId));
      const prompt = ragged(problem, Int32Array, (_, r) => cutTo(room, rowOf(rows.tokens, r), text.end));
      const { columns, from_R } = await grouped(
        { promptId, problem, prompt },
        control.sizes(problem, groupSize, context),
        (prompts, problems, sample) =>
          context.sample(prompts, problems, sample, {
            limits: new Int32Array(sample.length).fill(limit),
            turns: undefined,
          }),
        text,
      );
      return {
        columns: {
          ...columns,
          promptId: gather(promptId, from_R),
          weight: columns.weight.map((w, s) => w * rows.weight[from_R[s]]),
          problem: gather(problem, from_R),
          'reward/total': Float64Array.from(columns.completion, (judgement, s) =>
            verdictIn(judgement, texts) === isRight[from_R[s]] ? 1 : -1,
          ),
        },
        from_R,
      };
    },
  });
