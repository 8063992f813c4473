import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  checkWebhookUrl,
  isNeverAllowed,
  mayReachAddress,
  ruleFor,
} from '../../../src/domain/webhooks/destination.ts';

const SITE = { allowsLoopback: false };
const DEMO = { allowsLoopback: true };

const PRIVATE_HOSTS = [
  // This machine, in every notation.
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '0x7F.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '0x0',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'db.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  // IPv4 inside IPv6.
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:7f00:1::]',
  // Private networks.
  '10.0.0.1',
  '10.255.255.255',
  '167772161',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '3232235521',
  '100.64.0.1',
  '100.127.255.255',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fec0::1]',
  // Metadata services of clouds.
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '169.254.170.2',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'metadata.google.internal',
  // Unspecified, reserved and multicast addresses.
  '0.1.2.3',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  // Names of local networks.
  'postgres',
  'printer.local',
  'router.lan',
  'vault.corp',
  'box.home.arpa',
  'host.docker.internal',
  'votary.default.svc',
  'votary.default.svc.cluster.local',
];

describe('the URL of a webhook', () => {
  for (const host of PRIVATE_HOSTS) {
    test(`https://${host}/ is rejected`, () => {
      assert.deepEqual(checkWebhookUrl(`https://${host}/hook`, SITE), {
        ok: false,
        fault: 'private-address',
      });
    });
  }

  for (const port of [0, 1, 22, 25, 53, 80, 110, 444, 465, 587, 993, 1023]) {
    test(`port ${port} is rejected`, () => {
      const refused = { ok: false, fault: 'forbidden-port' };
      assert.deepEqual(checkWebhookUrl(`https://bot.example.org:${port}/hook`, SITE), refused);
      assert.deepEqual(checkWebhookUrl(`https://93.184.215.14:${port}/hook`, SITE), refused);
    });
  }

  for (const port of [443, 1024, 3000, 8443, 65_535]) {
    test(`port ${port} is accepted`, () => {
      const { ok } = checkWebhookUrl(`https://bot.example.org:${port}/hook`, SITE);
      assert.equal(ok, true);
    });
  }

  test('port 80 is accepted in the demo, where http is allowed, but no other low port', () => {
    assert.equal(checkWebhookUrl('http://localhost/hook', DEMO).ok, true);
    assert.equal(checkWebhookUrl('http://127.0.0.1:80/hook', DEMO).ok, true);
    const refused = { ok: false, fault: 'forbidden-port' };
    assert.deepEqual(checkWebhookUrl('http://127.0.0.1:22/hook', DEMO), refused);
    assert.deepEqual(checkWebhookUrl('https://localhost:631/hook', DEMO), refused);
  });

  for (const host of [
    'bot.example.org',
    'example.com:8443',
    '93.184.215.14',
    '[2606:4700::1111]',
    '1.1.1.1',
  ]) {
    test(`https://${host}/ is accepted`, () => {
      assert.deepEqual(checkWebhookUrl(`https://${host}/hook?a=1`, SITE), {
        ok: true,
        url: `https://${host}/hook?a=1`,
      });
    });
  }

  const faults = {
    'http://bot.example.org/': 'not-https',
    'http://127.0.0.1/': 'not-https',
    'ftp://bot.example.org/': 'not-https',
    'file:///etc/passwd': 'not-https',
    'javascript:alert(1)': 'not-https',
    'https://user@bot.example.org/': 'has-credentials',
    'https://user:password@bot.example.org/': 'has-credentials',
    'https://bot.example.org@127.0.0.1/': 'has-credentials',
    'bot.example.org': 'not-a-url',
    '': 'not-a-url',
    'https://': 'not-a-url',
    'https://[::1%25eth0]/': 'not-a-url',
    'https://1.2.3.4.5/': 'not-a-url',
    'https://localhost../': 'not-a-url',
    'https://.localhost/': 'not-a-url',
    'https://bot..example.org/': 'not-a-url',
    [`https://bot.example.org/${'a'.repeat(2048)}`]: 'too-long',
    [`https://bot.example.org/${'é'.repeat(800)}`]: 'too-long',
  };
  for (const [url, fault] of Object.entries(faults)) {
    test(`${url.slice(0, 50)} is rejected as ${fault}`, () => {
      assert.deepEqual(checkWebhookUrl(url, SITE), { ok: false, fault });
    });
  }

  test('is normalized, without the fragment', () => {
    const checked = checkWebhookUrl(' HTTPS://Bot.Example.ORG:443/Hook#part ', SITE);
    assert.deepEqual(checked, { ok: true, url: 'https://bot.example.org/Hook' });
  });

  test('can use plain http on this machine in the demo, and nowhere else', () => {
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000']) {
      assert.equal(checkWebhookUrl(`http://${host}/`, DEMO).ok, true, host);
      assert.equal(checkWebhookUrl(`https://${host}/`, DEMO).ok, true, host);
    }
    for (const host of ['bot.example.org', '10.0.0.1', '169.254.169.254', '0.0.0.0']) {
      assert.equal(checkWebhookUrl(`http://${host}/`, DEMO).ok, false, host);
    }
    assert.equal(checkWebhookUrl('https://10.0.0.1/', DEMO).ok, false);
  });
});

