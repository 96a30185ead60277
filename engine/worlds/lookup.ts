import * as z from 'zod';
import { hashFraction } from '../random/hash.ts';
import type { RandomStream } from '../random/random.ts';
import { REPLY_BEGINS, REPLY_ENDS, splitTranscript } from '../common/transcript.ts';
import { judgementOf, type Judgement } from '../common/retrieval.ts';
import { played, replayed, type Turns } from './turns.ts';
import { kindOf, NOT_A_PROBLEM, right, sharesFit, wrong } from './worked.ts';
import { defineWorld } from './world.ts';

const fraction = z.number().min(0).max(1);
const params = z
  .strictObject({
    noise: z
      .number()
      .min(0)
      .max(0.9)
      .default(0.3)
      .describe('Share of first documents that mislead: they are about another thing.'),
    judged: z
      .boolean()
      .default(false)
      .describe('After each document the agent must judge it: `keep`, or `drop` to search again.'),
    levels: z
      .int()
      .min(1)
      .max(4)
      .default(1)
      .describe('Levels of noise, each equally often: level L of n misleads noise · L ⁄ n of the time.'),
    wrong: fraction.default(0.25).describe('Share of demonstrations that trust a misleading document.'),
    rambling: fraction.default(0.1).describe('Share of demonstrations that search once more than needed.'),
    heldout: z.number().min(0.01).max(0.9).default(0.2).describe('Share of the prompts kept for evaluation.'),
  })
  .refine(...sharesFit);

/** Consonant and vowel in turn, so that names are invented and many. */
const drawName = (draw: RandomStream): string =>
  Array.from({ length: 4 }, (_, at) => draw.pick([...(at % 2 === 0 ? 'bdfgklmnprstvz' : 'aeiou')])).join('');
const facts = ['home', 'year', 'king', 'food'] as const;
const PROMPT = /^(home|year|king|food) of ([a-z]{4})\?$/;
/** What a fact says: a number from 100 to 999, its own for each name and fact. */
const valueOf = (fact: string, name: string): string =>
  String(100 + Math.floor(hashFraction('lookup', fact, name) * 900));

/** Another name than the one that was asked for, the same for the same search. */
const decoyOf = (query: string, at: number): string => {
  const letters = 'bdfgklmnprstvz';
  const first = letters[Math.floor(hashFraction('lookup', 'decoy', query, String(at)) * letters.length)];
  const own = first === query[5] ? letters[(letters.indexOf(first) + 1) % letters.length] : first;
  return own + query.slice(6);
};

const SEARCH = /^(home|year|king|food) ([a-z]{4})$/;

/** Searches that an answer may make. */
const SEARCHES = 4;

/**
 * Invented facts behind a search that may mislead: `king of bodu?` → `king bodu⟦king nodu 512⟧king bodu⟦king
 * bodu 207⟧answer 207`. A document is a fact, a name and a number; a misleading one is about another name.
 * The same search again finds the right document. Nothing but the documents tells the numbers.
 */
