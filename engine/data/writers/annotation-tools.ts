import { jsonArray } from './encodings/json.ts';
import { decided, further, referenceColumn } from './ranked.ts';
import type { PairItem, Writer, Written } from './writer.ts';

const common = {
  extension: '.json',
  encoding: jsonArray,
  cannotHold: 'Ties and pairs of two bad answers are left out, and who wrote each answer.',
};

/** Writes decided pairs with the sides as they are stored. */
const sided =
  (record: (pair: PairItem) => Written) =>
  (pair: PairItem): Written => {
    const check = decided(() => ({}))(pair);
    return 'leftOut' in check ? check : record(pair);
  };

/** Tasks with an annotation of the Pairwise control, as Label Studio imports and exports them. */
export const labelStudioTasks: Writer = {
  ...common,
  id: 'label-studio',
  title: 'Label Studio, pairwise',
  fromPair: sided(({ pairId, prompt, a, b, verdict, reference, about }) => [
    {
      data: { prompt, answer1: a, answer2: b, pairId, ...referenceColumn(reference), ...further(about) },
      annotations: [
        {
          result: [
            {
              id: pairId,
              type: 'pairwise',
              from_name: 'preference',
              to_name: 'answer1,answer2',
              value: { selected: verdict === 'a' ? 'left' : 'right' },
            },
          ],
        },
      ],
    },
  ]),
};

/** Records with a ranking of two fields, as Argilla 2 exports them. */
export const argillaRecords: Writer = {
  ...common,
  id: 'argilla',
  title: 'Argilla records',
  fromPair: sided(({ pairId, prompt, a, b, verdict, reference, about }) => [
    {
      id: pairId,
      fields: { prompt, response1: a, response2: b },
      metadata: { ...referenceColumn(reference), ...about },
      responses: {
        preference: [{ value: verdict === 'a' ? ['response1', 'response2'] : ['response2', 'response1'] }],
      },
    },
  ]),
};
