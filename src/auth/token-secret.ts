import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Marks a string as an access token of this service, for people and for secret scanners. */
const PREFIX = 'pst_';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 characters out of 62 hold 190 bits: not to be guessed. */
const RANDOM_LENGTH = 32;

/** CRC-32 in base 62 takes at most 6 characters. */
const CHECKSUM_LENGTH = 6;

const ISSUED = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** The syntax of a bearer token (`token68`, RFC 9110 section 11.2). */
export const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** A new secret: `pst_`, 32 random characters and the checksum of all before it. */
export function generateSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + random + checksum(PREFIX + random);
}

/**
 * Whether a secret could be valid at all: one with the prefix of this service must have its form and its checksum.
 * A mistyped or invented token is told apart without asking the database.
 */
export function isPlausible(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true;
  return (
    ISSUED.test(secret) && checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
  );
}

/** SHA-256 of a secret in hexadecimal: the only form in which secrets are kept. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    encoded = ALPHABET[rest % ALPHABET.length] + encoded;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return encoded;
}