export const lookup = defineWorld({
  id: 'lookup',
  title: 'Search that may mislead',
  summary: 'Search for an invented fact, see whether the document is about it, search again or answer.',
  params,
  build: (p) => {
    const limit = p.judged ? 2 * SEARCHES + 1 : SEARCHES + 1;
    const noiseAt = (level: number): number => (p.noise * level) / p.levels;
    /** The level is in the hash of the prompt: an agent cannot read it. */
    const levelOf = (prompt: string): number =>
      1 + Math.floor(hashFraction('lookup', 'level', prompt) * p.levels);
    const misleads = (prompt: string, query: string, at: number): boolean =>
      at === 0 && hashFraction('lookup', 'noise', prompt, query) < noiseAt(levelOf(prompt));
    const found = (prompt: string, query: string, earlier: readonly string[]): string => {
      const [, fact, name] = SEARCH.exec(query) ?? [];
      if (fact === undefined) return 'nothing';
      const at = earlier.filter((each) => each === query).length;
      const about = misleads(prompt, query, at) ? decoyOf(query, at) : name;
      return `${fact} ${about} ${valueOf(fact, about)}`;
    };
    const talk: Turns = {
      limit,
      next: (prompt, turns) => {
        const turn = turns.at(-1) ?? '';
        if (!PROMPT.test(prompt) || turn.startsWith('answer') || turns.length >= limit) return { done: true };
        // a judgement stands after each document
        if (p.judged && turns.length % 2 === 0) return { reply: 'noted' };
        return { reply: found(prompt, turn, turns.slice(0, -1)) };
      },
    };
    const searchTokens = 'king abcd'.length + 1 + '⟦king abcd 123⟧'.length;
    const judgementTokens = p.judged ? 'keep'.length + 1 + '⟦noted⟧'.length : 0;
    const maxTokens = SEARCHES * (searchTokens + judgementTokens) + 'answer 123'.length + 1;
    return {
      alphabet: `abcdefghijklmnopqrstuvwxyz0123456789 ?${REPLY_BEGINS}${REPLY_ENDS}`,
      maxPromptTokens: 'king of abcd?'.length,
      maxTokens,
      heldout: p.heldout,
      ...(p.levels > 1 && {
        levels: { trained: Array.from({ length: p.levels }, (_, at) => at + 1), heldout: [] },
      }),
      turns: talk,
      problem: (level, draw) => {
        for (;;) {
          const [fact, name] = [draw.pick([...facts]), drawName(draw)];
          const prompt = `${fact} of ${name}?`;
          if (p.levels > 1 && levelOf(prompt) !== level) continue;
          return { prompt, reference: valueOf(fact, name), meta: {} };
        }
      },
      verify: (prompt, completion) => {
        const [, fact, name] = PROMPT.exec(prompt) ?? [];
        if (fact === undefined) return NOT_A_PROBLEM;
        if (completion.length > 4 * maxTokens) return wrong('too long');
        const turns = replayed(talk, prompt, completion);
        const last = turns?.at(-1);
        if (!turns || last === undefined) return wrong('not a talk with this search');
        const isRight = last === `answer ${valueOf(fact, name)}`;
        const reason = last.startsWith('answer') ? 'wrong answer' : 'no answer';
        return {
          ...(isRight ? right([]) : wrong(reason)),
          turns: progressOf(judgementOf(prompt, completion), splitTranscript(completion).turns, isRight),
        };
      },
      demonstration: ({ prompt }, draw) => {
        const [, fact, name] = PROMPT.exec(prompt) ?? [];
        const query = `${fact} ${name}`;
        const drawn = kindOf(p, draw);
        // only a misleading first document can be trusted wrongly
        const kind = drawn === 'wrong' && !misleads(prompt, query, 0) ? 'right' : drawn;
        const documents = (replies: readonly string[]) => replies.filter((reply) => reply !== 'noted');
        const answer = played(talk, prompt, (replies) => {
          const read = documents(replies);
          const newest = read.at(-1);
          const isAbout = newest?.startsWith(`${query} `) === true;
          const trusts = isAbout || (kind === 'wrong' && newest !== undefined);
          if (p.judged && replies.length % 2 === 1) return trusts ? 'keep' : 'drop';
          const more = kind === 'rambling' && read.length < 2 + Number(misleads(prompt, query, 0));
          return trusts && !more ? `answer ${newest?.slice(-3)}` : query;
        });
        return { answer, kind };
      },
    };
  },
});

/** Half for the first document about the question, half for the right answer. */
const progressOf = (
  judgements: readonly Judgement[],
  turns: readonly string[],
  isRight: boolean,
): readonly number[] => {
  const first = judgements.find(({ isUseful }) => isUseful)?.turn;
  return turns.map((_, at) => Number(at === first) / 2 + Number(isRight && at === turns.length - 1) / 2);
};
