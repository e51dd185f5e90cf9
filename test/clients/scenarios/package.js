/** Does what the package can with a service, and returns what it has seen, as JSON. */
export async function run({ PlantStore, ErrorValue, verifyWebhook }, { url, token, ids, secret, webhook }) {
  const { plants, changes } = new PlantStore({ url, token });
  const [high, low] = ids.map(BigInt);
  const start = await changes.cursor();

  await plants.create({ id: high, name: 'Yucca', tag: 'a' });
  await plants.put({ id: low, name: 'Aloe', tag: 'a' });
  const listed = [];
  for await (const page of plants.pages({ limit: 1 }))
    listed.push(...page.plants.map(({ id }) => String(id)));

  const { plant, etag } = await plants.get(low);
  const { plant: changed } = await plants.patch(plant.id, { name: 'Agave' }, { ifMatch: etag });
  const refused = await plants.patch(low, { name: 'Late' }, { ifMatch: etag }).catch(({ error }) => error);
  const results = await plants.batch([
    { kind: 'patch', id: low, body: { tag: null }, ifMatch: '*' },
    { kind: 'delete', id: high },
  ]);

  let imported = 0;
  const many = Array.from({ length: 2_500 }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));
  for await (const { status } of plants.import(many)) imported += status === 200 ? 1 : 0;
  let exported = 0;
  for await (const { id } of plants.export()) exported += typeof id === 'bigint' ? 1 : 0;

  const followed = [];
  for await (const change of changes.follow({ after: start })) {
    followed.push([change.kind, String(change.plant.id)]);
    if (followed.length === 2) break;
  }

  const { data } = await verifyWebhook(secret, webhook);
  return {
    listed,
    changed: String(changed.id),
    refused: refused === ErrorValue.PreconditionFailed ? refused : undefined,
    batch: results.map(({ body }) => (body === undefined ? null : String(body.id))),
    imported,
    exported,
    followed,
    webhook: [String(data[0].cursor), String(data[0].plant.id)],
  };
}
