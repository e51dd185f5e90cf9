// The types of the contract: npm run generate:client writes them.

export interface paths {
  '/plants': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List plants
     * @description Returns a page of the plants, with a `Link` to the next one; or the plants with the given `ids`. Changes nothing.
     *
     *     Requires `plants:read`.
     */
    get: operations['listPlants'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/plants/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read or follow what has changed
     * @description Returns the changes after a cursor, in order: a page of them, all of them as lines, or a live stream of server-sent events. A page with a filter reads at most 10000 changes: it may be empty before the end, which `X-Caught-Up` tells. Changes nothing.
     *
     *     Requires `plants:read`.
     */
    get: operations['listPlantChanges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description A health check that passes. */
    Health: {
      /**
       * @description `degraded`: reads succeed, and `check` says what fails. Except for `servers`, writes fail with 503.
       * @enum {string}
       */
      status: 'ok' | 'degraded';
      /**
       * @description Only with `degraded`. `writes`: the latest write has failed, and the log says why. `file`: the database file is corrupt. `servers`: a server of the database is reached only through another one, if at all.
       * @enum {string}
       */
      check?: 'writes' | 'file' | 'servers';
    };
    /** @description A plant to create. Members that are not listed are ignored. */
    NewPlant: {
      /** @description The name of the plant. */
      name: string;
      /** @description Tag that specifies the type of the plant. */
      tag?: string;
      /**
       * Format: int64
       * @description Identification number of the plant, unique in the store. Any int64, written as an integer.
       */
      id: bigint;
    };
    /** @description As `POST /plants`. */
    CreatePlant: {
      /** @enum {string} */
      kind: 'create';
      body: components['schemas']['NewPlant'];
    };
    /** @description A plant. */
    Plant: {
      /** @description The name of the plant. */
      name: string;
      /** @description Tag that specifies the type of the plant. */
      tag?: string;
    };
    /** @description As `PUT /plants/{id}`. */
    PutPlant: {
      /**
       * Format: int64
       * @description Identification number of the plant, unique in the store. Any int64, written as an integer.
       */
      id: bigint;
      /** @description As the header `If-Match`. */
      ifMatch?: string;
      /**
       * @description As the header `If-None-Match`.
       * @enum {string}
       */
      ifNoneMatch?: '*';
      /** @enum {string} */
      kind: 'put';
      body: components['schemas']['Plant'];
    };
    /** @description Changes to a plant. Absent members stay as they are. Members that are not listed are ignored. */
    PlantPatch: {
      /** @description The name of the plant. */
      name?: string;
      /** @description Tag that specifies the type of the plant. */
      tag?: string | null;
    };
    /** @description As `PATCH /plants/{id}`. */
    PatchPlant: {
      /**
       * Format: int64
       * @description Identification number of the plant, unique in the store. Any int64, written as an integer.
       */
      id: bigint;
      /** @description As the header `If-Match`. */
      ifMatch?: string;
      /** @enum {string} */
      kind: 'patch';
      body: components['schemas']['PlantPatch'];
    };
    /** @description As `DELETE /plants/{id}`. */
    DeletePlant: {
      /**
       * Format: int64
       * @description Identification number of the plant, unique in the store. Any int64, written as an integer.
       */
      id: bigint;
      /** @description As the header `If-Match`. */
      ifMatch?: string;
      /** @enum {string} */
      kind: 'delete';
    };
    /** @description Operations that succeed or fail together. */
    PlantBatch: {
      /** @description Each sees the effects of the previous ones. Members that its `kind` does not have are refused. */
      operations: (
        | components['schemas']['CreatePlant']
        | components['schemas']['PutPlant']
        | components['schemas']['PatchPlant']
        | components['schemas']['DeletePlant']
      )[];
    };
    /** @description A plant of the store, with its id. */
    StoredPlant: {
      /** @description The name of the plant. */
      name: string;
      /** @description Tag that specifies the type of the plant. */
      tag?: string;
      /**
       * Format: int64
       * @description Identification number of the plant, unique in the store. Any int64, written as an integer.
       */
      id: bigint;
    };
    /** @description The result of one operation of a batch. */
    PlantResult: {
      /**
       * Format: int32
       * @description The HTTP status that the operation would have alone.
       */
      status: number;
      /** @description The plant; absent when it is deleted. */
      body?: components['schemas']['StoredPlant'];
      /** @description The entity tag of the plant; absent when it is deleted. */
      etag?: string;
    };
    /** @description The results of a batch. */
    PlantBatchResult: {
      /** @description One for each operation, in the same order. */
      results: components['schemas']['PlantResult'][];
    };
    /** @description A change of a plant. */
    PlantChange: {
      /**
       * Format: int64
       * @description Its place in the order of changes.
       */
      cursor: bigint;
      /**
       * Format: date-time
       * @description When the change was made.
       */
      at: string;
      /** @enum {string} */
      kind: 'created' | 'changed' | 'deleted';
      /** @description Who made it: the id of an access token, or `oidc:` and a subject. Absent if unknown, and for changes of others if the caller has neither `admin` nor `tokens:read`. */
      by?: string;
      /** @description The plant as it is after the change, or before a deletion. */
      plant: components['schemas']['StoredPlant'];
    };
    /** @description The result of one line of an import. */
    ImportResult: {
      /**
       * Format: int64
       * @description The number of the line, from 1; empty lines count.
       */
      line: bigint;
      /**
       * Format: int32
       * @description 200 if the line is stored and on disk, or if the store already had exactly this; otherwise the HTTP status of the Error.
       */
      status: number;
      /**
       * Format: int32
       * @description The value of the Error; absent with 200.
       */
      error?: number;
      /** @description One sentence for a person; absent with 200. */
      message?: string;
    };
    /** @description How many there are. */
    Count: {
      /** @description How many there are. */
      count: number;
    };
    /** @description An access token, without its secret. */
    Token: {
      /** @description What the token is for. It has no control characters and is not blank. */
      name: string;
      /** @description What the token may do. */
      scopes: string[];
      /**
       * Format: date-time
       * @description When the token expires, in the future for a new one; absent means never. A token that expires can only make tokens that expire no later.
       */
      expiresAt?: string;
      /** @description The id of the token; for a JWT, `oidc:` and its subject. */
      id: string;
      /**
       * Format: date-time
       * @description When the token was made.
       */
      createdAt: string;
      /** @description Who created the token: the id of a token, or `oidc:` and a subject. Absent for a command and the first token. */
      createdBy?: string;
      /** @description Who revoked the token; absent for a command. */
      revokedBy?: string;
      /**
       * Format: date-time
       * @description When the token was revoked; absent if it was not.
       */
      revokedAt?: string;
      /**
       * Format: date
       * @description The day in UTC on which the token was last used; absent if it never was.
       */
      lastUsedOn?: string;
    };
    /** @description An access token to make. Members that are not listed are ignored. */
    NewToken: {
      /** @description What the token is for. It has no control characters and is not blank. */
      name: string;
      /** @description What the token may do. */
      scopes: components['schemas']['Scope'][];
      /**
       * Format: date-time
       * @description When the token expires, in the future for a new one; absent means never. A token that expires can only make tokens that expire no later.
       */
      expiresAt?: string;
    };
    /** @description A new access token, with its secret. */
    IssuedToken: {
      /** @description What the token is for. It has no control characters and is not blank. */
      name: string;
      /** @description What the token may do. */
      scopes: string[];
      /**
       * Format: date-time
       * @description When the token expires, in the future for a new one; absent means never. A token that expires can only make tokens that expire no later.
       */
      expiresAt?: string;
      /** @description The id of the token; for a JWT, `oidc:` and its subject. */
      id: string;
      /**
       * Format: date-time
       * @description When the token was made.
       */
      createdAt: string;
      /** @description Who created the token: the id of a token, or `oidc:` and a subject. Absent for a command and the first token. */
      createdBy?: string;
      /** @description Who revoked the token; absent for a command. */
      revokedBy?: string;
      /**
       * Format: date-time
       * @description When the token was revoked; absent if it was not.
       */
      revokedAt?: string;
      /**
       * Format: date
       * @description The day in UTC on which the token was last used; absent if it never was.
       */
      lastUsedOn?: string;
      /** @description What a client sends as its access token. It is not shown again. */
      secret: string;
    };
    /** @description The access token of the request. */
    CurrentToken: {
      /**
       * Format: date-time
       * @description When the token expires, in the future for a new one; absent means never. A token that expires can only make tokens that expire no later.
       */
      expiresAt?: string;
      /** @description The id of the token; for a JWT, `oidc:` and its subject. */
      id: string;
      /** @description What the token is for; absent for a JWT. */
      name?: string;
      /** @description What the token may do. */
      scopes: string[];
    };
    /** @description A webhook, without its secret. */
    Webhook: {
      /** @description Where the changes go: an https address without credentials or fragment. It must be public, unless `WEBHOOK_ADDRESSES` names it. */
      url: string;
      /** @description The resource whose changes it gets. */
      resource: string;
      /** @description Which changes it gets. */
      kinds: string[];
      /** @description The id of the webhook. */
      id: string;
      /**
       * Format: date-time
       * @description When the webhook was made.
       */
      createdAt: string;
      /** @description The token that made or last resumed the webhook; for a JWT, `oidc:` and its subject. Absent for a webhook that is older than this field. */
      createdBy?: string;
      /** @description `active`, `paused` until it is resumed, or `off` while the service cannot deliver. */
      state: string;
      /**
       * Format: int64
       * @description The cursor of the last change that the receiver has accepted.
       */
      cursor: bigint;
      /** @description How many changes come after that; 10,000 means 10,000 or more. */
      behind: number;
      /**
       * Format: date-time
       * @description When the receiver last took changes; absent before it has.
       */
      lastSuccessAt?: string;
      /**
       * Format: date-time
       * @description When a request last failed; absent if none has.
       */
      lastFailureAt?: string;
      /** @description Why a request last failed, or why the webhook is paused. */
      lastFailure?: string;
      /**
       * Format: date-time
       * @description When a failed request is sent again; absent unless it is.
       */
      nextAttemptAt?: string;
    };
    /** @description A webhook to make. Members that are not listed are ignored. */
    NewWebhook: {
      /** @description Where the changes go: an https address without credentials or fragment. It must be public, unless `WEBHOOK_ADDRESSES` names it. */
      url: string;
      /**
       * @description The resource whose changes it gets.
       * @enum {string}
       */
      resource: 'plants';
      /** @description Which changes it gets; all if absent. */
      kinds?: ('created' | 'changed' | 'deleted')[];
    };
    /** @description A new webhook, with its secret. */
    IssuedWebhook: {
      /** @description Where the changes go: an https address without credentials or fragment. It must be public, unless `WEBHOOK_ADDRESSES` names it. */
      url: string;
      /** @description The resource whose changes it gets. */
      resource: string;
      /** @description Which changes it gets. */
      kinds: string[];
      /** @description The id of the webhook. */
      id: string;
      /**
       * Format: date-time
       * @description When the webhook was made.
       */
      createdAt: string;
      /** @description The token that made or last resumed the webhook; for a JWT, `oidc:` and its subject. Absent for a webhook that is older than this field. */
      createdBy?: string;
      /** @description `active`, `paused` until it is resumed, or `off` while the service cannot deliver. */
      state: string;
      /**
       * Format: int64
       * @description The cursor of the last change that the receiver has accepted.
       */
      cursor: bigint;
      /** @description How many changes come after that; 10,000 means 10,000 or more. */
      behind: number;
      /**
       * Format: date-time
       * @description When the receiver last took changes; absent before it has.
       */
      lastSuccessAt?: string;
      /**
       * Format: date-time
       * @description When a request last failed; absent if none has.
       */
      lastFailureAt?: string;
      /** @description Why a request last failed, or why the webhook is paused. */
      lastFailure?: string;
      /**
       * Format: date-time
       * @description When a failed request is sent again; absent unless it is.
       */
      nextAttemptAt?: string;
      /** @description For a library of Standard Webhooks. It is not shown again. */
      secret: string;
    };
    /** @description Another address of a webhook. */
    WebhookAddress: {
      /** @description Where the changes go: an https address without credentials or fragment. It must be public, unless `WEBHOOK_ADDRESSES` names it. */
      url: string;
    };
    /** @description One request to the receiver of a webhook. */
    WebhookDelivery: {
      /** @description Its header `webhook-id`; retries repeat it. */
      id: string;
      /**
       * Format: date-time
       * @description When it began.
       */
      at: string;
      /** @description Milliseconds until the response or the failure. */
      milliseconds: number;
      /** @description How many changes it had; 0 for a test. */
      changes: number;
      /**
       * Format: int64
       * @description Its changes come after this cursor; absent for a test.
       */
      after?: bigint;
      /**
       * Format: int64
       * @description The cursor of its last change; absent for a test.
       */
      cursor?: bigint;
      /** @description The status of the response; absent if none has arrived. */
      status?: number;
      /** @description Why it failed; absent for a success. */
      failure?: string;
      /** @description The beginning of the body of a failed response: up to 1,024 bytes. */
      response?: string;
    };
    /** @description Where a webhook continues. */
    Resume: {
      /**
       * Format: int64
       * @description The cursor of the last change that the receiver has; 0 for all that are kept. Absent for the `cursor` of the webhook.
       */
      after?: bigint;
    };
    /** @description The secret that signs what a webhook sends. */
    WebhookSecret: {
      /** @description For a library of Standard Webhooks. It is not shown again. */
      secret: string;
    };
    /** @description The body of every response that is not a success. */
    Error: {
      /**
       * Format: int32
       * @description Numeric error value: 100 times the HTTP status that fits the failure, plus a detail.
       */
      error: number;
      /** @description One sentence for a person. If a field of the body is at fault, it begins with its name. */
      message: string;
    };
    /** @enum {string} */
    Scope: 'metrics:read' | 'plants:read' | 'plants:write' | 'tokens:read' | 'admin';
    /** @description The body of a request of the type `plants.changed`. */
    PlantDelivery: {
      /** @enum {string} */
      type: 'plants.changed';
      /**
       * Format: date-time
       * @description When the last of the changes was made.
       */
      timestamp: string;
      /** @description The changes in their order. */
      data: components['schemas']['PlantChange'][];
    };
    /** @description The body of a request of the type `webhook.test`. */
    TestDelivery: {
      /** @enum {string} */
      type: 'webhook.test';
      /**
       * Format: date-time
       * @description When the test was sent.
       */
      timestamp: string;
      /** @description No changes. */
      data: unknown[];
    };
  };
  responses: {
    /** @description 40500: The path does not have the method. */
    Error405: {
      headers: {
        /** @description The methods of the path. */
        Allow: string;
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40500;
        };
      };
    };
    /** @description 40800: The request did not arrive in time. */
    Error408: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40800;
        };
      };
    };
    /** @description 43100: The headers are larger than 16 KiB, or more than 100. */
    Error431: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 43100;
        };
      };
    };
    /** @description 50300: The service is stopping or overloaded, or the database that the operation needs cannot be used now. */
    Error503: {
      headers: {
        /** @description Seconds to wait. */
        'Retry-After': number;
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 50300;
        };
      };
    };
    /**
     * @description 40100: There is no access token.
     *
     *     40101: The access token is not valid.
     */
    Error401: {
      headers: {
        /** @description The challenge of RFC 6750. */
        'WWW-Authenticate': string;
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40100 | 40101;
        };
      };
    };
    /** @description 40300: The access token lacks a scope that the operation requires. */
    Error403: {
      headers: {
        /** @description The challenge of RFC 6750. */
        'WWW-Authenticate': string;
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40300;
        };
      };
    };
    /** @description 42900: The access token has made too many requests, or too many tokens from the address were not valid. */
    Error429: {
      headers: {
        /** @description Seconds to wait. */
        'Retry-After': number;
        /** @description What is left of the rate limit, if the token has one. */
        RateLimit?: string;
        /** @description The rate limit, if the token has one. */
        'RateLimit-Policy'?: string;
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 42900;
        };
      };
    };
    /** @description 50000: An unexpected error happened. */
    Error500: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 50000;
        };
      };
    };
    /**
     * @description 40000: The body is not a JSON object.
     *
     *     40001: A field of the body is missing or wrong.
     */
    Error400: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40000 | 40001;
        };
      };
    };
    /** @description 40401: There is no such resource. */
    Error404: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40401;
        };
      };
    };
    /** @description 40900: The id is taken. */
    Error409: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40900;
        };
      };
    };
    /** @description 41200: The resource does not meet `If-Match` or `If-None-Match`. */
    Error412: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 41200;
        };
      };
    };
    /** @description 41300: The body is too large. */
    Error413: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 41300;
        };
      };
    };
    /** @description 41500: The body is of another media type, not in UTF-8, or compressed. */
    Error415: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 41500;
        };
      };
    };
    /** @description 40002: A parameter is wrong or unknown. */
    Error400_2: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40002;
        };
      };
    };
    /** @description 41000: The change is not kept any more, or no changes are. */
    Error410: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 41000;
        };
      };
    };
    /**
     * @description 40000: The body is not a JSON object.
     *
     *     40001: A field of the body is missing or wrong.
     *
     *     40900: The id is taken.
     *
     *     50000: An unexpected error happened.
     */
    Error400_3: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40000 | 40001 | 40900 | 50000;
        };
      };
    };
    /**
     * @description 40000: The body is not a JSON object.
     *
     *     40001: A field of the body is missing or wrong.
     *
     *     40002: A parameter is wrong or unknown.
     */
    Error400_4: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40000 | 40001 | 40002;
        };
      };
    };
    /** @description 40401: There is no such resource. */
    Error404_2: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40401;
        };
      };
    };
    /** @description 40901: The token is the last valid one with `admin`. */
    Error409_2: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40901;
        };
      };
    };
    /** @description 40904: The service has no `WEBHOOK_KEY`, or 100 webhooks already. */
    Error409_3: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40904;
        };
      };
    };
    /** @description 40401: There is no such resource. */
    Error404_3: {
      headers: {
        'X-Request-Id': components['headers']['RequestId'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Error'] & {
          /** @enum {unknown} */
          error?: 40401;
        };
      };
    };
  };
  parameters: {
    /** @description An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`. */
    RequestId: string;
  };
  requestBodies: never;
  headers: {
    /** @description The id of the request in the log: the one that the client sent, or a new one. */
    RequestId: string;
  };
  pathItems: never;
}
export type Health = components['schemas']['Health'];
export type NewPlant = components['schemas']['NewPlant'];
export type CreatePlant = components['schemas']['CreatePlant'];
export type Plant = components['schemas']['Plant'];
export type PutPlant = components['schemas']['PutPlant'];
export type PlantPatch = components['schemas']['PlantPatch'];
export type PatchPlant = components['schemas']['PatchPlant'];
export type DeletePlant = components['schemas']['DeletePlant'];
export type PlantBatch = components['schemas']['PlantBatch'];
export type StoredPlant = components['schemas']['StoredPlant'];
export type PlantResult = components['schemas']['PlantResult'];
export type PlantBatchResult = components['schemas']['PlantBatchResult'];
export type PlantChange = components['schemas']['PlantChange'];
export type ImportResult = components['schemas']['ImportResult'];
export type Count = components['schemas']['Count'];
export type Token = components['schemas']['Token'];
export type NewToken = components['schemas']['NewToken'];
export type IssuedToken = components['schemas']['IssuedToken'];
export type CurrentToken = components['schemas']['CurrentToken'];
export type Webhook = components['schemas']['Webhook'];
export type NewWebhook = components['schemas']['NewWebhook'];
export type IssuedWebhook = components['schemas']['IssuedWebhook'];
export type WebhookAddress = components['schemas']['WebhookAddress'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type Resume = components['schemas']['Resume'];
export type WebhookSecret = components['schemas']['WebhookSecret'];
export type Error = components['schemas']['Error'];
export type Scope = components['schemas']['Scope'];
export type PlantDelivery = components['schemas']['PlantDelivery'];
export type TestDelivery = components['schemas']['TestDelivery'];
export type ResponseError405 = components['responses']['Error405'];
export type ResponseError408 = components['responses']['Error408'];
export type ResponseError431 = components['responses']['Error431'];
export type ResponseError503 = components['responses']['Error503'];
export type ResponseError401 = components['responses']['Error401'];
export type ResponseError403 = components['responses']['Error403'];
export type ResponseError429 = components['responses']['Error429'];
export type ResponseError500 = components['responses']['Error500'];
export type ResponseError400 = components['responses']['Error400'];
export type ResponseError404 = components['responses']['Error404'];
export type ResponseError409 = components['responses']['Error409'];
export type ResponseError412 = components['responses']['Error412'];
export type ResponseError413 = components['responses']['Error413'];
export type ResponseError415 = components['responses']['Error415'];
export type ResponseError400_2 = components['responses']['Error400_2'];
export type ResponseError410 = components['responses']['Error410'];
export type ResponseError400_3 = components['responses']['Error400_3'];
export type ResponseError400_4 = components['responses']['Error400_4'];
export type ResponseError404_2 = components['responses']['Error404_2'];
export type ResponseError409_2 = components['responses']['Error409_2'];
export type ResponseError409_3 = components['responses']['Error409_3'];
export type ResponseError404_3 = components['responses']['Error404_3'];
export type ParameterRequestId = components['parameters']['RequestId'];
export type HeaderRequestId = components['headers']['RequestId'];
export type $defs = Record<string, never>;
export interface operations {
  listPlants: {
    parameters: {
      query?: {
        /** @description The maximum number per page. A page of long items has fewer: about 1 MiB of JSON. */
        limit?: number;
        /** @description Where the previous page ended: its `X-Next-After`. */
        after?: string;
        /** @description Whether `X-Total-Count` says how many there are on all pages, at the moment of this one. */
        total?: boolean;
        /** @description Only these plants, in this order, each once; missing ones are left out. `ids=3,1` is the same as `ids=3&ids=1`. It cannot be combined with other parameters. */
        ids?: bigint[];
        /** @description The order; `-` is descending. By default `id`, and with a filter `name`: the first 64 characters, then the id. With a filter, only `name` and `-name` work. */
        sort?: 'id' | '-id' | 'name' | '-name';
        /** @description Only plants with exactly this tag. */
        tag?: string;
        /** @description Only plants whose name begins with this text. */
        name?: string;
        /** @description Only those that contain all of these words, in any case: one to eight words of at most 64 characters. A page may have fewer than `limit`, or none, and still have a `Link` to the next. */
        search?: string;
      };
      header?: {
        /** @description An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: never;
  };
  listPlantChanges: {
    parameters: {
      query?: {
        /** @description The maximum number per page. A page of long items has fewer: about 1 MiB of JSON. */
        limit?: number;
        /** @description The cursor of the last change that the client has; 0 for all that are kept; -100 for the latest 100 (at most 999). Without it, the changes from now on. */
        after?: string;
        /** @description Only the changes since this time; ignored if the request has a cursor. */
        since?: string;
        /** @description Only the changes of this kind. */
        kind?: 'created' | 'changed' | 'deleted';
        /** @description Only what this caller has changed: the id of an access token, or `oidc:` and a subject. Requires `admin` or `tokens:read`, except for the own id. */
        by?: string;
        /** @description Only the changes of the plant with this id. */
        id?: bigint;
      };
      header?: {
        /** @description The `id` of the last event that the client has received; it overrides `after`. */
        'Last-Event-ID'?: string;
        /** @description An id for the request: up to 128 of the characters `A-Z a-z 0-9 _ . : @ / + = -`. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: never;
  };
}
