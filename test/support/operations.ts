/** The operations that clients use, with all the scopes that a token needs for each; those without any are public. */
export const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  'POST /plants': ['plants:write'],
  'GET /plants': ['plants:read'],
  'GET /plants/{id}': ['plants:read'],
  'PUT /plants/{id}': ['plants:write'],
  'PATCH /plants/{id}': ['plants:read', 'plants:write'],
  'DELETE /plants/{id}': ['plants:write'],
  'POST /plants/import': ['plants:write'],
  'GET /plants/export': ['plants:read'],
  'GET /health/live': [],
  'GET /health/ready': [],
};

export const PUBLIC_OPERATIONS = Object.keys(OPERATIONS).filter((name) => OPERATIONS[name]?.length === 0);
