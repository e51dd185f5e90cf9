import * as fc from 'fast-check';

/** Any character, which no half of a surrogate pair is. Each process needs a second to make fast-check's own, `unit: 'binary'`. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
