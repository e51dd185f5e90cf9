import { crc32 } from 'node:zlib';

/** Marks a string as an access token of this service, for people and for secret scanners. */
export const PREFIX = 'pst_';

export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 characters out of 62 hold 190 bits: not to be guessed. */
export const RANDOM_LENGTH = 32;

/** CRC-32 in base 62 takes at most 6 characters. */
const CHECKSUM_LENGTH = 6;

const ISSUED = new RegExp(`^${PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** The syntax of a bearer token (`token68`, RFC 9110 section 11.2). */
export const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The form of a JWT that is signed: a JSON object, its claims and its signature in base64url (RFC 7515 section 7.1). */
export const JWT = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;

/**
 * Whether a secret could be valid at all: one with the prefix of this service must have its form and its checksum.
 * A mistyped or invented token is told apart without asking the database.
 */
export function isPlausible(secret: string): boolean {
  return !secret.startsWith(PREFIX) || isIssued(secret);
}

/** Whether a secret has the form and the checksum of those that the service makes, which are too random to be guessed. */
export function isIssued(secret: string): boolean {
  return (
    ISSUED.test(secret) && checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
  );
}

/** The last characters of an access token of this service, by which a mistyped one is told. */
export function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    encoded = ALPHABET[rest % ALPHABET.length] + encoded;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return encoded;
}
