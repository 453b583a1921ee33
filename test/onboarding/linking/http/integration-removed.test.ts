// The deployment changed while somebody was on their way: the integration or its OAuth client is gone.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { misbehaviours } from '../../../support/doubles/provider/misbehaviours.ts'
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

describe.each(Object.entries(gone))('while %s is gone', (_what, take) => {
  test('who continues is told that it is not theirs to mend, and it is on record under the request id of the page', async () => {
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

  test('the session was not used up: once it is back, the same address works', async () => {
    const minted = await world.mint()
    const browser = new HttpBrowser()
    now = take
    await browser.post(minted.url)
    now = (integration) => integration

    const { query } = await world.consent(minted, browser)

    expect(query.status).toBe('authorized')
  })

  test('who comes back from consent goes on to the tenant, and the link has ended with the cause', async () => {
    const minted = await world.mint()
    const { url, browser } = await world.untilCallback(minted)
    const before = world.provider.seen.tokenRequests.length
    now = take

    const visited = await browser.get(url)

    const target = new URL(visited.headers.get('location') ?? '')
    expect([visited.status, target.origin]).toEqual([303, 'https://acme.example'])
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      status: 'failed',
      cause_code: 'integration_removed',
    })
    expect(await world.linkBy(minted.id)).toMatchObject({ status: 'failed', cause: { code: 'integration_removed' } })
    expect(await auditOf(visited)).toMatchObject([
      { action: 'callback.rejected', tenant: 'acme', facts: { refusal: 'integration_removed' } },
      { action: 'link.failed', tenant: 'acme', facts: { cause: 'integration_removed' } },
    ])
    expect(world.provider.seen.tokenRequests).toHaveLength(before)
  })

  test('without a tenant to go back to, the last page of a re-link says it', async () => {
    const { url } = await world.mintRelink(await world.link())
    const browser = new HttpBrowser()
    const atCallback = await browser.follow(await browser.post(url), `${world.url}/oauth/callback`)
    now = take

    const page = await browser.follow(await browser.get(atCallback.url))

    expect(page.status).toBe(200)
    expect(page.text).toContain('data-kind="error"')
  })

  test('who is to agree once more goes back to the tenant instead, with the cause', async () => {
    const minted = await world.mint({ completionChallenge: undefined })
    world.provider.misbehave(misbehaviours.noRefreshToken)
    const { url, browser } = await world.untilCallback(minted)
    const asked = await browser.follow(await browser.get(url), `${world.url}/links/`)
    now = take

    const back = await browser.follow(await browser.get(asked.url), 'https://acme.example')

    expect(new URL(back.url).searchParams.get('cause_code')).toBe('integration_removed')
  })
})

test('who opens the page of an integration that is gone is told the same, on record', async () => {
  const minted = await world.mint()
  now = gone['the integration']

  const visited = await new HttpBrowser().get(minted.url)

  expect([visited.status, titleOf(visited)]).toEqual([409, 'This app can’t be connected right now'])
  expect(await auditOf(visited)).toMatchObject([
    { action: 'connect.rejected', facts: { refusal: 'integration_removed' } },
  ])
})
