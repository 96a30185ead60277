import { foundInAtlas, type Atlas } from '../features/methods/atlas.ts';
import { ToyState } from '../features/methods/toy.svelte.ts';
import { WorldState } from '../features/methods/world.svelte.ts';
import type { Method, TaskKind } from '../lib/methods.ts';
import { session } from '../lib/session.svelte.ts';
import { settings } from '../lib/settings.svelte.ts';

/** State of the registry: registered methods and worlds, and the one in view. */
export class MethodsState {
  methods = $state.raw<Method[]>([]);
  taskKinds = $state.raw<TaskKind[]>([]);
  atlas = $state.raw<Atlas | null>(null);
  found = $derived(
    foundInAtlas(this, this.atlas?.worlds ?? [], {
      query: settings.get('atlas.search', ''),
      task: settings.get('atlas.task', ''),
      makes: settings.get('atlas.makes', ''),
    }),
  );
  private readonly toys: Record<string, ToyState | undefined> = {};
  private readonly worlds: Record<string, WorldState | undefined> = {};

  async load(): Promise<void> {
    const { client } = session;
    await session.attempt(async () => {
      const [atlas, catalogue] = await Promise.all([client.methods.atlas({}), client.runs.catalogue({})]);
      this.methods = catalogue.methods;
      this.taskKinds = catalogue.taskKinds;
      this.atlas = atlas;
    });
  }

  /** Toy runs by method, so that one continues while another method is in view. */
  toyOf(id: string): ToyState {
    return (this.toys[id] ??= new ToyState(id, session.client.methods));
  }

  worldOf(id: string): WorldState {
    return (this.worlds[id] ??= new WorldState(id, session.client.methods));
  }

  /** Stops all running toy runs. */
  leave(): void {
    for (const toy of Object.values(this.toys)) toy?.stop();
  }
}
