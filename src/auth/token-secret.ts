import { hash, randomInt } from 'node:crypto';
import { ALPHABET, checksum, PREFIX, RANDOM_LENGTH } from '../validation/token-format.js';

/** A new secret: `pst_`, 32 random characters and the checksum of all before it. */
export function generateSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PREFIX + random + checksum(PREFIX + random);
}

/** SHA-256 of a secret in hexadecimal: the only form in which secrets are kept. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'hex');
}
