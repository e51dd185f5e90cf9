-- A store of the version before the last migration: 1.0.0 without OrderPlants. The secret of the token `bootstrap` is a-token-from-back-then.

CREATE TABLE "migrations" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "timestamp" bigint NOT NULL, "name" varchar NOT NULL);
INSERT INTO migrations (timestamp, name) VALUES
  (1763700000000, 'CreatePlants1763700000000'),
  (1763700000001, 'CreateAccessTokens1763700000001'),
  (1763700000002, 'IndexPlants1763700000002');

CREATE TABLE plants (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX plants_by_tag ON plants (substr(tag, 1, 64), id) WHERE tag IS NOT NULL;
CREATE INDEX plants_by_name ON plants (substr(name, 1, 64), id);

INSERT INTO access_tokens VALUES
  ('bootstrap', 'bootstrap', 'af39e04e9edfecaa7ad2fa35124fe0756290399db28a61f7ab70e55682194f8a',
    'plants:read plants:write metrics:read admin', '2026-11-21T09:36:18.000Z', NULL, NULL),
  ('957bc9220b26', 'revoked', 'a-digest-of-a-revoked-token',
    'plants:write', '2026-11-21T09:36:18.000Z', '2026-12-21T09:36:18.000Z', '2026-11-21T09:40:00.000Z');

INSERT INTO plants VALUES
  (-9223372036854775808, '', ''),
  (-9007199254740993, 'Aloe', NULL),
  (0, '草 🌿 "quoted" \ ' || char(10), char(1)),
  (9007199254740993, 'Monstera deliciosa', 'houseplant'),
  (9223372036854775807, 'last', NULL);
