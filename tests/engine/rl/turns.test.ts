import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { calls } from '../../../engine/process/calls.ts';
import { writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { createModel } from '../../../engine/models/model.ts';
import { configOf } from '../../../engine/models/config.ts';
import { writeAnswers } from '../../../engine/rl/compute/answers.ts';
import { rowOf } from '../../../engine/rl/kernel/rows.ts';
import { tryPrompt } from '../../../engine/rl/tools/try-prompt.ts';
import { encodePrompts } from '../../../engine/rl/tasks/encoding.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { encodeExample, maskOf } from '../../../engine/text/spans.ts';
import { makeTokenizer } from '../../../engine/text/load.ts';
import { splitTranscript } from '../../../engine/common/transcript.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { found, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const world = openWorldById('toy/turns');
const tokenizer = makeTokenizer({ kind: 'characters' }, [world.alphabet], [world.alphabet]);
const model = createModel(
  configOf(
    { family: 'gpt2', width: 32, layers: 1, heads: 2, context: 48 },
    tokenizer.vocabulary,
    'next-token',
  ),
  3,
);
const problem = Array.from({ length: 24 }, (_, i) => world.problem('train', i, 1));
const written = (maxTokens: number, rows = problem) =>
  writeAnswers(
    encodePrompts(rows, { tokenizer, context: 48, maxTokens }),
    rows,
    rows.map((_, i) => i % 2),
    {
      device,
      model,
      tokenizer,
      temperature: 1,
      maxTokens,
      seed: 7,
      purpose: 'test',
      step: 0,
      turns: world.turns,
    },
  );

describe('answers in several turns', () => {
  test('have mask 1 on the model’s tokens, and 0 on those of the world and the prompt', async () => {
    const { tokens, mask, behaviorLogp, completion, ended } = await written(40);
    let replies = 0;
    problem.forEach(({ prompt }, r) => {
      const [row, own, logp] = [rowOf(tokens, r), rowOf(mask, r), rowOf(behaviorLogp, r)];
      const read = Array.from(row).filter((_, t) => !own[t]);
      const generated = Array.from(row).filter((_, t) => own[t]);
      const transcript = splitTranscript(completion[r]);
      expect(tokenizer.decode(Int32Array.from(read))).toBe(
        prompt + transcript.replies.map((reply) => `⟦${reply}⟧`).join(''),
      );
      // a truncated last turn has no end token; a complete one may have no room for a reply
      const ends = generated.filter((token) => token === tokenizer.end).length;
      expect(ends).toBeGreaterThanOrEqual(transcript.turns.length - (ended[r] ? 0 : 1));
      expect(ends).toBeLessThanOrEqual(transcript.turns.length);
      expect(Array.from(logp).every((value, t) => (own[t] ? value < 0 : value === 0))).toBe(true);
      replies += transcript.replies.length;
    });
    expect(replies).toBeGreaterThan(5);
  });

  test(
    'are played when a user tries a prompt on a world: replies follow the model’s turns, and the ' +
      'verifier scores the transcript',
    async () => {
      const { path } = await writeCheckpoint(join(temporaryFolder(), 'turns'), {
        model,
        tokenizer,
        state: {},
        optimizer: {},
      });
      const tried = await Promise.all(
        problem.slice(0, 8).map(({ prompt }, seed) =>
          tryPrompt(device, {
            folder: path,
            hash: 'h',
            prompt,
            temperature: 1,
            maxTokens: 40,
            seed,
            world: { id: 'toy/turns', params: {} },
          }),
        ),
      );
      let replies = 0;
      tried.forEach(({ tokens, verdict }, r) => {
        const transcript = tokens.map(({ by, text }) => (by === 'world' ? `⟦${text}⟧` : text)).join('');
        const { correct, reward, reason } = world.verify(problem[r].prompt, transcript);
        expect(verdict).toEqual({ correct, reward, reason });
        expect(tokens.every(({ by, logp }) => (by === 'world' ? logp === 0 : logp < 0))).toBe(true);
        replies += tokens.filter(({ by }) => by === 'world').length;
      });
      expect(replies).toBeGreaterThan(1);
      const answers = await calls.generate({
        checkpoint: path,
        prompts: problem.map(({ prompt }) => prompt),
        samples: 1,
        temperature: 1,
        maxTokens: 40,
        seed: 1,
        world: { id: 'toy/turns', params: {} },
      });
      expect(answers.some(({ completion }) => splitTranscript(completion).replies.length > 0)).toBe(true);
      answers.forEach(({ prompt, completion, verdict }) =>
        expect(verdict?.correct).toBe(world.verify(prompt, completion).correct),
      );
      await expect(
        tryPrompt(device, {
          folder: path,
          hash: 'h',
          prompt: 'x',
          temperature: 1,
          maxTokens: 4,
          seed: 0,
          world: { id: 'nowhere', params: {} },
        }),
      ).rejects.toMatchObject({ kind: 'not-found' });
    },
  );

  test('are reproducible, independent of the other rows of the batch', async () => {
    const [all, some] = [await written(40), await written(40, problem.slice(0, 4))];
    expect(await written(40)).toEqual(all);
    expect(some.completion).toEqual(all.completion.slice(0, 4));
    expect(rowOf(some.behaviorLogp, 3)).toEqual(rowOf(all.behaviorLogp, 3));
  });

  test('keep to the maximum length, including replies; a truncated transcript has not ended', async () => {
    for (const maxTokens of [1, 3, 6, 9]) {
      const { tokens, completion, ended } = await written(maxTokens);
      problem.forEach(({ prompt }, r) => {
        expect(rowOf(tokens, r).length).toBeLessThanOrEqual(prompt.length + 1 + maxTokens);
        if (ended[r]) expect(splitTranscript(completion[r]).turns).toHaveLength(2);
      });
    }
  });

  test('are verified by replaying the transcript', async () => {
    const { completion } = await written(40);
    problem.forEach(({ prompt }, r) => {
      expect(world.verify(prompt, completion[r])).toEqual(world.verify(prompt, completion[r]));
      if (splitTranscript(completion[r]).turns.length === 2)
        expect(world.verify(prompt, completion[r]).reason).not.toBe('not two turns of this world');
    });
  });
});

describe('demonstrations in several turns', () => {
  test('have the tokens of a sampled transcript, with mask 0 on the world’s replies', () => {
    const { tokens, spans } = encodeExample(tokenizer, 'abc>', 'a⟦b⟧b');
    const [a, b, c, to, open, close] = [...'abc>⟦⟧'].map((letter) => tokenizer.encode(letter)[0]);
    expect(Array.from(tokens)).toEqual([
      tokenizer.begin,
      a,
      b,
      c,
      to,
      a,
      tokenizer.end,
      open,
      b,
      close,
      b,
      tokenizer.end,
    ]);
    expect(Array.from(maskOf(spans, tokens.length))).toEqual([0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1]);
  });

  test('without replies are ordinary answers', () => {
    const { tokens, spans, promptLength } = encodeExample(tokenizer, 'abc>', 'ab');
    expect(spans).toEqual([
      [0, promptLength, 'prompt', false],
      [promptLength, tokens.length, 'answer', true],
    ]);
  });
});

describe('runs on a world with turns', () => {
  const spec = (method: string, steps: number) =>
    checkSpec({
      method: { id: method },
      models: toyModel,
      task: { kind: 'world', id: 'toy/turns', params: { wrong: 0 } },
      optimizer: { learningRate: 5e-3, schedule: 'constant' },
      budget: { steps, batch: 16 },
      sampling: { maxTokens: 9 },
      evaluation: { problems: 30, samples: 4 },
      seed: 2,
    });

  test('GRPO learns to use the replies', async () => {
    const seen = await runToy(device, spec('grpo', 120));
    expect(found(seen, 'eval/pass_at_1')).toBeGreaterThan(0.8);
    const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    const talked = rows.filter(({ spans }) => spans !== undefined);
    expect(talked.length).toBeGreaterThan(100);
    for (const { spans = [], tokens, completion } of talked) {
      expect(spans.at(-1)?.[1]).toBe(tokens.length);
      expect(spans.filter(([, , role]) => role === 'world')).toHaveLength(
        splitTranscript(completion).replies.length,
      );
      for (const [, , role, trainable] of spans) expect(trainable).toBe(role === 'answer');
    }
  });

  test('SFT learns from transcripts, and the sampler generates them', async () => {
    expect(found(await runToy(device, spec('sft', 150)), 'eval/pass_at_1')).toBeGreaterThan(0.8);
    const rows = (await runToy(device, spec('sample', 1))).flatMap((event) =>
      event.type === 'trajectories' ? event.rows : [],
    );
    expect(rows.some(({ completion }) => splitTranscript(completion).replies.length > 0)).toBe(true);
  });
});
