import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import { PlanDraft } from './plan-draft.svelte.ts';

type Calls = Pick<WhetstoneClient['plans'], 'preview' | 'launch' | 'presets'>;
type Preset = Awaited<ReturnType<Calls['presets']>>[number];

/** A plan's file while it is edited. */
export class PlanForm extends PlanDraft {
  text = $state('');
  /** The id of the plan that ships and was chosen; empty without one, and after an edit. */
  chosen = $state('');
  presets = $state.raw<readonly Preset[]>([]);
  private readonly calls: Calls;

  constructor(calls: Calls) {
    super(calls);
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
    this.changed();
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

  file(): unknown {
    return this.text.trim() === '' ? undefined : (JSON.parse(this.text) as unknown);
  }
}
