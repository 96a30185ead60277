import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { root } from '../run/check.ts';
import { violationsOn } from './accessibility.ts';

/** The answer of `run --json`. */
interface Trained {
  readonly run: { readonly id: string };
  readonly checkpoints: readonly { readonly id: string }[];
}

/** What a shorter copy of a plan changes. */
interface PlanSpec {
  readonly nodes: readonly {
    readonly spec?: { readonly budget?: { readonly steps?: number } };
  }[];
}

/** A temporary folder for settings and workspaces, with services that can be killed and started again. */
export class Workbench {
  readonly folder = mkdtempSync(join(tmpdir(), 'whetstone-app-'));
  /** The user's home, below which workspaces are offered. */
  readonly home = join(this.folder, 'home');
  url = '';
  private child: ChildProcess | null = null;
  private errorOutput = '';

  /** Starts the services from the bundle. */
  start(...options: string[]): Promise<void> {
    return this.startFrom('dist/main/cli.js', ...options);
  }

  /** Starts them from this entry: the sources also build the page where it is out of date. */
  async startFrom(entry: 'dist/main/cli.js' | 'main/cli.ts', ...options: string[]): Promise<void> {
    const child = spawn(process.execPath, [entry, 'serve', ...options], {
      cwd: root,
      env: {
        ...process.env,
        WHETSTONE_CONFIG_DIR: join(this.folder, 'config'),
        HOME: this.home,
        USERPROFILE: this.home,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child = child;
    child.stderr.on('data', (data: Buffer) => {
      this.errorOutput += data.toString();
    });
    this.url = await new Promise<string>((resolve, reject) => {
      let out = '';
      child.stdout.on('data', (data: Buffer) => {
        out += data.toString();
        if (out.includes('\n')) resolve(out.split('\n', 1)[0].trim());
      });
      child.once('exit', (code) => reject(new Error(`the services ended with ${code}: ${this.errorOutput}`)));
    });
  }

  /** Runs one command of the command line in the workspace `first`; returns its standard output. */
  command(...args: string[]): Promise<string> {
    return this.run(...args, '--workspace', join(this.folder, 'first'));
  }

  /** The value that a command prints with --json, in the workspace `first`. */
  async answer<T>(...args: string[]): Promise<T> {
    const output = await this.command(...args, '--json');
    return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as T;
  }

  /** Runs a specification, whatever its preflight says; returns the ids of the run and of its first checkpoint. */
  async trained(spec: RunSpecInput): Promise<{ readonly runId: string; readonly checkpointId: string }> {
    const { run, checkpoints } = await this.answer<Trained>('run', this.written(spec), '--anyway');
    return { runId: run.id, checkpointId: checkpoints[0].id };
  }

  /**
   * Opens the page on a workspace with one short run, so that Home shows its samples behind what is there.
   */
  async startWithRun(): Promise<void> {
    await this.trained({
      name: 'earlier',
      method: { id: 'sft' },
      task: { kind: 'world', id: 'toy/copy' },
      models: {
        policy: {
          kind: 'new',
          architecture: { width: 16, layers: 1, heads: 2, context: 32 },
          tokenizer: { kind: 'characters' },
        },
      },
      budget: { steps: 2, batch: 4 },
      sampling: { maxTokens: 6 },
      evaluation: { problems: 2, samples: 1 },
    });
    await this.start('--workspace', join(this.folder, 'first'));
  }

  /**
   * Opens the page on a workspace in which a plan that ships has ended, with this share of the steps of its
   * runs; returns the address of the plan. What is looked at needs no model as good as the sample's.
   */
  async startWithPlan(id: string, share: number): Promise<string> {
    const path = join(this.folder, 'plan.json');
    const { nodes, ...plan } = JSON.parse(await this.run('plans', 'preset', id)) as PlanSpec;
    const shorter = (node: PlanSpec['nodes'][number]) => {
      const { spec } = node;
      const steps = spec?.budget?.steps ?? 0;
      // few steps are rounds of a search
      if (steps < 50) return node;
      return { ...node, spec: { ...spec, budget: { ...spec?.budget, steps: Math.ceil(steps * share) } } };
    };
    writeFileSync(path, JSON.stringify({ ...plan, nodes: nodes.map(shorter) }));
    const ended = await this.answer<{ readonly id: string }>('plan', path);
    await this.start('--workspace', join(this.folder, 'first'));
    return `#/runs/plans/${ended.id}`;
  }

  /** Opens a sample from Home, which leads to the page of its plan. */
  async openSample(page: Page, title: string): Promise<void> {
    await this.open(page, '#/');
    await page.getByRole('button', { name: `Open “${title}”` }).click();
    await expect(page).toHaveURL(/#\/runs\/plans\/[\w-]{8,}/);
  }

  /** Runs a specification once for each value of each field of `vary`; returns the ids of all runs. */
  async varied(spec: RunSpecInput, ...vary: string[]): Promise<string[]> {
    const path = this.written(spec);
    for (const values of vary) await this.command('run', path, '--vary', values);
    return (await this.answer<{ id: string }[]>('runs')).map(({ id }) => id);
  }

  /** Fills the workspace `first` by a program of tests/support; returns the value that it prints as JSON. */
  async planted<T>(program: string): Promise<T> {
    return JSON.parse(await this.node(program, join(this.folder, 'first'))) as T;
  }

  /** Opens an address of the app, as a link in a new tab does. */
  async open(page: Page, address: string): Promise<void> {
    await page.goto(this.url);
    await expect(page.getByText('Engine idle')).toBeVisible();
    await page.evaluate((hash) => {
      location.hash = hash;
    }, address);
  }

  private written(spec: RunSpecInput): string {
    const path = join(this.folder, 'spec.json');
    writeFileSync(path, JSON.stringify(spec));
    return path;
  }

  /** Runs one command of the command line; returns its standard output. */
  run(...args: string[]): Promise<string> {
    return this.node('dist/main/cli.js', ...args);
  }

  private async node(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, WHETSTONE_CONFIG_DIR: join(this.folder, 'config') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, errors] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors}${out}`);
    return out;
  }

  /** Ends the services and everything that they started; SIGKILL leaves them no time to save. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child?.pid || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until Home shows what the workspace holds: workspaces open there. */
export const atHome = (page: Page): Promise<void> =>
  expect(page.getByRole('heading', { name: 'Next step' })).toBeVisible();

/** Opens Datasets by the rail and previews a file by its path. */
export async function previewPath(page: Page, path: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: 'Datasets', exact: true })
    .click();
  await page.getByLabel('Path', { exact: true }).fill(path);
  await page.getByLabel('Path', { exact: true }).press('Enter');
}

/** Imports a file by its path: reads the preview and confirms it. */
export async function importPath(page: Page, path: string): Promise<void> {
  await previewPath(page, path);
  await page.getByRole('button', { name: /^Import (the )?\d/ }).click();
}

/** Shows every field of the launch form; it stays so for the next form. */
export async function openAdvanced(page: Page): Promise<void> {
  const fold = page.locator('details.advanced');
  await fold.waitFor();
  if ((await fold.getAttribute('open')) === null)
    await fold.locator('> summary').filter({ hasText: 'Advanced' }).click();
}

/** The entry of a run in the list of runs. */
export const runLink = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: new RegExp(`^${name}\\b`) });

/** Presses a verdict key once the pair on the screen is painted. */
export async function decide(page: Page, key: string): Promise<void> {
  await expect(page.getByRole('region', { name: 'Prompt' })).toBeVisible();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
  await page.keyboard.press(key);
}

/** Records what must never happen on a page; check `complaints` at the end. */
export async function watch(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`page error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    // a driver without a GPU remarks on its own speed
    const isOfDriver = message.text().includes('GL Driver Message');
    if ((message.type() === 'error' || message.type() === 'warning') && !isOfDriver)
      complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) =>
    complaints.push(`content security policy: ${text}`),
  );
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) => {
      (window as unknown as { reportViolation(text: string): void }).reportViolation(
        `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`,
      );
    }),
  );
  return complaints;
}

/**
 * Checks the current view in light and dark for WCAG A and AA with axe. With WHETSTONE_SHOTS, saves a
 * screenshot of each.
 */
export async function look(page: Page, name: string): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', scheme);
    await lookAtPage(page, name, scheme);
  }
}

/** Looks at the view in windows of a small and a common size. */
export async function lookAtSizes(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [1000, 700],
    [1280, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await look(page, `${name}-${width}`);
  }
}

/** Does the same for a page that is not the app's, in both colour schemes. */
export async function lookAtFile(page: Page, name: string): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await lookAtPage(page, name, scheme);
  }
}

async function lookAtPage(page: Page, name: string, scheme: 'dark' | 'light'): Promise<void> {
  const found = await violationsOn(page, scheme === 'dark' ? 'all' : 'colours');
  expect(found, `${name}, ${scheme}`).toEqual([]);
  if (process.env.WHETSTONE_SHOTS)
    await page.screenshot({ path: join(process.env.WHETSTONE_SHOTS, `${name}-${scheme}.png`) });
}
