import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { LatentAnswers as Latents } from '../../engine/schema/latent-answers.ts';
import {
  answeredIn,
  answerRows,
  answerTexts,
  clustersOf,
} from '../../renderer/features/runs/coverage/answers.ts';
import LatentAnswers from '../../renderer/features/runs/coverage/LatentAnswers.svelte';

afterEach(() => cleanup());

const answer = (prompt: number, text: number, correct: boolean, at: [number, number]) => ({
  prompt,
  text,
  correct,
  gold: Number(correct),
  latent: [at[0], at[1], 0],
  at,
});
const latents: Latents = {
  prompts: ['3 + ? = 7', '? + ? = 2'],
  answers: [
    answer(0, 0, false, [1, 0]),
    answer(0, 1, true, [0, 1]),
    answer(0, 0, false, [1, 0.1]),
    answer(1, 0, true, [-1, 0]),
    answer(1, 1, true, [0, -1]),
    answer(1, 1, true, [0.1, -1]),
  ],
  texts: [
    ['5', '4'],
    ['1 + 1', '2 + 0'],
  ],
  explained: [0.5, 0.25],
  alike: { n: 6, r: 0.44, p: 0.002 },
  rewards: { n: 6, r: 0.05, p: 0.4 },
};
const result = (step: number, value: object, attempt = 1) => ({
  kind: 'evaluation',
  step,
  attempt,
  value: { step, passAtK: [], ...value },
});

describe('directions of answers', () => {
  it('are those of evaluations that have them, the newest attempt of each step', () => {
    const found = answeredIn([
      result(10, {}),
      result(20, { latents: { ...latents, prompts: [] } }),
      result(20, { latents }, 2),
      { kind: 'episodes', step: 30, attempt: 1, value: {} },
    ]);
    expect(found).toEqual([{ step: 20, latents }]);
  });
  it('group the answers to a problem by their text, right ones first', () => {
    expect(clustersOf(latents, 0)).toEqual([
      { text: '4', correct: true, answers: [{ at: 1, direction: 90 }] },
      {
        text: '5',
        correct: false,
        answers: [
          { at: 0, direction: 0 },
          { at: 2, direction: expect.closeTo(5.7106, 3) },
        ],
      },
    ]);
    expect(clustersOf(latents, 1).map(({ text }) => text)).toEqual(['2 + 0', '1 + 1']);
  });
  it('are told of in plain sentences', () => {
    expect(answerTexts(latents)).toEqual([
      '6 answers to 2 problems, 2 different ones per problem.',
      'Answers to a problem with similar directions are similar: r = .44, p = .002.',
      'How similar directions are says little about what answers to a problem earn: r = .05, p = .400.',
    ]);
    expect(answerTexts({ ...latents, alike: null, rewards: null })).toEqual([
      '6 answers to 2 problems, 2 different ones per problem.',
      'All answers to a problem are the same, or all differ: directions tell none apart.',
    ]);
  });
  it('have rows with problem, place, reward and text', () => {
    expect(answerRows(latents)[1]).toEqual(['2', '3 + ? = 7', '.000', '1.000', '90', '1', '4']);
  });
  it('are shown by problem; a mark chooses its answer, and a point of another problem that problem', async () => {
    const { container } = render(LatentAnswers, {
      results: [result(10, { latents }), result(20, { latents })],
    });
    const list = screen.getByRole('list', { name: 'Different answers' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(2);
    const mark = within(list).getByRole('button', { name: 'Answer 2, direction 90°' });
    await fireEvent.click(mark);
    expect(mark.getAttribute('aria-pressed')).toBe('true');
    expect(container.querySelector('circle.chosen')).not.toBeNull();
    await fireEvent.click(mark);
    expect(mark.getAttribute('aria-pressed')).toBe('false');
    await fireEvent.change(screen.getByRole('combobox', { name: 'Problem' }), { target: { value: '1' } });
    expect(within(list).getByText('1 + 1')).toBeDefined();
    await fireEvent.click(container.querySelectorAll('circle.point')[0]);
    expect(within(list).getByText('4')).toBeDefined();
    expect(
      within(list)
        .getByRole('button', { name: /^Answer 1,/ })
        .getAttribute('aria-pressed'),
    ).toBe('true');
    expect(screen.getByRole('combobox', { name: 'At the evaluation of' })).toBeDefined();
  });
  it('are nothing in a run without them', () => {
    const { container } = render(LatentAnswers, { results: [result(10, {})] });
    expect(container.querySelector('section')).toBeNull();
  });
});
