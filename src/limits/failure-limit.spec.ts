import { describe, expect, test } from 'vitest';
import { networkOf } from './failure-limit.js';

describe('the network of an address', () => {
  test.for([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::4:5:6:7:8', '2001:db8:0:4'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
    ['nonsense', 'unknown'],
    [undefined, 'unknown'],
  ] as const)('of %s is %s', ([address, network]) => {
    expect(networkOf(address)).toBe(network);
  });
});
