// What is on record about a connection, and how people get at it.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../support/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/console-world.ts'
import type { HttpBrowser } from '../../support/http-browser.ts'

let world: ConsoleWorld
let agent: HttpBrowser

beforeAll(async () => {
  world = await startConsoleWorld({ integration: { health: { tool: 'list_files' } } })
  agent = await world.signIn(people.agent)
})

afterAll(() => world.close())

const read = async (path: string) => (await world.open(agent, path)).text

async function link() {
  const minted = await world.mint()
  return (await world.complete(minted, (await world.consent(minted)).query)).body
}

test('the record of a connection has every step of the link that made it', async () => {
  const { connection } = await link()

  const { body } = await world.api('GET', `/audit?connection=${connection.id}`)

  const actions = body.data.map(({ action }: { action: string }) => action).reverse()
  expect(actions.slice(0, 4)).toEqual(['link.started', 'link.code_held', 'link.exchanging', 'link.escrowed'])
  expect(actions.at(-1)).toBe('link.linked')
})
