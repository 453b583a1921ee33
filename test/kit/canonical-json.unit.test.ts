import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/kit/crypto/canonical-json.ts'

test.each([
  [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
  [{ a: { d: 1, c: [{ z: 1, y: 2 }] } }, '{"a":{"c":[{"y":2,"z":1}],"d":1}}'],
  [{ a: undefined, b: null }, '{"b":null}'],
  [{ 10: 'ten', 9: 'nine', a: 1 }, '{"10":"ten","9":"nine","a":1}'],
  [{ a: 1, B: 2 }, '{"B":2,"a":1}'],
  [{ '': 1 }, '{"":1}'],
  [[3, 1, 2], '[3,1,2]'],
  // RFC 8785, section 3.2.3: sorted by UTF-16 units, so a surrogate pair precedes U+FB33.
  [
    { '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\u{1f600}': 5, '\u0080': 6, '\u00f6': 7 },
    '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}',
  ],
  [
    { numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27] },
    '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
  ],
  ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
])('writes %j as RFC 8785 demands', (value, text) => {
  expect(canonicalJson(value)).toBe(text)
})
