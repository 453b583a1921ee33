import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { placeOfForm } from '../../../../src/onboarding/console/http/form-places.ts'

const folder = new URL('../../../../src/onboarding/console/http/pages/', import.meta.url)

/** Of all routes that take a form. */
const addresses = readdirSync(folder).flatMap((file) =>
  [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\.post\(\s*'([^']+)'/g)].map(([, path = '']) => path),
)

/** Forms without fields, and the preview, which opens in a new tab. */
const withoutPlace = ['/sign-out', '/sign-out-everywhere', '/tenants/:id/branding/preview']

test('every form of the console has a page that renders it again', () => {
  const lost = addresses.filter((path) => placeOfForm(path.replaceAll(':', ''), {}) === undefined)

  expect(addresses.length).toBeGreaterThan(30)
  expect(lost.sort()).toEqual(withoutPlace)
})

test.each([
  ['/tenants', '/tenants/new'],
  ['/tenants/acme', '/tenants/acme'],
  ['/tenants/acme/oauth-clients/gmail/delete', '/tenants/acme'],
  ['/tenants/acme/webhooks/whk_1/rotate-secret', '/tenants/acme'],
  ['/tenants/acme/logos/dark/delete', '/tenants/acme/branding'],
  ['/keys/key_1/revoke', '/keys/key_1'],
  ['/campaigns/cmp_1/cancel', '/campaigns/cmp_1'],
  ['/links/lnk_1/end', '/links/lnk_1'],
  ['/connections/con_1/addresses/cs_1/cancel', '/connections/con_1'],
  ['/connections/con_1/mcp-clients/grant/revoke', '/connections/con_1/mcp-clients'],
  ['/connections/con_1/tool-policy/rollback', '/connections/con_1/tool-policy'],
  ['/tenants/acme/tool-policy/rollback', '/tenants/acme/tool-policy'],
  ['/connections/con_1/mcp-clients/fg_1/tool-policy/rollback', '/connections/con_1/mcp-clients/fg_1/tool-policy'],
  ['/webhooks/acme/evt_1/replay', '/webhooks/acme/evt_1'],
])('the form that posts to %s is on %s', (path, page) => {
  expect(placeOfForm(path, {})?.page).toBe(page)
})

test('a list or preview keeps its filter and takes nothing else from the form', () => {
  const sent = { cause: 'client_rejected', tenant: 'a&b', days: '3', reason: 'ticket 1', integration: ['x', 'y'] }

  expect(placeOfForm('/campaigns', sent)?.page).toBe('/campaigns/new?cause=client_rejected&tenant=a%26b&days=3')
  expect(placeOfForm('/links/resume', sent)?.page).toBe(
    '/links?state=needs_attention&cause=client_rejected&tenant=a%26b',
  )
})
