// The last page of a re-link without a return URL.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { misbehaviours } from '../../../support/doubles/provider/misbehaviours.ts'
import { type RelinkWorld, startRelinking, titleOf } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterEach(() => world.provider.calm())
afterAll(() => world.close())

test('reports an operator fault in words that the user understands', async () => {
  const id = await world.link()
  world.provider.misbehave(misbehaviours.invalidClient)

  const { page, link } = await world.relink(id)

  expect(link.cause.code).toBe('client_rejected')
  expect(titleOf(page)).toBe('Provider rejected the connection')
  expect(page.text).toContain('For help, please contact Acme.')
  expect(page.text).not.toMatch(/OAuth|secret/)
})

test('O13: missing permissions have the same names as on the connect page, with a retry button', async () => {
  const id = await world.link()
  world.provider.misbehave(misbehaviours.narrowerScope)

  const { page, link, browser } = await world.relink(id)
  world.provider.calm()
  const form = /<form [^>]*action="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const again = await browser.follow(await browser.post(new URL(form, page.url).href))

  expect(form).toBe(`/links/${link.id}/again`)
  expect(titleOf(again)).toBe('Provider is reconnected')
  expect(page.text).toContain('Try again and leave every permission selected.')
  expect(page.text).toContain('<li>See your files</li>')
  expect(page.text).not.toContain('files.read')
})
