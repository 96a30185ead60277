/** Converts tables to plain data for checkpoints: typed arrays as base64 with their type. */
import { WhetstoneError } from '../../common/errors.ts';
import type { ColumnValue, TokenValues } from '../kernel/columns.ts';
import { isPerToken, type Table } from '../kernel/rows.ts';

const kinds = { Float64Array, Float32Array, Int32Array, Uint8Array, Uint32Array } as const;
type Kind = keyof typeof kinds;
type Packed = { readonly kind: Kind; readonly base64: string };
type PackedColumn =
  { readonly values: Packed; readonly offsets?: Packed } | { readonly items: readonly unknown[] };
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
      if (isPerToken(column)) return [name, { values: pack(column.values), offsets: pack(column.offsets) }];
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
      return [
        name,
        (column.offsets ? { axis: 'T', values, offsets: unpack(column.offsets) } : values) as ColumnValue,
      ];
    }),
  );
