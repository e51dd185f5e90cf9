import {
  type NewPlant,
  PlantStore,
  type PlantFilter,
  type PlantOperation,
  type PlantVersion,
  type StoredPlant,
} from 'plant-store-client';
import type {
  CreateParams,
  DataProvider,
  DeleteManyParams,
  DeleteParams,
  GetListParams,
  GetManyParams,
  GetManyReferenceParams,
  GetOneParams,
  Identifier,
  UpdateManyParams,
  UpdateParams,
} from 'react-admin';

/** A plant of react-admin, whose ids are strings. That of a form keeps its entity tag until it is saved. */
type PlantRecord = Omit<StoredPlant, 'id'> & { readonly id: string; readonly etag?: string };

/** Lets react-admin use the plants of the service at `url`. */
export function plantStore(url: string, token: () => string): DataProvider {
  const { plants } = new PlantStore({ url, token });
  const batch = async (ids: Identifier[], operationOn: (id: bigint) => PlantOperation) => {
    await plants.batch(ids.map((id) => operationOn(BigInt(id))));
    return { data: ids };
  };
  /** For each list, its cursors by the number of rows before them: the service has no page numbers. */
  const cursors: Record<string, Map<number, string>> = {};

  const getList = async (_resource: string, { pagination, sort, filter, signal }: GetListParams) => {
    const { page, perPage } = pagination ?? { page: 1, perPage: 25 };
    const { q: search, ...fields } = filter;
    const query: PlantFilter = search ? { ...fields, search } : fields;
    // A filter has the order of its index: by name, up or down.
    if (sort && (Object.keys(fields).length === 0 || sort.field === 'name'))
      query.sort = `${sort.order === 'DESC' ? '-' : ''}${sort.field}` as NonNullable<PlantFilter['sort']>;
    const known = (cursors[JSON.stringify(query)] ??= new Map());
    const start = (page - 1) * perPage;
    const data: PlantRecord[] = [];
    let total: number | undefined;
    let at = start;
    while (at > 0 && !known.has(at)) at -= perPage;
    let after = known.get(at);
    do {
      const limit = Math.min(at < start ? start - at : start + perPage - at, 1000);
      const read = await plants.page({
        ...query,
        limit,
        total: at === start,
        ...(after && { after }),
        signal,
      });
      if (at >= start) data.push(...read.plants.map((plant) => recordOf({ plant })));
      total ??= read.total;
      after = read.next;
      at += read.plants.length;
      if (after !== undefined) known.set(at, after);
    } while (after !== undefined && at < start + perPage);
    return { data, total: total ?? at };
  };
  const provider = {
    getList,
    getManyReference: async (resource: string, { target, id, filter, ...list }: GetManyReferenceParams) =>
      getList(resource, { ...list, filter: { ...filter, [target]: id } }),
    getOne: async (_resource: string, { id, signal }: GetOneParams) => ({
      data: recordOf(await plants.get(BigInt(id), { signal })),
    }),
    getMany: async (_resource: string, { ids, signal }: GetManyParams) => {
      const page = await plants.page({ ids: ids.map(BigInt), signal });
      return { data: page.plants.map((plant) => recordOf({ plant })) };
    },
    create: async (_resource: string, { data }: CreateParams) => {
      const plant = await plants.create({ ...(data as NewPlant), id: BigInt(data.id) });
      return { data: { ...data, ...plant } };
    },
    update: async (_resource: string, { id, data: { etag, id: _, ...patch } }: UpdateParams) => ({
      data: recordOf(await plants.patch(BigInt(id), patch, { ifMatch: etag })),
    }),
    updateMany: async (_resource: string, { ids, data }: UpdateManyParams) =>
      batch(ids, (id) => ({ kind: 'patch', id, body: data })),
    delete: async (_resource: string, { id, previousData }: DeleteParams) => {
      await plants.delete(BigInt(id), { ifMatch: previousData?.etag });
      return { data: previousData };
    },
    deleteMany: async (_resource: string, { ids }: DeleteManyParams) =>
      batch(ids, (id) => ({ kind: 'delete', id })),
  };
  return provider as DataProvider;
}

function recordOf({ plant, etag }: Omit<PlantVersion, 'etag'> & { readonly etag?: string }): PlantRecord {
  return { ...plant, id: String(plant.id), ...(etag !== undefined && { etag }) };
}
