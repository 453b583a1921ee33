// Either program is killed between two steps of a repair. The call is answered once or reported, and reaches the app at
// most once.
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { button, heading, signInToFilebox } from './filebox-visit.ts'
import { connectedClient } from './mcp-client.ts'
import { type Called, isConnected, linkFirst, type RepairVisit, repairVisit } from './repair-visit.ts'
import type { WatchedPage } from './watched-browser.ts'

let visit: RepairVisit
let own: Awaited<ReturnType<RepairVisit['unlinkedFunction']>>

beforeAll(async () => {
  visit = await repairVisit()
}, 240_000)

/** A connection is reconnected at most ten times a minute. */
const maxRepairs = 8
let repairs = 0

beforeEach(async () => {
  if (repairs++ % maxRepairs > 0) return
  own = await visit.unlinkedFunction(`is-interrupted-${repairs}`)
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

const connected = (options: Partial<Parameters<typeof connectedClient>[2]> = {}) =>
  connectedClient(own.mcpUrl, own.token, { mode: 'auto', ...options })

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

const victims = ['platform', 'onboarding'] as const

/** Kills one program, the next time the other one, and so on. */
function killing(first: (typeof victims)[number]): () => Promise<void> {
  let next = victims.indexOf(first)
  return () => killAndRestart(victims[next++ % 2] ?? first)
}

type Step = 'asked' | 'at the page' | 'at the consent' | 'linked'

async function reconnect(url: string, reached: (step: Step) => Promise<void>) {
  const { person } = own
  await reached('asked')
  await person.goto(url)
  await heading(person, 'Reconnect Filebox to Acme').waitFor()
  await reached('at the page')
  await button(person, 'Continue to Filebox').click()
  await heading(person, 'Acme wants to access your Filebox').waitFor()
  await reached('at the consent')
  await button(person, 'Allow').click()
  await isConnected(person)
  await reached('linked')
}

test.each(victims)(
  'a call is answered once if the %s and the other program are killed in turn at every step',
  async (first) => {
    const kill = killing(first)
    const name = `${first}.txt`
    await visit.removeAccess(own.person)
    const input = await ask(name)
    let early: Promise<boolean> | undefined

    await reconnect(input.inputRequests.repair.params.url, async (step) => {
      // A call that waits for the repair is cut off or continues.
      if (step === 'at the consent') early = repeat(name, input)
      if (step === 'linked') await early
      await kill()
    })
    const answers = [await early, await repeat(name, input), await repeat(name, input)]

    expect(answers.filter((answered) => answered)).toHaveLength(1)
    expect(await filesNamed(name)).toBe(1)
  },
  300_000,
)

type Form = 'error -32042' | 'a card' | 'a sentence'

const byClient: Record<Form, Parameters<typeof connectedClient>[2]> = {
  'error -32042': { mode: 'legacy', capabilities: { elicitation: { url: {} } } },
  'a card': {
    mode: 'auto',
    capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
  },
  'a sentence': { mode: 'auto', capabilities: {} },
}

type Outcome = { answered: boolean; url?: string }

/** As a client that knows nothing of earlier calls. */
async function callOnce(name: string, form: Form): Promise<Outcome> {
  const client = await connected(byClient[form]).catch(() => undefined)
  const outcome = await client?.callTool(addFile(name)).then(
    ({ isError, _meta }) => ({ answered: isError === false, url: (_meta as Called['_meta'])?.repairUrl }),
    ({ data }) => ({ answered: false, url: data?.elicitations?.[0]?.url }),
  )
  await client?.close().catch(() => undefined)
  return outcome ?? { answered: false }
}

async function hasCard(): Promise<boolean> {
  const client = await connected(byClient['a card'])
  const { tools } = await client.listTools()
  await client.close()
  return tools.some(({ name }) => name === 'causeway_open_page')
}

test.each(Object.keys(byClient) as Form[])(
  'the programs are killed in turn during a repair that is told by %s',
  async (form) => {
    const kill = killing('platform')
    const name = form.replaceAll(' ', '-')
    await visit.removeAccess(own.person)
    const told = await callOnce(`${name}.txt`, form)

    await reconnect(told.url ?? '', async (step) => {
      if (step !== 'asked' && step !== 'linked') return
      await kill()
      expect(await hasCard()).toBe(true)
    })
    const [interrupted] = await Promise.all([callOnce(`${name}.txt`, form), kill()])
    const later = await callOnce(`${name}-later.txt`, form)

    expect([told.answered, later.answered]).toEqual([false, true])
    expect(await filesNamed(`${name}.txt`)).toBeLessThanOrEqual(1)
    if (interrupted.answered) expect(await filesNamed(`${name}.txt`)).toBe(1)
    expect(await filesNamed(`${name}-later.txt`)).toBe(1)
  },
  300_000,
)

test.each(victims)(
  'the %s is killed at every step of a first link',
  async (victim) => {
    own = await visit.unlinkedFunction(`${victim}-is-killed`)
    const { person } = own
    const name = `${victim}-first.txt`
    const input = await ask(name)
    const { url } = input.inputRequests.repair.params

    await killAndRestart(victim)
    await person.goto(url)
    await heading(person, 'Connect Filebox to Acme').waitFor()
    await killAndRestart(victim)
    await button(person, 'Continue to Filebox').click()
    await signInToFilebox(person, 'second')
    await killAndRestart(victim)
    // Somewhere between the consent and the end of the link.
    await Promise.all([
      button(person, 'Allow')
        .click()
        .catch(() => 'no page'),
      killAndRestart(victim),
    ])
    await openAgain(person, url)
    const answers = [await repeat(name, input), await repeat(name, input)]

    expect(answers).toEqual([true, false])
    expect(await filesNamed(name)).toBe(1)
  },
  300_000,
)

/** The person may have to sign in and consent again. */
async function openAgain(person: WatchedPage, url: string) {
  await person.goto(url)
  const isDone = heading(person, 'Filebox works')
  await isDone.or(heading(person, 'Connect Filebox to Acme')).waitFor()
  if (await isDone.isVisible()) return
  await button(person, 'Continue to Filebox').click()
  const allow = button(person, 'Allow')
  await allow.or(button(person, 'Sign in')).waitFor()
  if (!(await allow.isVisible())) await signInToFilebox(person, 'second')
  await allow.click()
  await isConnected(person)
}
