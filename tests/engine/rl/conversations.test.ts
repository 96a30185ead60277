import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { averagingWeights } from '../../../engine/rl/parts/math/averages.ts';
import type { Example } from '../../../engine/rl/tasks/task-data.ts';
import { demonstrations as fromDemonstrations } from '../../../engine/rl/tasks/kinds/demonstrations.ts';
import { loadTaskData } from '../../../engine/rl/tasks/load-task-data.ts';
import { rowOf } from '../../../engine/rl/kernel/rows.ts';
import { encodeRows } from '../../../engine/rl/tasks/encoding.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import type { Message, Role } from '../../../engine/schema/conversation.ts';
import type { Demonstration } from '../../../engine/schema/preference.ts';
import { loadTokenizer } from '../../../engine/text/load.ts';
import { promptIdOf, readDataset } from '../../../engine/data/index.ts';
import { splitOf } from '../../../engine/data/split.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeModelFolder } from '../../support/model-folder.ts';
import { found, recorder } from '../../support/toy-run.ts';

const file = fileURLToPath(new URL('../../support/conversations.jsonl', import.meta.url));
const conversations = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { messages: Message[] }).messages);
const tokenizer = await loadTokenizer(
  fileURLToPath(new URL('../../support/oracles/tokenizers/qwen2/', import.meta.url)),
);
const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const examples = (roles: readonly Role[]): Example[] =>
  conversations.map((messages, i) => ({
    promptId: `p${i}`,
    prompt: '',
    answer: '',
    conversation: { messages, roles, where: `chats.jsonl:${i + 1}` },
  }));
/** The trained parts of a conversation: the text of each run of tokens that the loss includes. */
const learned = (roles: readonly Role[]): string[][] => {
  const { tokens, mask } = encodeRows(examples(roles), { tokenizer, context: 1024 });
  return conversations.map((_messages, r) => {
    const runs: number[][] = [];
    rowOf(tokens, r).forEach((token, t) => {
      if (rowOf(mask, r)[t]) {
        if (t === 0 || !rowOf(mask, r)[t - 1]) runs.push([]);
        runs.at(-1)!.push(token);
      }
    });
    return runs.map((ids) =>
      ids.flatMap((id) => (id === tokenizer.end ? ['<|im_end|>'] : [tokenizer.decode([id])])).join(''),
    );
  });
};

describe('a conversation as a training row', () => {
  it('uses the model’s template, and the loss covers the assistant’s turns, including their end tokens', () => {
    expect(learned(['assistant'])).toEqual([
      ['It is 5.<|im_end|>'],
      ['2.<|im_end|>', '8.<|im_end|>'],
      ['5.<|im_end|>'],
    ]);
  });

  it('has this mask, token by token', () => {
    const { tokens, mask } = encodeRows(examples(['assistant']).slice(2), { tokenizer, context: 1024 });
    const shown = Array.from(tokens.values, (id) => (id === tokenizer.end ? 'E' : tokenizer.decode([id])));
    // counted by hand: the template's system turn, the question, the start of the turn; the answer and its
    // end; a newline and the thanks
    const rendered =
      '<|im_start|>system\nYou are a helper.<|im_end|>\n<|im_start|>user\nWhat is 9 - ' +
      '4?<|im_end|>\n<|im_start|>assistant\n';
    const after = '\n<|im_start|>user\nThank you.<|im_end|>\n';
    const [before, answer, rest] = [rendered, '5.<|im_end|>', after].map(
      (text) => tokenizer.encodeSpecial!(text).length,
    );
    expect([...mask.values]).toEqual([
      ...Array<number>(before).fill(0),
      ...Array<number>(answer).fill(1),
      ...Array<number>(rest).fill(0),
    ]);
    expect(shown.slice(before, before + answer)).toEqual(['5', '.', 'E']);
  });

  it('trains on other roles if the run selects them, without the template’s text around them', () => {
    expect(learned(['user'])).toEqual([
      ['What is 2 + 3?<|im_end|>'],
      ['What is 1 + 1?<|im_end|>', 'And 4 * 2?<|im_end|>'],
      ['What is 9 - 4?<|im_end|>', 'Thank you.<|im_end|>'],
    ]);
    expect(learned(['user', 'assistant'])[0]).toEqual(['What is 2 + 3?<|im_end|>', 'It is 5.<|im_end|>']);
  });

  it('gives prompt tokens weight 0 in a batch of rows of different lengths', () => {
    const { mask } = encodeRows(examples(['assistant']), { tokenizer, context: 1024 });
    const { values } = averagingWeights(mask, new Float64Array(3).fill(1), 'token', { maxTokens: 8 });
    values.forEach((weight, t) => {
      expect(weight > 0).toBe(mask.values[t] === 1);
    });
    expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 6);
  });
});

/** The rows of a dataset's file, as the engine reads them. */
const lines = async (path: string): Promise<Demonstration[]> => {
  const rows: Demonstration[] = [];
  for await (const event of readDataset(path))
    if (event.state === 'reading')
      rows.push(
        ...event.rows.map(({ promptId, prompt, answer, reference, correct, messages, line }) => ({
          promptId,
          prompt,
          answer,
          reference,
          correct,
          messages,
          where: `chats.jsonl:${line}`,
        })),
      );
  return rows;
};

