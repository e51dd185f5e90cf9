import { fetchUtils } from 'react-admin';

declare global {
  interface JSON {
    /** Text that `JSON.stringify` writes as it is. */
    rawJSON(text: string): object;
  }
}

/** Sends requests to the service at `url`. Ids are strings here, because a number rounds integers beyond 2^53. */
export function requestsTo(url: string, token: () => string) {
  return async (path: string, method = 'GET', body?: object, etag?: string) => {
    const { headers, body: text } = await fetchUtils.fetchJson(`${url}/${path}`, {
      method,
      body: body && JSON.stringify(body, (name, value) => (name === 'id' ? JSON.rawJSON(value) : value)),
      headers: new Headers(etag === undefined ? {} : { 'If-Match': etag }),
      user: { authenticated: true, token: `Bearer ${token()}` },
    });
    const data = text && JSON.parse(text, exactId);
    // The form of a plant keeps its entity tag until it is saved.
    return { headers, data: headers.has('ETag') ? { ...data, etag: headers.get('ETag') } : data };
  };
}

function exactId(name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return name === 'id' ? source : value;
}
