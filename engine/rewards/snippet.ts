import * as z from 'zod';
import { theSandbox, type Data, type Outcome } from '../sandbox/index.ts';
import { WhetstoneError } from '../common/errors.ts';
import { defineReward, type AnswerRow, type RowFault } from './reward.ts';

const example = '(row) => row.completion.trim() === row.reference ? 1 : 0';

/** The function's argument. */
const given = ({ prompt, completion, reference = null, tokens, stopReason }: AnswerRow): Data => ({
  prompt,
  completion,
  reference,
  tokens,
  ended: stopReason === 'end',
});

/** The number of an outcome, or the reason why there is none. */
const judged = (outcome: Outcome): number | Omit<RowFault, 'row'> => {
  if (!outcome.ok) return outcome.error;
  const { value } = outcome;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return {
    kind: 'not-a-number',
    message:
      'It returned ' +
      `${typeof value === 'number' ? String(value) : JSON.stringify(value).slice(0, 80)}, which is ` +
      'not a finite number.',
  };
};

export interface Trial {
  readonly value: number | null;
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly log: string;
}

/**
 * Results of a user's code on some answers, for its author: values, or the reason why there are none, and
 * its printed output.
 */
export const trySnippet = async (code: string, rows: readonly AnswerRow[]): Promise<Trial[]> =>
  (await theSandbox().runJs(rows.map((row) => ({ code, args: [given(row)] })))).map((outcome) => {
    const found = judged(outcome);
    return {
      log: outcome.log,
      ...(typeof found === 'number' ? { value: found, error: null } : { value: null, error: found }),
    };
  });

/** A user's own function of an answer, run in the sandbox: it receives only the row. */
export const snippet = defineReward({
  id: 'snippet',
  title: 'Own code',
  summary: 'Your own JavaScript function, run in isolation: no files, network, clock or randomness.',
  params: z.strictObject({
    code: z
      .string()
      .min(1)
      .max(20_000)
      .default(example)
      .meta({ format: 'javascript' })
      .describe(
        'A function of a row { prompt, completion, reference, tokens, ended } that returns a number. ' +
          'Its console.log output is shown when it is tried, and not kept.',
      ),
    onError: z
      .enum(['stop', 'score'])
      .default('stop')
      .describe(
        'On an answer on which it throws, takes too long or returns no number: stop the run and show ' +
          'it, or give it the score below, show it, and continue.',
      ),
    errorScore: z
      .number()
      .min(-1e6)
      .max(1e6)
      .default(0)
      .describe('Score of an answer on which the code failed, if the run continues.'),
    timeMs: z.int().min(10).max(5000).default(500).describe('Longest time for one answer, in milliseconds.'),
    memoryMb: z.int().min(16).max(256).default(32).describe('Most memory for one answer, in megabytes.'),
  }),
  scorer:
    ({ code, onError, errorScore, timeMs, memoryMb }, { rehearsal, report }) =>
    async (rows) => {
      // without clock and randomness equal rows have equal values: each is computed once
      const keys = rows.map((row) => JSON.stringify(given(row)));
      const distinct = [...new Set(keys)];
      const outcomes = await theSandbox().runJs(
        distinct.map((key) => ({ code, args: [JSON.parse(key) as Data] })),
        { timeMs, memoryBytes: memoryMb * 2 ** 20 },
      );
      const byKey = new Map(distinct.map((key, at) => [key, judged(outcomes[at])]));
      const found = keys.map((key) => byKey.get(key) ?? errorScore);
      const faults = found.flatMap((each, row): RowFault[] =>
        typeof each === 'number' ? [] : [{ row, ...each }],
      );
      // errors on the synthetic answers of a rehearsal are ignored
      if (faults.length > 0 && onError === 'stop' && !rehearsal) {
        const [{ row, kind, message }] = faults;
        report?.([
          { scorer: 'snippet', kind, message, prompt: rows[row].prompt, completion: rows[row].completion },
        ]);
        throw new WhetstoneError(
          'invalid-input',
          `The reward's code failed (${kind}) on the answer ${shown(rows[row].completion)} to ` +
            `${shown(rows[row].prompt)}: ${message}`,
          {
            where: 'rewards: snippet.code',
            hint: 'Copy the run and mend the code, or let it go on past such answers with onError "score".',
          },
        );
      }
      return {
        value: Float64Array.from(found, (each) => (typeof each === 'number' ? each : errorScore)),
        faults,
      };
    },
});

const shown = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
