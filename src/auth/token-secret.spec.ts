import { describe, expect, test } from 'vitest';
import { generateSecret } from './token-secret.js';
import { isPlausible } from '../validation/token-format.js';

describe('a secret', () => {
  test('is different every time, and plausible', () => {
    const secrets = Array.from({ length: 100 }, generateSecret);

    expect(new Set(secrets).size).toBe(100);
    expect(secrets.every((secret) => isPlausible(secret))).toBe(true);
  });

  test('is not plausible when a character of it is wrong', () => {
    const secret = generateSecret();
    const typos = Array.from(secret.slice(4), (character, index) => {
      const other = character === 'a' ? 'b' : 'a';
      return secret.slice(0, 4 + index) + other + secret.slice(5 + index);
    });

    expect(typos.filter((typo) => isPlausible(typo))).toEqual([]);
    expect(isPlausible(secret.slice(0, -1))).toBe(false);
    expect(isPlausible(`${secret}a`)).toBe(false);
  });

  test('that was chosen elsewhere may be anything without the prefix', () => {
    expect(isPlausible('chosen')).toBe(true);
  });
});
