/** Text that a model writes in reply to the answers of a batch. */
import type { Columns, ModelPort } from '../../kernel/columns.ts';
import { gather } from '../../kernel/rows.ts';
import { stage } from '../../kernel/stage.ts';
import { asReply, replyColumns, writtenBy } from '../math/replies.ts';
import { proposalOf, type Proposals } from '../math/proposals.ts';

type Asked = Pick<Columns, 'problem' | 'sample' | 'completion'>;

/**
 * A reply of the model `by` to each answer. `sees`: the whole of prompt and answer, with `ending` behind it;
 * or the proposal that the answer makes, alone, as a problem.
 */
export const replyTo = <const M extends string>({
  by,
  sees,
  mark,
  ending,
}: Proposals & { readonly by: M; readonly sees: 'all' | 'proposal' }) =>
  stage({
    id: `replyTo(${by}, ${sees}, ${mark}, ${ending})`,
    station: 'sampler',
    byText: true,
    needs: ['problem', 'sample', 'completion', `model/${by}`],
    adds: replyColumns,
    run: async (inputs) => {
      const { problem, sample, completion, ...models } = inputs as Asked & Record<string, ModelPort>;
      const rows = completion.map((own, r) =>
        sees === 'all'
          ? { shown: problem[r].prompt + own, cue: ending }
          : { shown: proposalOf(own, { mark, ending: '' }), cue: ending },
      );
      const numbers = sample.map((number) => number + sample.length);
      return { columns: asReply(await writtenBy(models[`model/${by}`], rows, problem, numbers)) };
    },
  });

/** Each row several times, as a group of its own: so many replies are written to it. */
export const repeatRows = ({ times }: { readonly times: number }) =>
  stage({
    id: `repeatRows(${times})`,
    station: 'sampler',
    needs: ['groupId', 'sample'],
    adds: ['groupId', 'sample', 'row/copy'],
    run: async ({ groupId, sample }) => {
      const from_R = Uint32Array.from({ length: groupId.length * times }, (_, r) => Math.floor(r / times));
      return {
        from_R,
        columns: {
          groupId: Float64Array.from(from_R),
          sample: gather(sample, from_R).map((number, r) => number * times + (r % times)),
          'row/copy': Float64Array.from(from_R, (_, r) => r % times),
        },
      };
    },
  });
