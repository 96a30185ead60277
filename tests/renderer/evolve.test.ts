import { describe, expect, it } from 'vitest';
import { methods, operate, showable } from '../../engine/index.ts';
import { roundsCurve } from '../../engine/rl/search/rounds-curve.ts';
import type { Run } from '../../preload/contract/runs.ts';
import type { BrowsedSample } from '../../preload/contract/samples.ts';
import { drawn, movedTo } from '../../renderer/features/runs/evolve/drawing.ts';
import { attemptsOf, settingsOf, type RoundsSettings } from '../../renderer/features/runs/evolve/lineage.ts';
import { aboutRounds, roundLines, roundRows } from '../../renderer/features/runs/evolve/rounds.ts';
import {
  countLines,
  mutationCounts,
  mutationOperators,
  mutationSettings,
  rowsText,
  trainOn,
} from '../../renderer/features/runs/mutation/mutation.ts';
import { tabOf } from '../../renderer/features/runs/tabs.ts';
import { planRow } from '../support/plan-rows.ts';

const settings: RoundsSettings = {
  groupSize: 2,
  rounds: 3,
  shows: 2,
  selector: 'none',
  swapped: false,
  beside: false,
  shown: '{prompt}{attempts}',
  attempt: '{attempt} ',
};
/** Answers in the order in which they were sampled, each with what its prompt showed. */
const samples = (...all: readonly (readonly [completion: string, shown?: string])[]): BrowsedSample[] =>
  all.map(
    ([completion, shown], sample) =>
      ({
        id: `answer ${sample}`,
        step: 1,
        sample,
        prompt: 'sort 2 1?',
        completion,
        ...(shown !== undefined && { shown }),
        scores: { verifier: Number(completion === '#1 2') },
        superseded: false,
      }) as unknown as BrowsedSample,
  );
const first = [['#2 1'], ['#1 2']] as const;
const second = [
  ['#1 2', 'sort 2 1?#2 1 #1 2 '],
  ['#1', 'sort 2 1?#2 1 #1 2 '],
] as const;
const third = [
  ['#1 2', 'sort 2 1?#1 2 #1 '],
  ['#1 2', 'sort 2 1?'],
] as const;

describe('the lineage of attempts', () => {
  it('reads the round of each, and what it was shown: of equal texts the newest', () => {
    const attempts = attemptsOf(samples(...first, ...second, ...third), settings, 'verifier');
    expect(attempts.map(({ round, score }) => [round, score])).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
      [2, 1],
      [2, 1],
    ]);
    // “#1 2 #1 ” is made of whole attempts: “#1 ” alone does not begin it
    expect(attempts.map(({ saw }) => saw)).toEqual([[], [], [0, 1], [0, 1], [2, 3], []]);
  });

  it('keeps plain answers beside the rounds apart, and counts those of a prompt that was drawn twice', () => {
    const beside = attemptsOf(
      samples(...first, ...second, ...third, ['#1'], ['#2'], ['#3'], ['#4']),
      { ...settings, beside: true },
      'verifier',
    );
    expect(beside.map(({ round }) => round)).toEqual([0, 0, 1, 1, 2, 2, -1, -1, -1, -1]);
    const twice = attemptsOf(
      samples(...first, ...first, ...second, ...second, ...third, ...third),
      settings,
      undefined,
    );
    expect(twice.map(({ round }) => round)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    expect(twice[0].score).toBeNaN();
    expect(attemptsOf([], settings, 'verifier')).toEqual([]);
  });

  it('is drawn in columns, and arrow keys walk it', () => {
    const attempts = attemptsOf(
      samples(...first, ...second, ...third, ['#1'], ['#2'], ['#3'], ['#4']),
      {
        ...settings,
        beside: true,
      },
      'verifier',
    );
    const { places, arrows, columns } = drawn(attempts);
    expect(columns).toHaveLength(3);
    expect(places.slice(0, 6).map((place) => place && [columns.indexOf(place.x), place.y])).toEqual([
      [0, 28],
      [0, 80],
      [1, 28],
      [1, 80],
      [2, 28],
      [2, 80],
    ]);
    expect(places.slice(6)).toEqual([null, null, null, null]);
    expect(arrows.map(({ from, to }) => [from, to])).toEqual([
      [0, 2],
      [1, 2],
      [0, 3],
      [1, 3],
      [2, 4],
      [3, 4],
    ]);
    const walk = (at: number, ...keys: string[]) =>
      keys.reduce((from, key) => movedTo(key, from, attempts), at);
    expect(walk(0, 'ArrowRight', 'ArrowDown', 'ArrowRight')).toBe(5);
    expect(walk(5, 'ArrowRight', 'ArrowDown')).toBe(5);
    expect(walk(0, 'ArrowLeft', 'ArrowUp', 'x')).toBe(0);
  });
});

