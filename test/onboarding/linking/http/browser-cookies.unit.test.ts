import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { browserCookies } from '../../../../src/onboarding/linking/http/browser-cookies.ts'

const cookies = browserCookies({ https: false })
const sending = (cookie?: string) => ({ headers: { cookie } }) as Request

function given(linkId: string, secret: string): string {
  const set: string[] = []
  const res = { cookie: (name: string, value: string) => set.push(`${name}=${value}`) } as unknown as Response
  cookies.give(sending(), res, linkId, secret)
  return set.join('; ')
}

test('reads every flow cookie among other cookies', () => {
  const [one, two] = [given('lnk_1', 'secret-1'), given('lnk_2', 'secret-2')]

  const alone = cookies.digests(sending(one))
  const among = cookies.digests(sending(`theme=dark; ${one}; broken; ${two}; cf-empty=`))

  expect(alone).toHaveLength(1)
  expect(among).toHaveLength(2)
  expect(among).toContain(alone[0])
  expect(cookies.digests(sending())).toEqual([])
})

test('S5: cookies planted by a neighbouring host are ignored and block no user', () => {
  const real = given('lnk_1', 'secret-1')
  const alone = cookies.digests(sending(real))
  const [name = '', value = ''] = real.split('=')
  const junk = Array.from({ length: 12 }, (_, at) => `cf-junk${at}=zzzzzzzzz.planted`)

  for (const planted of [`\u00a0${name}=${value}x`, `\u3000${name}=x`, `${name}x=${value}`, `cf-=${value}`, ...junk]) {
    expect(cookies.digests(sending(`${planted}; ${real}`))).toEqual(alone)
  }
  expect(cookies.digests(sending(`\u00a0${real}`))).toEqual([])
  expect(cookies.digests(sending([...junk, real].join('; ')))).toEqual(alone)
})

test.each([
  ['after the real one', (real: string, planted: string) => `${real}; ${planted}`],
  ['before the real one', (real: string, planted: string) => `${planted}; ${real}`],
  ['with a space in its name', (real: string, planted: string) => `${planted.replace('=', ' =')}; ${real}`],
])('a duplicate cookie %s invalidates both', (_where, header) => {
  const real = given('lnk_1', 'secret-1')
  const planted = given('lnk_1', 'planted')

  expect(cookies.digests(sending(header(real, planted)))).toEqual([])
})
