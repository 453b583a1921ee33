// The tenant's own color and links on the pages of its users.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const branding = {
  accentColor: '#ffe600',
  supportUrl: 'https://acme.example/help',
  privacyUrl: 'https://acme.example/privacy',
}

const change = (body: object) => world.api('PATCH', '/tenants/acme', body)
const open = async () => (await new HttpBrowser({ 'Accept-Language': 'fr' }).get((await world.mint()).url)).text

describe('a tenant with a color and links', () => {
  test('has them on its pages, in the language of the page, and without a style or script of its own', async () => {
    await change({ branding })

    const page = await open()

    expect(page).toContain('<link rel="stylesheet" href="/accents/ffe600.css">')
    expect(page).toMatch(/<a href="https:\/\/acme\.example\/help" target="_blank" rel="noopener noreferrer">Aide<\/a>/)
    expect(page).toContain('>Confidentialité</a>')
    expect(page).not.toContain('Conditions d’utilisation')
    expect(page).not.toMatch(/style=|<style/)
  })

  test('keeps them when something else is changed, and loses them when they are replaced by nothing', async () => {
    await change({ branding })

    const renamed = await change({ displayName: 'Acme' })
    const put = await world.api('PUT', '/tenants/acme', {
      workspace: 'acme',
      displayName: 'Acme',
      returnUrls: [returnUrl],
    })
    const cleared = await change({ branding: {} })

    expect([renamed.body.branding, put.body.branding]).toEqual([branding, branding])
    expect(cleared.body).not.toHaveProperty('branding')
    expect(await open()).not.toContain('/accents/')
    expect((await world.audit('tenant.put')).at(-1)?.before).toMatchObject({ accentColor: '#ffe600' })
  })
})

test.each([
  [{ accentColor: 'red' }, '/branding/accentColor'],
  [{ accentColor: '#FFE600' }, '/branding/accentColor'],
  [{ accentColor: '#ffe600;}body{display:none' }, '/branding/accentColor'],
  [{ supportUrl: 'javascript:alert(1)' }, '/branding/supportUrl'],
  [{ privacyUrl: 'http://acme.example' }, '/branding/privacyUrl'],
  [{ css: 'body{}' }, '/branding/css'],
])('%j is refused', async (bad, pointer) => {
  const { status, body } = await change({ branding: bad })

  expect(status).toBe(422)
  expect(body.errors[0].pointer).toBe(pointer)
})

describe('the style sheet of a color', () => {
  const get = (name: string) => fetch(`${world.url}/accents/${name}`)

  test('says nothing but colors', async () => {
    const answer = await get('ffe600.css')

    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect((await answer.text()).replace(/--[a-z-]+: #[0-9a-f]{6};/g, '').replace(/\s+/g, ' ')).toBe(
      ':root { } @media (prefers-color-scheme: dark) { :root { } } ',
    )
  })

  test.each(['ffe60.css', 'ffe600', 'FFE600.css', 'ffe600.css.css', 'ffe600%7D.css'])(
    '%s is not found',
    async (name) => {
      expect((await get(name)).status).toBe(404)
    },
  )
})
