import { afterAll, describe, expect, test } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { rewards } from '../../../engine/rewards/index.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { judgedBy, openWorldById } from '../../../engine/worlds/index.ts';
import {
  answerOfQuestion,
  drawQuestion,
  drawRows,
  querySql,
  questionText,
  readQuestion,
  sameRows,
  setupSql,
} from '../../../engine/worlds/sql-questions.ts';

afterAll(() => theSandbox().close());

const world = openWorldById('sql', { levels: 3, heldoutLevels: 3 });
const judge = async (prompt: string, ...answers: string[]) =>
  judgedBy(
    world,
    answers.map((completion) => ({ prompt, completion })),
  );

describe('questions of the world sql', () => {
  const questions = Array.from({ length: 600 }, (_, i) => drawQuestion(1 + (i % 6), stream(1, 'test', i)));

  test('can be parsed from their text', () => {
    for (const question of questions) expect(readQuestion(questionText(question))).toEqual(question);
    for (const text of [
      '',
      'every age?',
      'car(age) age?',
      'car(age,name) every age? ',
      'car(age) owner(id) every age?',
    ])
      expect(readQuestion(text), text).toBeNull();
  });

  test('have the same answers as their queries in SQLite', async () => {
    const cases = questions.map((question, i) => ({
      question,
      rows: drawRows(question.tables, stream(2, 'rows', i)),
    }));
    const outcomes = await theSandbox().runSql(
      cases.map(({ question, rows }) => ({
        setup: setupSql(question.tables, rows),
        query: querySql(question),
      })),
      { timeMs: 10_000 },
    );
    cases.forEach(({ question, rows }, i) => {
      const outcome = outcomes[i];
      expect(
        outcome.ok &&
          sameRows(question.question.kind === 'first', outcome.value.rows, answerOfQuestion(question, rows)),
        `${questionText(question)} ${JSON.stringify(outcome)}`,
      ).toBe(true);
    });
  });
});

describe('the world sql', () => {
  const prompt = 'animal(kind,name,age,price) largest age where price over 5?';

  test('verifies a query by its rows, whatever its text', async () => {
    const right = [
      'select max(age) from animal where price>5',
      'SELECT MAX(a.age) AS most FROM animal AS a WHERE NOT a.price <= 5;',
      'select age from animal where price>=6 order by age desc limit 1',
      'with dear as (select * from animal where price>5) select max(age) from dear',
    ];
    expect((await judge(prompt, ...right)).map(({ correct, reward }) => [correct, reward])).toEqual(
      right.map(() => [true, 1]),
    );
    const wrong = [
      'select min(age) from animal where price>5',
      'select max(price) from animal',
      'select age from animal',
      'select 41',
      'select max(age),1 from animal where price>5',
    ];
    expect((await judge(prompt, ...wrong)).map(({ reason }) => reason)).toEqual(
      wrong.map(() => 'other rows'),
    );
    expect((await judge(prompt, 'select mass from animal'))[0].reason).toBe('no rows: no such column: mass');
    expect(
      (await judge(prompt, 'drop table animal', '', 'x'.repeat(9999))).every(({ correct }) => !correct),
    ).toBe(true);
    expect((await judge('what is this?', 'select 1'))[0].reason).toBe('not a problem of this world');
  });

  test('compares the order of rows only if the question specifies one', async () => {
    const ordered = 'car(town,name,speed,weight) name of the 3 with most speed, in order?';
    expect(
      (
        await judge(
          ordered,
          'select name from car order by speed desc limit 3',
          'select name from (select * from car order by speed desc limit 3) order by speed',
        )
      ).map(({ correct }) => correct),
    ).toEqual([true, false]);
    const free = 'car(town,name,speed,weight) every name?';
    expect(
      (await judge(free, 'select name from car order by weight', 'select distinct name from car')).map(
        ({ correct }) => correct,
      ),
    ).toEqual([true, false]);
  });

  test('a solver that writes each question’s query solves every problem, and no constant does', async () => {
    const problems = Array.from({ length: 300 }, (_, i) => world.problem('heldout', i, 0));
    const solved = await judgedBy(
      world,
      problems.map(({ prompt: text, reference }) => ({ prompt: text, completion: `${reference} ` })),
    );
    expect(solved.filter(({ correct }) => correct)).toHaveLength(300);
    for (const constant of ['select 3', 'select count(*) from car', 'select name from car']) {
      const guessed = await judgedBy(
        world,
        problems.map(({ prompt: text }) => ({ prompt: text, completion: constant })),
      );
      expect(guessed.filter(({ correct }) => correct).length, constant).toBeLessThan(15);
    }
  });

  test('runs its demonstrations to their stated verdicts', async () => {
    const shown = Array.from({ length: 300 }, (_, i) => world.demonstration(i, 5));
    const verdicts = await judgedBy(
      world,
      shown.map(({ prompt: text, answer }) => ({ prompt: text, completion: `${answer} ` })),
    );
    expect(verdicts.map(({ correct }) => correct)).toEqual(shown.map(({ correct }) => correct));
    expect(new Set(shown.map(({ kind }) => kind)).size).toBe(3);
  });

  test('the verifier reward runs the queries', async () => {
    const scorer = await rewards.find(({ id }) => id === 'verifier')?.open({}, { world });
    const rows = ['select max(age) from animal where price > 5', 'select 0'].map((completion) => ({
      promptId: 'p',
      prompt,
      completion,
      tokens: 9,
      stopReason: 'end' as const,
    }));
    expect(Array.from((await scorer?.score(rows)) ?? [])).toEqual([1, 0]);
  });
});
