/** A number among the parameters of an order. */
export interface NumberParam {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  readonly value: number;
}

/** The numbers that the JSON Schema of an order's parameters describes, with bounds and defaults. */
export function numberParams(schema: Readonly<Record<string, unknown>>): NumberParam[] {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties as Record<string, Record<string, unknown>>).flatMap(([name, field]) =>
    typeof field.minimum === 'number' &&
    typeof field.maximum === 'number' &&
    typeof field.default === 'number'
      ? [{ name, low: field.minimum, high: field.maximum, value: field.default }]
      : [],
  );
}
