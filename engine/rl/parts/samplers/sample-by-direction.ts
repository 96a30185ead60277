import { WhetstoneError } from '../../../common/errors.ts';
import { gather, ragged } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { grouped } from './sample-groups.ts';

const hundredths = (value: number): string => String(Math.abs(Math.round(100 * value))).padStart(3, '0');

/** A direction as text in front of a prompt: both coordinates in hundredths, `097,-026;`. */
export const directionText = (angle: number): string =>
  `${hundredths(Math.cos(angle))},${Math.sin(angle) < 0 ? '-' : '+'}${hundredths(Math.sin(angle))};`;

/**
 * Several answers to each prompt, after a direction in the plane of reward and length, drawn for each prompt
 * between −`angle` and `angle` degrees (arXiv:2402.18571, section 3.2).
 */
export const sampleByDirection = ({
  groupSize,
  angle,
}: {
  readonly groupSize: number;
  readonly angle: number;
}) =>
  stage({
    id: `sampleByDirection(${groupSize}, ${angle})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt'],
    adds: [
      'groupId',
      'sample',
      'weight',
      'tokens',
      'mask',
      'behaviorLogp',
      'completion',
      'ended',
      'row/direction',
    ],
    run: async ({ promptId, problem }, context) => {
      const { text, control } = context;
      const random = context.random('directions');
      const angles = Float64Array.from(problem, () => ((2 * random.next() - 1) * angle * Math.PI) / 180);
      const prompt = ragged(problem, Int32Array, ({ prompt: asked, hint }, r) => {
        const tokens = [...text.prompt(`${directionText(angles[r])}${asked}`), ...(hint?.tokens ?? [])];
        if (tokens.length < text.context) return tokens;
        throw new WhetstoneError(
          'invalid-input',
          `With a direction, a prompt has ${tokens.length} tokens; the model reads ${text.context}.`,
          { where: 'models.policy', hint: 'Choose a longer context, or shorter prompts.' },
        );
      });
      const { columns, from_R } = await grouped(
        { promptId, problem, prompt },
        control.sizes(problem, groupSize, context),
        context.sample,
        text,
      );
      return { columns: { ...columns, 'row/direction': gather(angles, from_R) }, from_R };
    },
  });
