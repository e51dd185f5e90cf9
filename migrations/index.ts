import { CreatePlants1763700000000 } from './1763700000000-create-plants.js';
import { CreateAccessTokens1763700000001 } from './1763700000001-create-access-tokens.js';
import { IndexPlants1763700000002 } from './1763700000002-index-plants.js';

/** Every change of the schema, oldest first: the only source of it. */
export const migrations = [
  CreatePlants1763700000000,
  CreateAccessTokens1763700000001,
  IndexPlants1763700000002,
];
