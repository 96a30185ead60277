import { readFile } from 'node:fs/promises';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { CandidateMode } from '../../engine/schema/plan.ts';
import type { Arena, ArenaCandidate } from '../../preload/contract/plans.ts';
import { number } from '../../preload/wire/numbers.ts';
import type { Wish } from '../plans/arena.ts';
import { columns, type Values } from './command.ts';

/** Decisions about a candidate of an arena, by the action's name. */
export const decisions: Readonly<Record<string, CandidateMode>> = {
  pause: 'paused',
  pin: 'pinned',
  free: 'free',
  add: 'free',
};

/** Throws `invalid-input` for a flag of decisions with another action, which would not read it. */
export function requireDecision(action: string, values: Values): void {
  if (action in decisions) return;
  const flag = ['arena', 'code', 'from'].find((name) => values[name] !== undefined);
  if (flag !== undefined)
    throw new WhetstoneError('invalid-input', `'${action}' does not use --${flag}.`, {
      where: `--${flag}`,
      hint: `It belongs to ${Object.keys(decisions).join(', ')}.`,
    });
}

/** The decision of an action. Throws `invalid-input` for a missing name or code. */
export async function wishFor(
  action: string,
  candidate: string | undefined,
  { arena, code, from }: { readonly arena?: string; readonly code?: string; readonly from?: string },
): Promise<Wish> {
  if (candidate === undefined)
    throw new WhetstoneError('invalid-input', 'The name of the candidate is missing.', {
      where: 'plans',
      hint: `plans ${action} ID NAME`,
    });
  if ((action === 'add') !== (code !== undefined))
    throw new WhetstoneError(
      'invalid-input',
      action === 'add' ? 'The code of its reward is missing.' : 'Only a candidate that is added has code.',
      { where: '--code', hint: 'plans add ID NAME --code reward.js' },
    );
  return {
    arena,
    candidate,
    mode: decisions[action],
    ...(code !== undefined && { code: await readCode(code) }),
    ...(from !== undefined && { origin: from }),
  };
}

async function readCode(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new WhetstoneError('not-found', `The file '${path}' cannot be read.`, { where: '--code', cause });
  }
}

const stateOf = ({ mode, isLive, isLeading }: ArenaCandidate): string =>
  [isLive && 'running', mode === 'paused' && 'stopped', mode === 'pinned' && 'pinned', isLeading && 'leading']
    .filter(Boolean)
    .join(', ');

/** Its candidates: share of the budgets so far, newest value with its interval, and state. */
export const arenaText = ({ id, rule, metric, budgets, pulls, candidates }: Arena): string =>
  [
    `${id}: ${rule}, ${pulls.length} of ${budgets} budgets`,
    columns([
      ['candidate', 'budgets', 'updates', metric, 'interval', 'state'],
      ...candidates.map((each) => {
        const newest = each.scores.at(-1) ?? null;
        return [
          each.id,
          String(each.scores.length),
          String(each.updates),
          newest === null ? '' : number(newest),
          each.interval ? `${number(each.interval[0])} to ${number(each.interval[1])}` : '',
          stateOf(each),
        ];
      }),
    ]),
  ].join('\n');