describe('the rounds of a search', () => {
  it('are rows with mean and best by a scorer, beside plain answers, and the gain over the first', () => {
    const verdict = [0, 0, 1, 0, 0, 1];
    const share = [0.5, 0, 1, 0.5, 0, 1];
    const curve = roundsCurve(
      [
        {
          promptId: 'a',
          round: [0, 0, 1, 1, -1, -1],
          tokens: [1, 1, 1, 1, 1, 1],
          scores: { verdict, verifier: share },
        },
      ],
      { step: 1, seed: 0 },
    );
    const lines = roundLines(curve, 'verifier');
    expect(lines.map(({ id }) => id)).toEqual(['mean', 'best', 'best-so-far', 'plain-mean', 'plain-best']);
    const rows = roundRows(lines);
    expect(rows.map(({ round, n }) => [round, n])).toEqual([
      [1, 2],
      [2, 4],
    ]);
    expect(rows[0].cells.slice(0, 4)).toEqual(['.250', '.500', '.500', '.375']);
    expect(rows[1].cells[0]).toBe('.750');
    expect([rows[0].cells.at(-1), rows[1].cells.at(-1)]).toEqual(['–', expect.stringContaining('+.50')]);
    // without partial credit the verdict's own lines
    expect(roundLines(curve, 'other').map(({ points }) => points[1].accuracy)[0]).toBe(0.5);
  });

  it('are told in words', () => {
    expect(aboutRounds(settings)).toBe(
      '2 attempts in each of 3 rounds; from the second on, a prompt shows 2 earlier ones: those of the round ' +
        'before, without a selector.',
    );
    expect(aboutRounds({ ...settings, swapped: true })).toContain('as a control');
  });

  it('open at their attempts, and other runs at their curves', () => {
    const run = (method: string): Run =>
      ({ spec: { method: { id: method, params: settings } } }) as unknown as Run;
    expect([tabOf(run('search-rounds')), tabOf(run('grpo')), tabOf(null)]).toEqual([
      'evolve',
      'curves',
      'curves',
    ]);
    expect([tabOf(run('search-rounds'), 'log'), tabOf(run('grpo'), 'evolve')]).toEqual(['log', 'curves']);
    expect([settingsOf(run('search-rounds')), settingsOf(run('grpo'))]).toEqual([settings, null]);
  });
});

describe('mutation data', () => {
  const of = (spec: object) => ({ spec }) as unknown as Run;
  const policy = { kind: 'checkpoint', checkpointId: 'c' };
  const method = { id: 'search-rounds', params: settings };

  it('shows attempts as the method of the run does, else in words to a pretrained model', () => {
    const plain = { shown: '{prompt}{attempts}', attempt: '{attempt} ' };
    const settingsOfRun = (run: Pick<Run, 'spec'>, isPretrained = false) =>
      mutationSettings(run, { marked: '{attempt} ', isPretrained });
    expect(settingsOfRun(of({ method, models: { policy } }))).toEqual({
      attempts: 2,
      shown: settings.shown,
      attempt: settings.attempt,
    });
    const grpo = { method: { id: 'grpo', params: { groupSize: 8 } } };
    expect(settingsOfRun(of({ ...grpo, models: { policy } }))).toEqual({ attempts: 3, ...plain });
    const added = settingsOfRun(of({ ...grpo, models: { policy } }), true);
    expect(added).toEqual({
      attempts: 3,
      ...methods.find(({ id }) => id === 'search-rounds')?.presets.words,
    });
    expect(settingsOfRun({ spec: null })).toEqual({ attempts: 3, ...plain });
  });

  it('counts the rows that the operator makes, with and without reference answers', () => {
    const marks: readonly (readonly [
      prompt: string,
      answers: number,
      right: number,
      reference: string | null,
    ])[] = [
      ['a', 5, 1, null],
      ['b', 4, 0, 'z'],
      ['c', 3, 0, null],
      ['d', 1, 1, 'z'],
    ];
    const rows = marks.flatMap(([prompt, answers, right, reference]) =>
      Array.from({ length: answers }, (_none, at) =>
        planRow(prompt, `${prompt}${at}`, 0, { correct: at < right, reference }),
      ),
    );
    const counted = [...showable(rows)];
    for (const fallback of [false, true])
      for (const attempts of [1, 2, 3, 4, 5]) {
        const given = { attempts, shown: '{prompt}{attempts}', attempt: '{attempt};' };
        const made = operate(rows, mutationOperators(given, fallback), '');
        expect(2 * mutationCounts(counted, attempts, fallback).rows, `${attempts}`).toBe(made.length);
      }
    const counts = mutationCounts(counted, 2, false);
    expect([...countLines(counts, 2, false), rowsText(counts)]).toEqual([
      '1 prompt with a right sampled answer',
      '1 prompt with the task’s reference answer alone, left out',
      '1 prompt without either, left out',
      '1 prompt with fewer than 2 answers, left out',
      '2 rows that show attempts, and 2 with the plain prompt',
    ]);
  });

  it('leads on to SFT from where the run began', () => {
    const from = (source: object) => trainOn('d', of({ models: { policy: source } }));
    expect(from(policy)).toBe('#/runs/new?method=sft&dataset=d&checkpoint=c');
    expect(from({ kind: 'model', modelId: 'm' })).toBe('#/runs/new?method=sft&dataset=d&model=m');
    const fresh = from({ kind: 'new', architecture: { width: 48 } });
    expect(fresh).toMatch(/^#\/runs\/new\?method=sft&dataset=d&policy=new&set=/);
    expect(JSON.parse(new URLSearchParams(fresh.split('?')[1]).get('set') ?? '')).toEqual({
      'models.policy': { kind: 'new', architecture: { width: 48 } },
    });
  });
});
