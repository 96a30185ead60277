import type { Handlers } from '../../preload/contract/define.ts';
import type { gallery } from '../../preload/contract/gallery.ts';
import type { Services } from '../services/services.ts';
import { galleryOf } from '../use-cases/gallery.ts';

export const galleryHandlers = (services: Pick<Services, 'store'>): Handlers<typeof gallery> => ({
  of: (input) => galleryOf(services, input),
});
