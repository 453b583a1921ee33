import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../../support/http/http-browser.ts'
import { returnUrl } from '../../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking({
    integration: {
      scopes: [
        { name: 'openid' },
        { name: 'email' },
        { name: 'profile', description: 'See your name' },
        { name: 'offline_access' },
        { name: 'files.read', description: 'See your files' },
        { name: 'files.delete' },
        { name: 'files.share', description: '' },
        { name: 'data', description: 'Ihre Daten ändern' },
        { name: 'offline', description: 'Keep access while you are away' },
      ],
    },
  })
})
afterAll(() => world.close())

const open = async (url: string) => (await new HttpBrowser().get(url)).text

const permissionsIn = (text: string) =>
  [...text.matchAll(/<li data-access="(\w+)"><span>([^<]*)<\/span>/g)].map(([, access, words]) => `${access}: ${words}`)

describe('permissions', () => {
  test('lists every requested scope but identity scopes, undescribed ones by name, those that only read last', async () => {
    const { url } = await world.mint()

    const permissions = permissionsIn(await open(url))

    expect(permissions).toEqual([
      ...['delete: files.delete', 'write: files.share', 'write: Ihre Daten ändern'],
      ...['read: See your name', 'read: See your files'],
    ])
  })
})

const personIn = (text: string) => /<bdi>For <strong>([^<]*)<\/strong><\/bdi>/.exec(text)?.[1]

const breakIt = (id: string, cause: string) =>
  world.sql.query(`update connections set status = 'needs_relink', cause = $2 where id = $1`, [id, cause])

describe('a re-link', () => {
  const named = { id: 'zed-1', displayName: 'Zed Zimmer', email: 'zed@acme.example' }

  test('shows the end user’s name from the first link, also after a re-link', async () => {
    const id = await world.link({ endUser: named })
    const first = await world.mintRelink(id)
    await world.relink(id)
    const second = await world.mintRelink(id)

    const pages = [await open(first.url), await open(second.url)]

    expect(pages.map(personIn)).toEqual(['Zed Zimmer', 'Zed Zimmer'])
    expect((await world.api('GET', `/connect-sessions/${second.id}`)).body.endUser).toEqual(named)
  })

  test('shows the end user’s email address for a campaign URL', async () => {
    const id = await world.link({ endUser: { id: 'zed-2', email: 'zed@acme.example' } })
    await breakIt(id, 'grant_revoked')
    const { body } = await world.api('POST', '/campaigns', { causeCode: 'grant_revoked', reason: 'all of them' })

    const page = await open(body.members[0].url)

    expect(personIn(page)).toBe('zed@acme.example')
  })
})

describe('the reason for the request', () => {
  const broken = 'lost access to your Provider account'

  test('shows that a connection is broken', async () => {
    const id = await world.link()
    await breakIt(id, 'client_rejected')

    const page = await open((await world.mintRelink(id)).url)

    expect(page).toContain(broken)
  })

  test('says that a working connection keeps working until the re-link', async () => {
    const page = await open((await world.mintRelink(await world.link())).url)

    expect(page).not.toContain(broken)
    expect(page).toContain('The current connection keeps working until you do.')
  })

  test('shows the tenant’s display name, and no internal terms', async () => {
    await world.api('PUT', '/tenants/globex', { workspace: 'glx-7', displayName: 'Globex', returnUrls: [returnUrl] })
    const page = await open((await world.mint({ tenantId: 'globex' })).url)

    expect(page).toContain('Globex will be able to:')
    expect(page).not.toMatch(/tenant|workspace|glx-7/i)
  })
})
