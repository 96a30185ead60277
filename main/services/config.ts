import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { storeError } from '../store/database.ts';
import { fileMode, folderMode, makePrivate } from '../store/private.ts';
import { uuid } from '../store/uuid.ts';

interface Recent {
  readonly path: string;
  readonly name: string;
  readonly openedAt: number;
}
interface Stored {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly recent: readonly Recent[];
}

const mostRecent = 20;

/** The folder of the user's settings: WHETSTONE_CONFIG_DIR, or the platform's default. */
export function configFolder(): string {
  const { WHETSTONE_CONFIG_DIR: own, APPDATA, XDG_CONFIG_HOME } = process.env;
  if (own) return own;
  if (process.platform === 'win32')
    return join(APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Whetstone');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Whetstone');
  return join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'whetstone');
}

/** Settings and the list of recent workspaces: one JSON file per user, replaced atomically. */
export class Config {
  #path: string;
  #folder: string;

  constructor(folder = configFolder()) {
    this.#folder = folder;
    this.#path = join(folder, 'config.json');
  }

  get settings(): Readonly<Record<string, unknown>> {
    return this.#read().settings;
  }

  set(key: string, value: unknown): void {
    const now = this.#read();
    this.#write({ ...now, settings: { ...now.settings, [key]: value } });
  }

  /** Newest first. */
  get recent(): readonly Recent[] {
    return this.#read().recent;
  }

  /** Moves a workspace to the head of the list. */
  opened(path: string, name: string): void {
    const now = this.#read();
    this.#write({
      ...now,
      recent: [{ path, name, openedAt: Date.now() }, ...now.recent.filter((r) => r.path !== path)].slice(
        0,
        mostRecent,
      ),
    });
  }

  /**
   * Removes other users' access left by an earlier version; changes the folder only if it holds nothing
   * else, since a user may have chosen any.
   */
  #close(): void {
    const isOurs = (name: string): boolean => name.startsWith('config.json');
    if (readdirSync(this.#folder).every(isOurs)) makePrivate(this.#folder, isOurs);
  }

  #read(): Stored {
    if (!existsSync(this.#path)) return { settings: {}, recent: [] };
    try {
      const { settings = {}, recent = [] } = JSON.parse(readFileSync(this.#path, 'utf8')) as Partial<Stored>;
      return { settings, recent };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw storeError(error, this.#path);
      // a broken settings file must not block the user: it is set aside, and reported
      renameSync(this.#path, `${this.#path}.broken-${Date.now()}`);
      console.error(`The settings file could not be read and was set aside: ${this.#path}`);
      return { settings: {}, recent: [] };
    }
  }

  #write(value: Stored): void {
    try {
      mkdirSync(dirname(this.#folder), { recursive: true });
      mkdirSync(this.#folder, { recursive: true, mode: folderMode });
      const written = `${this.#path}-${uuid()}`;
      writeFileSync(written, JSON.stringify(value, null, 2), { mode: fileMode });
      renameSync(written, this.#path);
      this.#close();
    } catch (error) {
      throw storeError(error, this.#path);
    }
  }
}
