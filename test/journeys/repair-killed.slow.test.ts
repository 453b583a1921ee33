// Either program is killed between two steps of a repair. The call is answered once or reported, and reaches the app once.
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { button, heading } from './filebox-visit.ts'
import { connectedClient } from './mcp-client.ts'
import { type Called, isConnected, linkFirst, type RepairVisit, repairVisit } from './repair-visit.ts'

let visit: RepairVisit
let own: Awaited<ReturnType<RepairVisit['unlinkedFunction']>>

beforeAll(async () => {
  visit = await repairVisit()
  own = await visit.unlinkedFunction('is-interrupted')
  const client = await connected()
  const failed = (await client.callTool(addFile('first.txt'))) as Called
  await client.close()
  await linkFirst(own.person, failed._meta?.repairUrl ?? '')
  await isConnected(own.person)
}, 240_000)
afterAll(() => visit?.close())

const addFile = (name: string) => ({ name: 'add_file', arguments: { name, content: 'x' } })

/** The test repeats calls itself. */
const byHand = { capabilities: { elicitation: { url: {} } }, inputRequired: { autoFulfill: false } }

const connected = (options = {}) => connectedClient(own.mcpUrl, own.token, { mode: 'auto', ...options })

type Input = { requestState: string; inputRequests: { repair: { params: { url: string } } } }

async function ask(name: string): Promise<Input> {
  const client = await connected(byHand)
  const input = await client.callTool(addFile(name), { allowInputRequired: true })
  await client.close()
  return input as unknown as Input
}

/** True if it was answered. Otherwise the client learns that it was not. */
async function repeat(name: string, { requestState }: Input): Promise<boolean> {
  const client = await connected(byHand).catch(() => undefined)
  const repeated = { ...addFile(name), requestState, inputResponses: { repair: { action: 'accept' } } }
  const result = await client?.callTool(repeated as never, { allowInputRequired: true }).catch(() => undefined)
  await client?.close().catch(() => undefined)
  return (result as Called | undefined)?.isError === false
}

async function filesNamed(name: string): Promise<number> {
  const client: Client = await connected()
  const listed = (await client.callTool({ name: 'list_files', arguments: { query: name } })) as Called
  await client.close()
  return JSON.parse(listed.content[0]?.text ?? '').files.length
}

async function killAndRestart(victim: 'onboarding' | 'platform') {
  process.kill(visit.demo.pidOf(victim), 'SIGKILL')
  await visit.demo.ended
  await visit.restart()
}

const steps = ['asked', 'at the page', 'at the consent', 'linked', 'waiting for the answer'] as const

test.each((['platform', 'onboarding'] as const).flatMap((victim) => steps.map((step) => [victim, step] as const)))(
  'the %s is killed when the call is %s',
  async (victim, step) => {
    const name = `${victim}-${step.replaceAll(' ', '-')}.txt`
    const { person } = own
    await visit.removeAccess(person)
    const interrupt = async (at: (typeof steps)[number]) => {
      if (at === step) await killAndRestart(victim)
    }
    const input = await ask(name)
    const { url } = input.inputRequests.repair.params

    await interrupt('asked')
    await person.goto(url)
    await heading(person, 'Reconnect Filebox to Acme').waitFor()
    await interrupt('at the page')
    await button(person, 'Continue to Filebox').click()
    await heading(person, 'Acme wants to access your Filebox').waitFor()
    const early = step === 'waiting for the answer' ? repeat(name, input) : undefined
    await interrupt('at the consent')
    await interrupt('waiting for the answer')
    await button(person, 'Allow').click()
    await isConnected(person)
    await interrupt('linked')
    const answers = [await early, await repeat(name, input), await repeat(name, input)]

    expect(answers.filter((answered) => answered)).toHaveLength(1)
    expect(await filesNamed(name)).toBe(1)
  },
  180_000,
)
