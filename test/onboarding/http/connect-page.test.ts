// What somebody reads before they agree.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http-browser.ts'
import { type RelinkWorld, startRelinking } from '../../support/relink-world.ts'

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
      ],
    },
  })
})
afterAll(() => world.close())

const open = async (url: string) => (await new HttpBrowser().get(url)).text

const permissionsIn = (text: string) => [...text.matchAll(/<li><span>([^<]*)<\/span>/g)].map(([, words]) => words)

describe('permissions', () => {
  test('whatever is asked for is listed, by its name where nobody described it; who signs in is not', async () => {
    const { url } = await world.mint()

    const permissions = permissionsIn(await open(url))

    expect(permissions).toEqual([
      'See your name',
      'See your files',
      'files.delete',
      'files.share',
      'Do this while you are away, until you take it back',
    ])
  })
})
