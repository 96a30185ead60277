/** Two models answer the same problem one after the other. */
import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { gather } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { shownPrompts } from '../math/written-verdicts.ts';
import { asReply, replyColumns } from '../math/replies.ts';
import { sampleNumbers } from './sample-groups.ts';

const played = [
  'groupId',
  'sample',
  'weight',
  'tokens',
  'mask',
  'behaviorLogp',
  'completion',
  'ended',
  'row/first',
] as const;

/** True if a role writes first in this batch; the places are swapped after so many batches. */
export const writesFirst = (draw: number, swapEvery: number): boolean =>
  Math.floor(draw / swapEvery) % 2 === 0;

/**
 * Pioneer and observer (arXiv:2410.06101, section 3): one model answers the prompt, the other one the prompt
 * with that answer and the cue behind it; every `swapEvery` batches they swap places. The role's own text is
 * the answer of its rows, its partner's the reply. `row/first` is 1 where the role wrote first.
 */
export const takeTurns = <const M extends string>({
  by,
  groupSize,
  swapEvery,
  cue,
}: {
  readonly by: M;
  readonly groupSize: number;
  readonly swapEvery: number;
  readonly cue: string;
}) =>
  stage({
    id: `takeTurns(${by}, ${groupSize}, ${swapEvery}, ${cue})`,
    station: 'sampler',
    needs: ['promptId', 'problem', 'prompt', `model/${by}`],
    adds: [...played, ...replyColumns],
    run: async (inputs, context) => {
      const { promptId, prompt, problem, ...models } = inputs as Pick<
        Columns,
        'promptId' | 'prompt' | 'problem'
      > &
        Record<string, ModelPort>;
      const from_R = Uint32Array.from({ length: problem.length * groupSize }, (_, r) =>
        Math.floor(r / groupSize),
      );
      const sample = sampleNumbers(promptId, groupSize);
      const asked = gather(problem, from_R);
      const isFirst = writesFirst(context.draw, swapEvery);
      const partner: ModelPort['sample'] = (...given) => models[`model/${by}`].sample(...given);
      const [pioneer, observer] = isFirst ? [context.sample, partner] : [partner, context.sample];
      const first = await pioneer(gather(prompt, from_R), asked, sample);
      const shown = first.completion.map((text, r) => ({ shown: asked[r].prompt + text, cue }));
      const second = await observer(
        shownPrompts(shown, context.text),
        asked,
        sample.map((number) => number + from_R.length),
      );
      const [own, theirs] = isFirst ? [first, second] : [second, first];
      return {
        from_R,
        columns: {
          ...own,
          ...asReply(theirs),
          groupId: Float64Array.from(from_R),
          sample,
          weight: new Float64Array(from_R.length).fill(1),
          'row/first': new Float64Array(from_R.length).fill(Number(isFirst)),
        },
      };
    },
  });
