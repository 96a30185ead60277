import { WhetstoneError } from '../../engine/common/errors.ts';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly hint?: string;
  readonly bad: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** Short notices. Errors stay until closed; others disappear by themselves. */
class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private nextId = 1;

  info(text: string, action?: Toast['action']): void {
    this.add({ text, bad: false, action }, action ? 12_000 : 5_000);
  }

  error(thrown: unknown): void {
    const error = WhetstoneError.from(thrown);
    this.add(
      {
        text: error.where ? `${error.message} (${error.where})` : error.message,
        hint: error.hint,
        bad: true,
      },
      null,
    );
  }

  close(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  private add(toast: Omit<Toast, 'id'>, leavesAfter: number | null): void {
    if (this.list.some(({ text }) => text === toast.text)) return;
    const id = this.nextId++;
    this.list = [...this.list.slice(-3), { ...toast, id }];
    if (leavesAfter !== null) setTimeout(() => this.close(id), leavesAfter);
  }
}

export const toasts = new Toasts();
