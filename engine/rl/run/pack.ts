/** Converts tables to plain data for checkpoints: typed arrays as base64 with their type. */
import { WhetstoneError } from '../../common/errors.ts';
import type { ColumnValue, TokenValues } from '../kernel/columns.ts';
import { isPerToken, type Table } from '../kernel/rows.ts';

const kinds = { Float64Array, Float32Array, Int32Array, Uint8Array, Uint32Array } as const;
type Kind = keyof typeof kinds;
type Packed = { readonly kind: Kind; readonly base64: string };
type PackedColumn =
  | {
      readonly values: Packed;
      readonly offsets?: Packed;
      readonly observed?: { readonly values: Packed; readonly width: number };
    }
  | { readonly items: readonly unknown[] };
export type PackedTable = { readonly [column: string]: PackedColumn };

const pack = (values: TokenValues | Uint32Array): Packed => ({
  kind: values.constructor.name as Kind,
  base64: Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64'),
});

const unpack = ({ kind, base64 }: Packed): InstanceType<(typeof kinds)[Kind]> => {
  const make = kinds[kind];
  if (!make)
    throw new WhetstoneError(
      'invalid-input',
      `The checkpoint holds rows of an unknown type '${String(kind)}'.`,
    );
  return new make(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
};

export const packTable = (table: Table): PackedTable =>
  Object.fromEntries(
    Object.entries(table).map(([name, column]): [string, PackedColumn] => {
      if (isPerToken(column)) {
        const { values, offsets, observed } = column;
        const seen = observed && { values: pack(observed.values), width: observed.width };
        return [name, { values: pack(values), offsets: pack(offsets), ...(seen && { observed: seen }) }];
      }
      return [
        name,
        column instanceof Float64Array ? { values: pack(column) } : { items: column as readonly unknown[] },
      ];
    }),
  );

export const unpackTable = (packed: PackedTable): Table =>
  Object.fromEntries(
    Object.entries(packed).map(([name, column]): [string, ColumnValue] => {
      if ('items' in column) return [name, column.items as ColumnValue];
      const values = unpack(column.values);
      if (!column.offsets) return [name, values as ColumnValue];
      const { observed } = column;
      const seen = observed && { values: unpack(observed.values) as Float32Array, width: observed.width };
      const perToken = {
        axis: 'T',
        values,
        offsets: unpack(column.offsets),
        ...(seen && { observed: seen }),
      };
      return [name, perToken as ColumnValue];
    }),
  );
