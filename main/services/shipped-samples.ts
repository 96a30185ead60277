import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Workspace } from '../../preload/contract/workspaces.ts';
import { storeError } from '../store/database.ts';
import { uuid } from '../store/uuid.ts';

const isWorkspace = (folder: string): boolean => existsSync(join(folder, 'workspace.db'));

/** The workspace of finished samples that ships, and the user's own copy of it. */
export class ShippedSamples {
  private readonly shipped: string | null;
  private readonly own: string;
  private copying: Promise<void> | null = null;

  /** `shipped`: the folder that ships; there is none in a checkout that has not made it. */
  constructor(shipped: string | null, own = join(homedir(), 'Whetstone', 'samples')) {
    this.shipped = shipped;
    this.own = own;
  }

  /** Where the user's copy is or will be; null if no samples ship and there is no copy. */
  get path(): string | null {
    return isWorkspace(this.own) || (this.shipped !== null && isWorkspace(this.shipped)) ? this.own : null;
  }

  /**
   * Opens the user's copy, which is made first if it is missing. Throws `not-found` without samples, and the
   * errors of opening a workspace.
   */
  async open(services: { openWorkspace(path: string): Promise<Workspace> }): Promise<Workspace> {
    if (!isWorkspace(this.own) && this.path !== null) {
      // two clicks make one copy
      this.copying ??= this.copy(this.shipped ?? '').finally(() => {
        this.copying = null;
      });
      await this.copying;
    }
    return await services.openWorkspace(this.own);
  }

  /** Whole or not at all. */
  private async copy(from: string): Promise<void> {
    const partial = `${this.own}-${uuid()}`;
    try {
      await mkdir(dirname(this.own), { recursive: true });
      await cp(from, partial, { recursive: true, errorOnExist: true, force: false });
      await rename(partial, this.own);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      // another window of the product may have been faster
      if (!isWorkspace(this.own)) throw storeError(error, this.own);
    }
  }
}