test('conversations that start with the same question are all in training or all held out, together with the bare question', async () => {
  const path = join(temporaryFolder(), 'chats.jsonl');
  const questions = Array.from({ length: 40 }, (_, i) => `What is ${i} + 1?`);
  const turns = (question: string, count: number): Message[] => [
    { role: 'user', content: question },
    { role: 'assistant', content: 'It is.' },
    ...Array.from({ length: count }, (_, i) => [
      { role: 'user' as const, content: `And ${i}?` },
      { role: 'assistant' as const, content: 'Yes.' },
    ]).flat(),
  ];
  const chats = questions.flatMap((question) => [
    turns(question, 0),
    [{ role: 'system' as const, content: 'Be brief.' }, ...turns(question, 1)],
    turns(question, 2),
  ]);
  writeFileSync(path, chats.map((messages) => JSON.stringify({ messages })).join('\n'));
  writeFileSync(`${path}.rows`, (await lines(path)).map((row) => JSON.stringify(row)).join('\n'));
  const spec = checkSpec({
    method: { id: 'sft' },
    task: { kind: 'dataset', datasetId: 'd', heldout: 0.4 },
    models: { policy: { kind: 'model', modelId: 'm' } },
  });
  const { examples, problems, heldout } = await loadTaskData(
    spec,
    { checkpoints: {}, datasets: { d: `${path}.rows` }, preferences: {} },
    fromDemonstrations,
  );
  const questionsIn = (rows: readonly Example[]) =>
    rows.map(({ conversation }) => conversation!.messages.find(({ role }) => role === 'user')!.content);
  const trained = questionsIn(Array.from({ length: examples!.size }, (_, draw) => examples!.at(draw)));
  const kept = questionsIn(heldout.examples);
  expect([trained.length + kept.length, trained.length / 3, kept.length / 3]).toEqual([
    120,
    new Set(trained).size,
    new Set(kept).size,
  ]);
  expect(new Set([...trained, ...kept]).size).toBe(40);
  expect(new Set(kept)).toEqual(
    new Set(questions.filter((question) => splitOf(promptIdOf(question), 0.4) === 'heldout')),
  );
  expect(problems!.size).toBe(trained.length);
});

describe('supervised fine-tuning on conversations', () => {
  const run = async (
    folder: string,
    {
      roles,
      tokenizer: spoken = 'qwen2',
      template,
    }: { roles?: Role[]; tokenizer?: string; template?: string } = {},
  ) => {
    const model = writeModelFolder(join(folder, 'model'), {
      settings: { vocab_size: 430, max_position_embeddings: 256 },
      tokenizer: spoken,
    });
    if (template !== undefined) writeFileSync(join(model, 'chat_template.jinja'), template);
    const demonstrations = join(folder, 'demonstrations.jsonl');
    writeFileSync(demonstrations, (await lines(file)).map((row) => JSON.stringify(row)).join('\n'));
    const spec = checkSpec({
      method: { id: 'sft' },
      task: { kind: 'dataset', datasetId: 'd', heldout: 0, ...(roles && { roles }) },
      models: { policy: { kind: 'model', modelId: 'm' } },
      budget: { steps: 40, batch: 3 },
      optimizer: { learningRate: 3e-3, schedule: 'constant', warmup: 0 },
      evaluation: { problems: 0 },
    });
    const { seen, events } = recorder();
    await runToEnd(
      {
        runId: 'r',
        attempt: 1,
        spec,
        resources: { checkpoints: { m: model }, datasets: { d: demonstrations }, preferences: {} },
        outDir: join(folder, 'run'),
      },
      events,
      new AbortController().signal,
      device,
    );
    return seen;
  };
  const failed = (options: Parameters<typeof run>[1]) => rejected(run(temporaryFolder(), options));

  it('learns them', async () => {
    const seen = await run(temporaryFolder());
    const losses = seen.flatMap((event) =>
      event.type === 'metrics' && 'loss' in event.values ? [event.values.loss] : [],
    );
    expect(losses.at(-1)!).toBeLessThan(losses[0] / 3);
    expect(found(seen, 'loss')).toBe(losses.at(-1));
  });

  it('reports the file and line if the model’s template fails, if it has none, or if there is nothing to train on', async () => {
    expect(await failed({ tokenizer: 'gpt2' })).toMatchObject({
      kind: 'unsupported',
      where: expect.stringMatching(/^chats\.jsonl:\d, messages$/) as string,
      message: expect.stringContaining('no chat template') as string,
    });
    const strict =
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system turns') }}{% endif %}{% for m " +
      'in messages %}[{{ m.role }}]{{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt ' +
      '%}[assistant]{% endif %}';
    expect(await failed({ template: strict })).toMatchObject({
      kind: 'invalid-input',
      where: 'chats.jsonl:2, messages',
      message: expect.stringContaining('no system turns') as string,
    });
    expect(await failed({ roles: ['tool'] })).toMatchObject({
      kind: 'invalid-input',
      where: expect.stringMatching(/, messages$/) as string,
      hint: expect.stringContaining('task.roles') as string,
    });
  });
});
