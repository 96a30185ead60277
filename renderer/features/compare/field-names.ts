import { humanize } from '../../lib/format.ts';

/** Keys that say which one a part of the specification is: the part’s own name says more. */
const selectors = ['id', 'kind'];

/**
 * What a field of a specification is called: as on the launch form, a setting of an entry of a list with the
 * list, and a setting of a further role with the role.
 */
export function fieldName(path: string): string {
  const all = path.split('.');
  const keys = all.length > 1 && selectors.includes(all[all.length - 1]) ? all.slice(0, -1) : all;
  const name = humanize(keys[keys.length - 1]);
  const place = keys.findLastIndex((key) => /^\d+$/.test(key));
  if (place > 0) {
    const entry = `${humanize(keys[place - 1])} ${Number(keys[place]) + 1}`;
    return place === keys.length - 1 ? entry : `${entry}: ${name.toLowerCase()}`;
  }
  const isOfRole = keys[0] === 'roles' || (keys[0] === 'models' && keys[1] !== 'policy');
  return isOfRole && keys.length > 2 ? `${humanize(keys[1])}: ${name.toLowerCase()}` : name;
}
