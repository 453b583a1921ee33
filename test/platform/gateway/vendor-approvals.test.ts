// A call of a vendor's server that needs an approval, and asks its user something: one approval is for one call.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { tool } from '../../support/doubles/vendor-mcp/vendor-server.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type VendorWorld, vendorWorld } from '../../support/worlds/vendor-world.ts'

const capabilities = { elicitation: { form: {}, url: {} } }
const urlRequired = -32_042

const asking = {
  modern: ['form', 'page'],
  sessions: ['form', 'page', 'page_first', 'form_meanwhile'],
} as const

describe.each(['modern', 'sessions'] as const)('a vendor of the age %s', (age) => {
  const browser = new HttpBrowser()
  let world: VendorWorld

  beforeAll(async () => {
    const file = join(temporaryFolder(), 'policy.json')
    writeFileSync(file, JSON.stringify({ rules: [{ approval: { calls: 'destructive' } }] }))
    const port = await freePort()
    const PUBLIC_URL = `http://127.0.0.1:${port}`
    const env = { PUBLIC_URL, PORT: String(port), TOOL_POLICY_FILE: file }
    world = await vendorWorld({ age, toolChanges: 'allow', env })
    world.vendor.state.tools = asking[age].map(tool)
    await world.platform.listen(port)
    const endUser = { id: 'user-1', label: 'first@acme.example' }
    const { body } = await world.api.post('/v0/functions/vendor/logins').send({ endUser }).expect(200)
    await browser.get(body.url)
    await browser.post(body.url)
  })
  afterAll(() => world.close())

  const calls = () => world.vendor.state.requests.filter(({ body }) => body.includes('tools/call')).length

  describe.each(['auto', 'legacy'] as const)('and a client (%s)', (mode) => {
    /** Notes `approval` for the page of an approval, and `vendor` for a question of the vendor. */
    async function person(client: Client) {
      const asked: string[] = []
      const open = async (url = '') => {
        const isApproval = url.includes('/oauth/approval/')
        asked.push(isApproval ? 'approval' : 'vendor')
        if (isApproval) await browser.post(url, { decision: 'once' })
      }
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const url = 'url' in params ? params.url : undefined
        await open(url)
        return { action: 'accept', ...(url === undefined && { content: { name: 'Ada' } }) }
      })
      return { asked, open }
    }

    test.each(asking[age])('%s: is asked for one approval, which a second call cannot use', async (name) => {
      world.vendor.state.asked = []
      const client = await world.connect(mode, { capabilities })
      const { asked, open } = await person(client)
      const call = { name, arguments: { mode } }
      const answered = async (): Promise<unknown> =>
        client.callTool(call).catch(async ({ code, data }: ProtocolError) => {
          const { elicitations } = data as { elicitations: { url: string }[] }
          expect(code).toBe(urlRequired)
          await open(elicitations[0]?.url)
          return answered()
        })

      const result = await answered()
      const before = calls()
      const again = (await client
        .callTool(call, { allowInputRequired: true } as never)
        .catch(({ data }: ProtocolError) => data)) as object

      expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/accept|signed/) }] })
      expect(asked.filter((what) => what === 'approval')).toHaveLength(1)
      expect(asked.length).toBeGreaterThan(1)
      expect([JSON.stringify(again).includes('/oauth/approval/'), calls() - before]).toEqual([true, 0])
    })
  })
})
