import { type DataProvider, type Identifier } from 'react-admin';
import { requestsTo } from './requests.ts';

/** Lets react-admin use the plants, and resources like them, of the service at `url`. */
export function plantStore(url: string, token: () => string): DataProvider {
  const send = requestsTo(url, token);
  const batch = async (resource: string, ids: Identifier[], operation: object) => {
    await send(`${resource}/batch`, 'POST', { operations: ids.map((id) => ({ ...operation, id })) });
    return { data: ids };
  };
  /** For each list, its cursors by the number of rows before them: the service has no page numbers. */
  const cursors: Record<string, Map<number, string>> = {};

  const getList: DataProvider['getList'] = async (resource, { pagination, sort, filter }) => {
    const { page, perPage } = pagination ?? { page: 1, perPage: 25 };
    const { q: search, ...fields } = filter;
    const query = new URLSearchParams(search ? { ...fields, search } : fields);
    // A filter has the order of its index: by name up or down, and a search by id.
    if (sort && (query.size === 0 || (sort.field === 'name' && !search)))
      query.set('sort', (sort.order === 'DESC' ? '-' : '') + sort.field);
    const known = (cursors[`${resource}?${query}`] ??= new Map());
    const start = (page - 1) * perPage;
    const rows = [];
    let total: string | null = null;
    let at = start;
    while (at > 0 && !known.has(at)) at -= perPage;
    let after = known.get(at) ?? null;
    do {
      query.set('limit', `${Math.min(at < start ? start - at : start + perPage - at, 1000)}`);
      query.set('total', `${at === start}`);
      if (after !== null) query.set('after', after);
      const { data, headers } = await send(`${resource}?${query}`);
      if (at >= start) rows.push(...data);
      total ??= headers.get('X-Total-Count');
      after = new URLSearchParams(/<\?(.*)>/.exec(headers.get('Link') ?? '')?.[1]).get('after');
      at += data.length;
      if (after !== null) known.set(at, after);
    } while (after !== null && at < start + perPage);
    return { data: rows, total: Number(total ?? at) };
  };
  return {
    getList,
    getManyReference: (resource, { target, id, filter, ...list }) =>
      getList(resource, { ...list, filter: { ...filter, [target]: id } }),
    getOne: (resource, { id }) => send(`${resource}/${id}`),
    getMany: (resource, { ids }) => send(`${resource}?ids=${ids.join()}`),
    create: async (resource, { data }) => ({
      data: { ...data, ...(await send(resource, 'POST', data)).data },
    }),
    update: (resource, { id, data: { etag, ...data } }) => send(`${resource}/${id}`, 'PATCH', data, etag),
    updateMany: (resource, { ids, data }) => batch(resource, ids, { kind: 'patch', body: data }),
    delete: (resource, { id, previousData }) =>
      send(`${resource}/${id}`, 'DELETE', undefined, previousData?.etag),
    deleteMany: (resource, { ids }) => batch(resource, ids, { kind: 'delete' }),
  };
}
