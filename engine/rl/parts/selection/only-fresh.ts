import { stage } from '../../kernel/stage.ts';

/** Takes the weight from rows that are not fresh, so that only terms that ask for them count them. */
export const weighFresh = stage({
  id: 'weighFresh',
  station: 'selection',
  needs: ['weight', 'row/fresh'],
  adds: ['weight'],
  run: async ({ weight, 'row/fresh': fresh }) => ({
    columns: { weight: weight.map((w, r) => w * fresh[r]) },
  }),
});
