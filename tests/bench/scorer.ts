/** The live scorer: from an edit of an answer to its score, through the services and the engine process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quantile } from '../../engine/evaluate/index.ts';
import { openServices } from '../../main/headless/open.ts';
import { Config } from '../../main/services/config.ts';
import { processor, rounded, say } from './figures.ts';
import { sizes, type Config as Size } from './sizes.ts';

export interface ScorerFigures {
  readonly config: Size;
  readonly edits: number;
  /** The first score, which opens the model. */
  readonly firstMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Credit of all characters of the longest answer, with deletions. */
  readonly insideMs: number;
}

const EDITS = 200;

/** Scores growing answers one after the other, as they are typed, with a reward model of a size. */
export async function measureScorer(config: Size): Promise<ScorerFigures> {
  const { width, layers, heads, context } = sizes[config];
  const folder = await mkdtemp(join(tmpdir(), 'whetstone-scorer-'));
  const { api, waitForRun, close } = await openServices({
    workspacePath: join(folder, 'workspace'),
    create: true,
    config: new Config(join(folder, 'config')),
  });
  try {
    const { runId } = await api.runs.launch({
      spec: {
        method: { id: 'bradley-terry', params: { trunk: 'trained' } },
        task: { kind: 'world', id: 'toy/pairs' },
        models: {
          policy: {
            kind: 'new',
            architecture: { width, layers, heads, context },
            tokenizer: { kind: 'characters' },
          },
        },
        budget: { steps: 1, batch: 2 },
        evaluation: { problems: 2 },
      },
    });
    await waitForRun(runId);
    const from = { kind: 'run', id: runId } as const;
    const prompt = 'abc?';
    const longest = Math.min(32, context - prompt.length - 2);
    const answer = (length: number): string => 'abc'.repeat(longest).slice(0, length);
    const times: number[] = [];
    for (let edit = 0; edit <= EDITS; edit++) {
      const start = performance.now();
      await api.rewards.score({ from, items: [{ prompt, completion: answer(1 + (edit % longest)) }] });
      times.push(performance.now() - start);
    }
    const start = performance.now();
    await api.inside.answer({ from, prompt, completion: answer(longest), unit: 'tokens' });
    const insideMs = performance.now() - start;
    const [firstMs, ...later] = times;
    const figures: ScorerFigures = {
      config,
      edits: EDITS,
      firstMs: rounded(firstMs),
      medianMs: rounded(quantile(later, 0.5)),
      p95Ms: rounded(quantile(later, 0.95)),
      insideMs: rounded(insideMs),
    };
    say(
      `${processor()}; ${config}: a score after ${figures.medianMs} ms (median of ${EDITS} edits), ` +
        `${figures.p95Ms} ms (95th percentile), the first ${figures.firstMs} ms; credit of ${longest} characters ` +
        `after ${figures.insideMs} ms`,
    );
    return figures;
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}
