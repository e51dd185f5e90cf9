/** A row as JSON has it: a field without a value is absent. */
export type Representation<Row> = {
  [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name];
} & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** A row without the fields that are null: those are absent in JSON. */
export function withoutNulls<Row extends object>(row: Row): Representation<Row> {
  const representation: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) {
    if (value !== null) representation[name] = value;
  }
  return representation as Representation<Row>;
}
