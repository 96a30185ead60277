import { SvelteMap } from 'svelte/reactivity';

/**
 * User interface state that outlives the page: theme, panes, filters. Loaded from the services once, written
 * after a short delay.
 */
class Settings {
  private readonly values = new SvelteMap<string, unknown>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private write: (key: string, value: unknown) => void = () => undefined;

  load(values: Readonly<Record<string, unknown>>, write: (key: string, value: unknown) => void): void {
    for (const [key, value] of Object.entries(values)) this.values.set(key, value);
    this.write = write;
  }

  get<T>(key: string, otherwise: T): T {
    return this.values.has(key) ? (this.values.get(key) as T) : otherwise;
  }

  set(key: string, value: unknown): void {
    this.values.set(key, value);
    clearTimeout(this.timers.get(key));
    this.timers.set(
      key,
      setTimeout(() => this.write(key, value), 250),
    );
  }
}

export const settings = new Settings();

export type ThemeChoice = 'system' | 'light' | 'dark';

/** Puts the chosen theme and reading size on the document; follows the system while `system` is chosen. */
export class Theme {
  private readonly systemDark = matchMedia('(prefers-color-scheme: dark)');
  private dark = $state(this.systemDark.matches);
  choice = $derived(settings.get<ThemeChoice>('theme', 'system'));
  shown = $derived<'light' | 'dark'>(this.choice === 'system' ? (this.dark ? 'dark' : 'light') : this.choice);
  readingSize = $derived(settings.get<number>('reading-size', 15));

  start(): () => void {
    const follow = () => {
      this.dark = this.systemDark.matches;
    };
    this.systemDark.addEventListener('change', follow);
    return () => this.systemDark.removeEventListener('change', follow);
  }
  choose(choice: ThemeChoice): void {
    settings.set('theme', choice);
  }
}

let shared: Theme | null = null;
export const theme = (): Theme => (shared ??= new Theme());
