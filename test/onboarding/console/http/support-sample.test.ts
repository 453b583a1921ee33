// Sample data in the console: marked on every page, and enough for each to have something to show.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSample } from '../../../../src/onboarding/cli/sample.ts'
import { readConfig } from '../../../../src/onboarding/config.ts'
import { people } from '../../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../../support/http/http-browser.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld
let admin: HttpBrowser
const add = () => addSample({ world: world.world, flows: world.flows, config: readConfig(world.env) })

beforeAll(async () => {
  world = await startConsoleWorld({ env: { SAMPLE_DATA: 'shown' }, integration: { id: 'filebox' } })
  await add()
  admin = await world.signIn(people.admin)
})
afterAll(() => world.close())

test.each(['', '/connections', '/links', '/campaigns', '/tenants', '/keys', '/webhooks', '/audit', '/search?q=user-1'])(
  'the page %s has something to show, and says that it is a sample',
  async (path) => {
    const page = await world.open(admin, path)

    expect(page.status).toBe(200)
    expect(page.text).toContain('<strong>Sample data</strong>')
    expect(page.text).toContain('sample-')
    expect(page.text).not.toContain('class="empty"')
  },
)

test.each([
  ['links', '/links/'],
  ['connections', '/connections/'],
  ['campaigns', '/campaigns/'],
  ['api_keys', '/keys/'],
])('every page of %s can be opened', async (table, path) => {
  const { rows } = await world.sql.query(`select id from ${table} order by md5(id) limit 25`)
  for (const { id } of rows) expect((await world.open(admin, `${path}${id}`)).status, id).toBe(200)
})

test('a second time adds nothing', async () => {
  const count = async () => (await world.sql.query('select count(*) from audit')).rows[0].count
  const before = await count()

  expect(await add()).toBe(0)
  expect(await count()).toBe(before)
})

test('nothing is made up for a deployment that others can reach', async () => {
  const config = { ...readConfig(world.env), publicUrl: 'https://connect.example.com' }

  await expect(addSample({ world: world.world, flows: world.flows, config })).rejects.toThrow(/demo on this machine/)
})
