import { WhetstoneError } from '../../engine/common/errors.ts';
import { PairSide, type JudgeMap } from '../../preload/contract/judge-maps.ts';
import { columns, number, onInterrupt, type Answer, type Values } from './command.ts';
import { oneOf } from './label-flags.ts';
import { throttled } from './progress.ts';
import { line, percent, shown, type Action } from './rewards-action.ts';

/** The number of a pair after --pair, from 0; null without one. */
export const pairAt = (values: Values): number | null =>
  values.pair === undefined
    ? null
    : number(values, 'pair', { least: 0, most: 999_999_999, whole: true, fallback: 0 });

const aboutMap = ({ positions, pairs, answers, cut, width, explained, stale }: JudgeMap): string =>
  [
    `${positions.length} of ${pairs} pairs, ${answers} distinct answers, ${cut} of them cut to the context`,
    `representations of ${width} numbers; the plane holds ${percent(explained[0] + explained[1])} % of their variance`,
    ...(stale === 'deleted' ? ['of a checkpoint that was deleted since'] : []),
  ].join('\n');

/** A map with its columns as lists. */
const answerOf = (found: JudgeMap): Answer => ({
  value: {
    ...found,
    positions: [...found.positions],
    margins: [...found.margins],
    hits: [...found.hits],
    x: [...found.x],
    y: [...found.y],
    scores: [...found.scores],
  },
  text: aboutMap(found),
});

/** The map of a judge's answers: the stored one, or a new one where there is none of its files. */
export const map: Action = async ({ judgeMaps }, { runId, log }) => {
  const stored = await judgeMaps.stored({ runId });
  if (stored && stored.stale !== 'files') return answerOf(stored);
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const progress = throttled(log);
  try {
    for await (const { share } of judgeMaps.compute({ runId, most: 4000 }, stop.signal))
      progress(`map: ${percent(share)} %`);
  } finally {
    release();
  }
  const made = await judgeMaps.stored({ runId });
  if (!made) throw new WhetstoneError('conflict', 'The pairs were scored again meanwhile.', { where: runId });
  return answerOf(made);
};

const roles = { self: 'this answer', pair: 'its pair', other: '' } as const;

/** The answers nearest to one of a pair. */
export const near: Action = async ({ judgeMaps }, { runId, values }) => {
  const position = pairAt(values);
  if (position === null)
    throw new WhetstoneError('invalid-input', 'The pair is missing.', {
      where: '--pair',
      hint: 'Give its number, as "rewards pairs" lists it: --pair 0.',
    });
  const side = values.side === undefined ? 'chosen' : oneOf(values, 'side', PairSide.options);
  const found = await judgeMaps.near({ runId, position, side });
  const rows = found.map((each) => [
    String(each.position),
    each.side,
    each.cosine.toFixed(4),
    shown(each.score),
    roles[each.is],
    line(each.prompt),
    line(each.answer),
  ]);
  const head = ['pair', 'answer', 'cosine', 'score', '', 'prompt', 'text'];
  return { value: found, text: columns([head, ...rows]) };
};
