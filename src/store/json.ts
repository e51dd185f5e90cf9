/** A value as the JSON that is sent: the service writes it once, from what the database has. */
export class Json<Value> {
  /** Only for the type: what the text is the JSON of. */
  declare readonly value?: Value;

  constructor(readonly text: string) {}

  /** The JSON of a list. */
  static list<Item>(items: readonly Json<Item>[]): Json<Item[]> {
    return new Json(`[${items.map(({ text }) => text).join()}]`);
  }
}
