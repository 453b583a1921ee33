import { expect, test } from 'vitest'
import { visitor, visitorNetwork } from '../../src/kit/http/visitor.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['not an address', 'unknown'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('%j counts as %s', (address, expected) => {
  expect(visitor(address)).toBe(expected)
})

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:3::9', '2001:db8:1::/48'],
])('T7: %j is in the network %s', (address, expected) => {
  expect(visitorNetwork(address)).toBe(expected)
})
