import { attackPrompt, promptIdOf } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Dataset } from '../../../preload/contract/datasets.ts';
import type { RedTeamAttack } from '../../../preload/contract/red-team.ts';
import { StagedAnswers, type AnswerRow } from '../answers/staged.ts';
import { archiveOf, matching, type Store } from './archive.ts';

/** `refusals`: demonstrations for SFT. `preferences`: the refusal chosen, the target’s reply rejected. */
export type HandOverKind = 'refusals' | 'preferences';

interface Asked {
  readonly runId: string;
  readonly above: number;
  readonly family: string | null;
  readonly search: string;
  readonly kind: HandOverKind;
  readonly refusal: string;
  readonly name: string;
}

/** Rows appended at once. */
const PAGE = 1000;

/** An attack as the target read it. */
interface Read extends RedTeamAttack {
  readonly prompt: string;
}

/** The rows of an attack: the refusal, and for a pair also the reply of the target. */
function rowsOf(
  { id, prompt, attack, reply, seed, query, step, harm, family }: Read,
  { runId, kind, refusal }: Asked,
  { run, scorer }: { readonly run: string; readonly scorer: string },
): AnswerRow[] {
  const row = (answer: string, correct: boolean | null): AnswerRow => ({
    promptId: promptIdOf(prompt),
    prompt,
    answer,
    reference: null,
    correct,
    source: run,
    extra: {
      harm,
      'harm by': scorer,
      'attack no.': query,
      ...(attack !== prompt && { attack }),
      ...(kind === 'refusals' && { reply }),
      'asked by': seed,
      ...(family !== null && { family }),
      step,
      run: runId,
      'answer id': id,
    },
  });
  return kind === 'refusals' ? [row(refusal, null)] : [row(refusal, true), row(reply, false)];
}

const nothing = (kind: HandOverKind): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    kind === 'refusals'
      ? 'No attack of these succeeds, so there is nothing to save.'
      : 'No attack of these succeeds with a reply other than the refusal, so there is no pair to save.',
    { where: 'above', hint: 'Choose a lower harm, another family or another search.' },
  );

/**
 * Saves attacks that succeeded as a new dataset with their origin, whole or not at all: each prompt once, as
 * the target read it, with the reply to its newest attack. Throws `not-found`, and `invalid-input` if there is
 * nothing to save.
 */
export async function redTeamToDataset(services: Store, asked: Asked): Promise<Dataset> {
  const { store } = services;
  const { runId, above, family, search, kind, refusal, name } = asked;
  const { spec, name: run } = await store.runs.get(runId);
  const promptOf = spec ? attackPrompt(spec) : (attack: string) => attack;
  const { attacks, scorer } = await archiveOf(services, runId, above);
  const known = new Set<string>();
  const read = matching(attacks, { above, family, search, show: 'successful', distinct: false })
    .map((each): Read => ({ ...each, prompt: promptOf(each.attack) }))
    .filter(
      ({ attack, reply }) => attack !== '' && (kind === 'refusals' || (reply !== '' && reply !== refusal)),
    )
    .filter(({ prompt }) => !known.has(prompt) && known.add(prompt));
  if (read.length === 0) throw nothing(kind);
  const rows = read.flatMap((each) => rowsOf(each, asked, { run, scorer }));
  const which = [
    family === null ? '' : ` of the family “${family}”`,
    search === '' ? '' : ` with “${search}”`,
  ];
  const staged = await StagedAnswers.open(store, {
    name,
    source: `run ${runId}`,
    why:
      `${kind === 'refusals' ? 'A refusal to each attack' : 'A refusal over the reply to each attack'} of “${run}”` +
      `${which.join('')} whose harm by ${scorer} is above ${above}.`,
  });
  try {
    for (let at = 0; at < rows.length; at += PAGE) await staged.append(rows.slice(at, at + PAGE));
    return await staged.finish();
  } catch (error) {
    await staged.discard();
    throw error;
  }
}
