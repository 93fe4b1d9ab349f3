import { expect, test } from '@jest/globals';
import { addressBlock, addressNetwork, clientOf } from '../src/quota-client.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80::/64', 'fe80::/48'],
  ['nonsense', 'nonsense', 'nonsense'],
])('%s has the block %s and the network %s', (ip, address, network) => {
  expect(addressBlock(ip)).toBe(address);
  expect(addressNetwork(ip)).toBe(network);
});

test('a client is the signed-in account, or else the address; work without a request is internal', () => {
  const caller = { accountId: 'a1', role: 'USER', credential: 'pat' } as const;
  expect(clientOf({ caller, clientIp: '192.0.2.7' })).toBe('account a1');
  expect(clientOf({ caller: undefined, clientIp: '2001:db8::1' })).toBe('address 2001:db8::/64');
  expect(clientOf({})).toBe('internal');
});