describe('an address that a name resolves to', () => {
  test('is accepted if it is public, and rejected otherwise', () => {
    assert.equal(mayReachAddress('93.184.215.14', SITE), true);
    assert.equal(mayReachAddress('2606:4700::1111', SITE), true);
    for (const ip of [
      '127.0.0.1',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      '2606:4700::1%eth0',
      'not an address',
      '',
      '010.0.0.1',
    ]) {
      assert.equal(mayReachAddress(ip, SITE), false, ip);
    }
    assert.equal(mayReachAddress('::ffff:127.0.0.1', DEMO), true);
    assert.equal(mayReachAddress('10.0.0.1', DEMO), false);
  });
});

describe('a network that the operator allows', () => {
  const rule = { allowsLoopback: false, allowed: ['10.1.0.0/16', '192.168.1.5', 'fd00:1::/32'] };

  test('can be reached by its addresses, over plain HTTP too', () => {
    for (const url of [
      'https://10.1.2.3/hook',
      'http://10.1.2.3/hook',
      'http://10.1.2.3:3000/hook',
      'http://192.168.1.5/hook',
      'https://[fd00:1::5]/hook',
      'http://[::ffff:10.1.2.3]:8080/hook',
    ]) {
      assert.equal(checkWebhookUrl(url, rule).ok, true, url);
    }
  });

  test('allows no other private network, and no plain HTTP to the internet', () => {
    for (const url of [
      'https://10.2.0.1/',
      'https://192.168.1.6/',
      'https://127.0.0.1/',
      'https://[fd01::1]/',
    ]) {
      assert.deepEqual(checkWebhookUrl(url, rule), { ok: false, fault: 'private-address' }, url);
    }
    for (const url of ['http://93.184.215.14/', 'http://10.2.0.1/', 'http://127.0.0.1/']) {
      assert.deepEqual(checkWebhookUrl(url, rule), { ok: false, fault: 'not-https' }, url);
    }
    assert.deepEqual(checkWebhookUrl('http://10.1.2.3:22/', rule), { ok: false, fault: 'forbidden-port' });
  });

  test('allows local names, whose addresses are checked when they are resolved', () => {
    for (const url of ['http://bot/', 'https://bot.lan/', 'http://bot.example.org/']) {
      assert.equal(checkWebhookUrl(url, rule).ok, true, url);
    }
    const plain = ruleFor(new URL('http://bot.example.org/'), rule);
    assert.equal(mayReachAddress('93.184.215.14', plain), false);
    assert.equal(mayReachAddress('10.1.2.3', plain), true);
    assert.equal(mayReachAddress('93.184.215.14', ruleFor(new URL('https://bot.example.org/'), rule)), true);
  });

  test('does not allow the metadata service of a cloud, however large it is', () => {
    const wide = { allowsLoopback: false, allowed: ['0.0.0.0/0', '::/0'] };
    for (const ip of [
      '169.254.169.254',
      '169.254.170.2',
      '169.254.170.23',
      '168.63.129.16',
      '100.100.100.200',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd20:ce::254',
      '::ffff:169.254.169.254',
      '::ffff:169.254.170.2',
      // IPv4 inside IPv6, as translators understand it: NAT64 with its usual, its local and any other prefix; 6to4.
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::a9fe:aa02',
      '2001:db8:64::6464:64c8',
      '::169.254.169.254',
      '2002:a9fe:a9fe::1',
    ]) {
      assert.equal(mayReachAddress(ip, wide), false, ip);
      assert.equal(isNeverAllowed(ip), true, ip);
    }
    assert.equal(mayReachAddress('64:ff9b::93.184.215.14', wide), true);
    assert.equal(mayReachAddress('127.0.0.1', wide), true);
  });
});
