import * as z from 'zod';
import { hash32, stream, type RandomStream } from '../random/random.ts';
import { theSandbox } from '../sandbox/index.ts';
import {
  answerOfQuestion,
  drawQuestion,
  drawRows,
  querySql,
  questionText,
  readQuestion,
  sameRows,
  setupSql,
  type TableQuestion,
  type Row,
} from './sql-questions.ts';
import {
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { defineWorld, type WorldVerdict } from './world.ts';

const HIGHEST = 6;
/** Number of table fillings: a query that is right by luck on one is wrong on another. */
const FILLINGS = 2;
const TIME_MS = 500;
/** Longest prompt and longest query of a level. */
const prompts = [0, 45, 70, 75, 65, 75, 100];
const queries = [0, 30, 55, 65, 70, 65, 110];

const params = z
  .strictObject({
    ...workedFields(HIGHEST, 3, 1),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);

/**
 * Text to SQL: `animal(kind,name,age,price) largest age where kind is big?` → `select max(age) from animal
 * where kind='big'`. Level 1 lists a column, 2 filters, 3 measures, 4 groups, 5 orders, 6 joins. `verify`
 * accepts only the demonstrated query; `judge` runs any query and compares its rows.
 */
export const sql = defineWorld({
  id: 'sql',
  title: 'Text to SQL',
  summary:
    'Answer a question about generated tables with a query, which is run in SQLite and judged by ' +
    'its rows.',
  params,
  build: (p) => {
    const most = (lengths: readonly number[]) => Math.max(...lengths.slice(1, hardest(p) + 1));
    const maxTokens = most(queries) + 12;
    return {
      alphabet: "abcdefghijklmnopqrstuvwxyz0123456789 ,.()?*<>='",
      maxPromptTokens: most(prompts),
      maxTokens,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        for (;;) {
          const question = drawQuestion(level, draw);
          const prompt = questionText(question);
          if (isDiscriminating(question, prompt)) return { prompt, reference: querySql(question), meta: {} };
        }
      },
      verify: (prompt, completion) =>
        shapeVerdict(prompt, completion, 4 * maxTokens) ??
        wrong('another query than the demonstrated one: only running it can tell'),
      judge: (rows) => judged(rows, 4 * maxTokens),
      demonstration: ({ prompt, reference }, draw) => {
        const kind = kindOf(p, draw);
        const question = readQuestion(prompt);
        if (kind === 'wrong' && question) return { answer: querySql(misread(question, prompt, draw)), kind };
        return {
          answer:
            kind === 'rambling'
              ? `${reference} limit 100`.replace(/( limit \d+) limit 100$/, '$1')
              : reference,
          kind: kind === 'wrong' ? 'right' : kind,
        };
      },
    };
  },
});

/** The prompt determines the rows of the tables, so that a verdict depends only on prompt and answer. */
const fillingsOf = (question: TableQuestion, prompt: string): Row[][][] =>
  Array.from({ length: FILLINGS }, (_, filling) =>
    drawRows(question.tables, stream(0, 'sql/rows', filling, hash32(prompt))),
  );

/** True if the answer is not empty, and differs between fillings. */
const isDiscriminating = (question: TableQuestion, prompt: string): boolean => {
  const [one, other] = fillingsOf(question, prompt).map((rows) => answerOfQuestion(question, rows));
  return (
    [one, other].every((answer) => answer.length > 0 && answer[0][0] !== null) &&
    !sameRows(question.question.kind === 'first', one, other)
  );
};

/** The same question with one part changed, such that its answer differs. */
const misread = (original: TableQuestion, prompt: string, draw: RandomStream): TableQuestion => {
  const level =
    1 +
    ['list', 'filter', 'measure', 'groups', 'first', 'joined'].indexOf(
      original.question.kind === 'list' && original.question.where ? 'filter' : original.question.kind,
    );
  const fillings = fillingsOf(original, prompt);
  for (;;) {
    const { question } = drawQuestion(level, draw);
    const other: TableQuestion = {
      tables: original.tables,
      question: { ...question, ...keptOf(original, question, draw) } as TableQuestion['question'],
    };
    const columns = [...querySql(other).matchAll(/[a-z]+/g)].map(([word]) => word);
    const known = columns.every(
      (word) =>
        KEYWORDS.has(word) ||
        original.tables.some(({ name, columns: own }) => name === word || own.includes(word)) ||
        querySql(other).includes(`'${word}'`),
    );
    if (
      known &&
      fillings.some(
        (rows) =>
          !sameRows(
            question.kind === 'first',
            answerOfQuestion(original, rows),
            answerOfQuestion(other, rows),
          ),
      )
    )
      return other;
  }
};
const KEYWORDS = new Set([
  'select',
  'from',
  'where',
  'group',
  'order',
  'by',
  'desc',
  'limit',
  'join',
  'on',
  'count',
  'max',
  'min',
  'sum',
]);

/** All of a question except one part, which is redrawn. */
const keptOf = (
  { question }: TableQuestion,
  other: TableQuestion['question'],
  draw: RandomStream,
): object => {
  const parts = Object.keys(question).filter((part) => part !== 'kind');
  const misreadPart = draw.pick(parts.filter((part) => part in other));
  return Object.fromEntries(Object.entries(question).filter(([part]) => part !== misreadPart));
};

/** The verdict if no database is needed, or undefined. */
const shapeVerdict = (prompt: string, completion: string, longest: number): WorldVerdict | undefined => {
  const question = readQuestion(prompt);
  if (!question) return NOT_A_PROBLEM;
  if (completion.length > longest) return wrong('too long');
  if (completion.trim() === '') return wrong('no query');
  const demonstrated = querySql(question);
  return completion === demonstrated || completion === `${demonstrated} limit 100` ? right([]) : undefined;
};

const judged = async (
  rows: readonly { readonly prompt: string; readonly completion: string }[],
  longest: number,
): Promise<WorldVerdict[]> => {
  const verdicts = rows.map(({ prompt, completion }) => shapeVerdict(prompt, completion, longest));
  // consecutive queries of one filling share its tables
  const open = verdicts
    .flatMap((verdict, r) => (verdict ? [] : [r]))
    .sort((a, b) => (rows[a].prompt < rows[b].prompt ? -1 : rows[a].prompt > rows[b].prompt ? 1 : a - b));
  for (let filling = 0; filling < FILLINGS; filling++) {
    const unjudged = open
      .filter((r) => verdicts[r] === undefined)
      .map((r) => {
        const question = readQuestion(rows[r].prompt) as TableQuestion; // shapeVerdict has checked that it parses
        return { r, question, tables: fillingsOf(question, rows[r].prompt)[filling] };
      });
    const outcomes = await theSandbox().runSql(
      unjudged.map(({ r, question, tables }) => ({
        setup: setupSql(question.tables, tables),
        query: rows[r].completion,
      })),
      { timeMs: TIME_MS },
    );
    unjudged.forEach(({ r, question, tables }, at) => {
      const outcome = outcomes[at];
      if (!outcome.ok) verdicts[r] = wrong(`no rows: ${outcome.error.message.slice(0, 80)}`);
      else if (
        !sameRows(question.question.kind === 'first', outcome.value.rows, answerOfQuestion(question, tables))
      )
        verdicts[r] = wrong('other rows');
    });
  }
  return verdicts.map((verdict) => verdict ?? right([]));
};
