import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callerNetwork, isLoopbackHost, isNetwork } from '../../src/domain/address.ts';
import { anyText } from './arbitraries.ts';

describe('the network of a caller is', () => {
  const scenarios: [name: string, address: string, network: string][] = [
    ['the whole of an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['the IPv4 address inside a mapped IPv6 one', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the IPv4 address inside a mapped one written in hex', '::ffff:cb00:7107', '203.0.113.7'],
    ['the /64 of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['the same /64 for its first address', '2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['the same /64 for its last address', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['another /64 when the 64th bit differs', '2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['a /64 without the zone of a link-local address', 'fe80::1%eth0', 'fe80::/64'],
    ['the loopback /64', '::1', '::/64'],
    ['its address when a proxy added the port', '203.0.113.7:1234', '203.0.113.7'],
    ['its /64 when a proxy added the port', '[2001:db8:1:2::9]:1234', '2001:db8:1:2::/64'],
    ['the text itself if it is not an address', 'unknown', 'unknown'],
  ];
  for (const [name, address, network] of scenarios) {
    it(name, () => assert.equal(callerNetwork(address), network));
  }

  it('the same for two IPv6 addresses exactly if they share 64 bits', () => {
    const group = fc.integer({ min: 0x2001, max: 0x3fff });
    const half = fc.tuple(group, group, group, group);
    const write = (groups: number[]) => groups.map((value) => value.toString(16)).join(':');
    fc.assert(
      fc.property(half, half, half, half, (network, host, otherNetwork, otherHost) => {
        const known = callerNetwork(write([...network, ...host]));
        assert.equal(callerNetwork(write([...network, ...otherHost])), known);
        const isSame = write(network) === write(otherNetwork);
        assert.equal(callerNetwork(write([...otherNetwork, ...host])) === known, isSame);
      }),
    );
  });

  it('defined for any text, and never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.ipV4Extended(), fc.ipV6()),
        (text) => callerNetwork(text) !== undefined,
      ),
    );
  });
});

describe('a trusted network', () => {
  const accepted = `10.0.0.0/8 192.168.1.1 127.0.0.1/32 0.0.0.0/0 ::1 fd00::/8 ::/0 2001:db8::/128`.split(
    ' ',
  );
  for (const text of accepted) it(`can be ${text}`, () => assert.equal(isNetwork(text), true));

  const refused = [
    '',
    ' ',
    '1',
    'true',
    'localhost',
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '010.0.0.1',
    '0x7f.1',
    '256.0.0.1',
    '10.0.0',
    'fd00::/129',
    'fd00:::/8',
    '10.0.0.0 /8',
    '*',
  ];
  for (const text of refused)
    it(`cannot be ${JSON.stringify(text)}`, () => assert.equal(isNetwork(text), false));

  it('is rejected or accepted, and never throws', () => {
    fc.assert(fc.property(anyText, (text) => typeof isNetwork(text) === 'boolean'));
  });
});

describe('a loopback address is', () => {
  const own = ['localhost', 'LOCALHOST', '127.0.0.1', '127.255.0.9', '::1', '[::1]', '::ffff:127.0.0.1'];
  for (const host of own) it(host, () => assert.equal(isLoopbackHost(host), true));
});

describe('an address that others can reach is', () => {
  const open = [
    '0.0.0.0',
    '::',
    '192.168.1.1',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '127.1',
    '2130706433',
    '',
  ];
  for (const host of open) it(JSON.stringify(host), () => assert.equal(isLoopbackHost(host), false));
});
