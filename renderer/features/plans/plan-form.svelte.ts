import type { ErrorFacts } from '../../../engine/common/errors.ts';
import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { PlanPreview } from '../../../preload/contract/plans.ts';
import { Paced } from '../../lib/paced.ts';

type Calls = Pick<WhetstoneClient['plans'], 'preview' | 'launch' | 'presets'>;
type Preset = Awaited<ReturnType<Calls['presets']>>[number];

/** A plan's file while it is edited: its text, and its nodes or what is wrong with it. */
export class PlanForm {
  text = $state('');
  /** The id of the plan that ships and was chosen; empty without one, and after an edit. */
  chosen = $state('');
  isBusy = $state(false);
  preview = $state.raw<PlanPreview | null>(null);
  error = $state.raw<ErrorFacts | null>(null);
  presets = $state.raw<readonly Preset[]>([]);
  private readonly calls: Calls;
  private readonly checking = new Paced(() => this.check());

  constructor(calls: Calls) {
    this.calls = calls;
  }

  /** Reads the plans that ship, and opens one of them. */
  async start(preset: string | undefined): Promise<void> {
    this.presets = await this.calls.presets({});
    const found = this.presets.find(({ id }) => id === preset);
    if (found) this.choose(found.id);
  }

  edit(text: string): void {
    this.text = text;
    this.chosen = '';
    this.preview = null;
    this.checking.ask();
  }

  /** Opens a plan that ships, or an empty file. */
  choose(preset: string): void {
    const found = this.presets.find(({ id }) => id === preset);
    this.edit(found ? `${JSON.stringify(found.plan, null, 2)}\n` : '');
    this.chosen = found?.id ?? '';
  }

  async open(file: File): Promise<void> {
    this.edit(await file.text());
  }

  stop(): void {
    this.checking.stop();
  }

  /** Launches it, or continues the plan of the same file; the id of the plan, or null if it is refused or busy. */
  async launch(): Promise<string | null> {
    if (this.isBusy) return null;
    this.isBusy = true;
    try {
      return (await this.calls.launch({ plan: JSON.parse(this.text) as unknown })).id;
    } catch (error) {
      this.error = factsOf(error);
      return null;
    } finally {
      this.isBusy = false;
    }
  }

  private async check(): Promise<void> {
    const { text } = this;
    if (text.trim() === '') {
      this.error = null;
      return;
    }
    try {
      const preview = await this.calls.preview({ plan: JSON.parse(text) as unknown });
      if (text !== this.text) return;
      this.preview = preview;
      this.error = null;
    } catch (error) {
      if (text === this.text) this.error = factsOf(error);
    }
  }
}

const factsOf = (error: unknown): ErrorFacts =>
  error instanceof SyntaxError
    ? { kind: 'invalid-input', message: `The text is not JSON: ${error.message}` }
    : (error as ErrorFacts);
