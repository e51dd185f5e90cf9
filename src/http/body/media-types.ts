/** A merge patch of a JSON object (RFC 7396). */
const MERGE_PATCH = 'application/merge-patch+json';

/** What a body is, if not a patch. */
export const JSON_TYPES = ['application/json'];

/** What the body of a PATCH is: a merge patch, also under the name of plain JSON. */
export const PATCH_TYPES = [MERGE_PATCH, ...JSON_TYPES];

/** A text with one JSON value a line (https://github.com/ndjson/ndjson-spec). */
export const NDJSON = 'application/x-ndjson';
