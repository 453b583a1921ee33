// The integration or its OAuth client is removed during a link.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { HttpBrowser, type Visit } from '../../../support/http/http-browser.ts'
import { type RelinkWorld, startRelinking, titleOf } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

const gone = {
  'the OAuth client': (integration: Integration | undefined) => integration && { ...integration, client: undefined },
  'the integration': () => undefined,
}
let now = (integration: Integration | undefined) => integration

beforeAll(async () => {
  world = await startRelinking({
    env: { CONNECT_COMPLETION: 'optional' },
    replace: ({ integrations }) => ({
      integrations: {
        ...integrations,
        find: (id) => now(integrations.find(id)),
        of: (thing) => now(integrations.of(thing)),
      },
    }),
  })
})
afterEach(() => {
  now = (integration) => integration
  world.provider.calm()
})
afterAll(() => world.close())

const operatorsWords = /OAuth|client|configured|Restore the integration/

const requestIdOf = ({ headers }: Visit) => headers.get('x-request-id')

const auditOf = async (visited: Visit) =>
  (await world.sql.query('select * from audit where request_id = $1 order by id', [requestIdOf(visited)])).rows

describe.each(Object.entries(gone))('without %s', (_what, take) => {
  test('tells the user that they cannot fix it, and audits it under the request ID of the page', async () => {
    const minted = await world.mint()
    now = take

    const visited = await new HttpBrowser().post(minted.url)

    expect([visited.status, titleOf(visited)]).toEqual([409, 'This app can’t be connected right now'])
    expect(visited.text).toContain('Please contact the team that sent you here')
    expect(visited.text).not.toMatch(operatorsWords)
    expect(visited.text).toContain(requestIdOf(visited))
    expect(await auditOf(visited)).toMatchObject([
      { action: 'connect.rejected', tenant: 'acme', actor_kind: 'browser', facts: { refusal: 'integration_removed' } },
    ])
  })

  test('a re-link without a return URL explains it on its last page', async () => {
    const { url } = await world.mintRelink(await world.link())
    const browser = new HttpBrowser()
    const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)
    now = take

    const page = await browser.follow(await browser.get(atCallback.url))

    expect(page.status).toBe(200)
    expect(page.text).toContain('data-kind="error"')
  })
})

test('the connect page of a removed integration reports it and is audited', async () => {
  const minted = await world.mint()
  now = gone['the integration']

  const visited = await new HttpBrowser().get(minted.url)

  expect([visited.status, titleOf(visited)]).toEqual([409, 'This app can’t be connected right now'])
  expect(await auditOf(visited)).toMatchObject([
    { action: 'connect.rejected', facts: { refusal: 'integration_removed' } },
  ])
})
