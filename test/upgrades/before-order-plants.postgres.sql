-- A store of the version before the last migration: 1.0.0 without OrderPlants. The secret of the token `bootstrap` is a-token-from-back-then.

CREATE TABLE migrations (id serial NOT NULL, timestamp bigint NOT NULL, name character varying NOT NULL,
  CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id));
INSERT INTO migrations (timestamp, name) VALUES
  (1763700000000, 'CreatePlants1763700000000'),
  (1763700000001, 'CreateAccessTokens1763700000001'),
  (1763700000002, 'IndexPlants1763700000002');

CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text);
CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
);
CREATE INDEX plants_by_tag ON plants (substr(tag, 1, 64) COLLATE "C", id) WHERE tag IS NOT NULL;
CREATE INDEX plants_by_name ON plants (substr(name, 1, 64) COLLATE "C", id);

INSERT INTO access_tokens VALUES
  ('bootstrap', 'bootstrap', 'af39e04e9edfecaa7ad2fa35124fe0756290399db28a61f7ab70e55682194f8a',
    'plants:read plants:write metrics:read admin', '2026-11-21T09:36:18.000Z', NULL, NULL),
  ('957bc9220b26', 'revoked', 'a-digest-of-a-revoked-token',
    'plants:write', '2026-11-21T09:36:18.000Z', '2026-12-21T09:36:18.000Z', '2026-11-21T09:40:00.000Z');

INSERT INTO plants VALUES
  (-9223372036854775808, '', ''),
  (-9007199254740993, 'Aloe', NULL),
  (0, '草 🌿 "quoted" \ ' || chr(10), chr(1)),
  (9007199254740993, 'Monstera deliciosa', 'houseplant'),
  (9223372036854775807, 'last', NULL);
