import { setTimeout as sleep } from 'node:timers/promises'
import type { Causeway, Event } from '@causeway/client'
import { type Command, type Given, UsageError } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { followEvents } from '../listen/follow-events.ts'
import { type Forwarded, forward } from '../listen/forward.ts'
import { lock } from '../listen/lock.ts'
import { type ListenState, newSecret, type StateFile, stateFile } from '../listen/state.ts'
import { columns, printable } from '../table.ts'
import { tenantOf } from '../tenant.ts'
import type { Terminal } from '../terminal.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'Forward the events of a tenant to your machine, each once and in order, also over restarts.',
  options: {
    'forward-to': {
      type: 'string',
      value: 'URL',
      summary: 'Where to send them, such as http://localhost:3000/webhooks.',
    },
    tenant: { type: 'string', value: 'ID', summary: 'The tenant, if your key sees several.' },
    'print-secret': { type: 'boolean', summary: 'Print the secret that signs messages, and end.' },
  },
  async run(given, terminal) {
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const file = stateFile(terminal.stateFolder, { url: readCredentials(terminal).url, tenantId })
    if (given.flag('print-secret')) return terminal.out((file.read() ?? begin(file)).secret)
    const target = targetOf(given)
    const unlock = lock(`${file.path}.lock`)
    try {
      await listenTo({ client, tenantId, file, target, given, terminal })
    } finally {
      unlock()
    }
  },
}

function begin(file: StateFile): ListenState {
  const state = { secret: newSecret() }
  file.write(state)
  return state
}

function targetOf(given: Given): string {
  const target = given.text('forward-to')
  if (!target) throw new UsageError('Say where events go: causeway listen --forward-to http://localhost:3000/webhooks')
  const { protocol } = URL.canParse(target) ? new URL(target) : { protocol: '' }
  if (protocol !== 'http:' && protocol !== 'https:') throw new UsageError(`“${target}” is not an http(s) address.`)
  return target
}

type Listening = {
  client: Causeway
  tenantId: string
  file: StateFile
  target: string
  given: Given
  terminal: Terminal
}

const everyMs = 1_000

async function listenTo({ client, tenantId, file, target, given, terminal }: Listening): Promise<void> {
  const known = file.read()
  // Whoever listens for the first time wants what happens from now on; after that, everything since the last time.
  let state = known ?? { ...begin(file), cursor: await newestCursor(client, tenantId) }
  file.write(state)
  terminal.err(`Listening to events of ${tenantId}. Messages are signed with ${state.secret}`)
  if (state.sending) terminal.err(`${state.sending} may have arrived before the last run was killed. It is sent again.`)
  const { stopped } = terminal
  const onAway = (isAway: boolean) =>
    terminal.err(isAway ? 'The deployment does not answer. Trying again.' : 'The deployment answers again.')
  for await (const event of followEvents(client, { tenantId, after: state.cursor, stopped, everyMs, onAway })) {
    state = { ...state, sending: event.id }
    file.write(state)
    const forwarded = await untilAnswered(target, state.secret, event, terminal)
    state = { ...state, cursor: event.cursor, sending: undefined }
    file.write(state)
    terminal.out(given.flag('json') ? jsonLine(event, forwarded) : lineOf(event, forwarded))
  }
}

async function newestCursor({ send }: Causeway, tenantId: string): Promise<string | undefined> {
  const { data } = await send('listEvents', { params: { tenantId }, query: { order: 'newest', limit: 1 } })
  return data[0]?.cursor
}

type Answered = Extract<Forwarded, { status: number }>

const longestMs = 10_000

/** An answer is an answer, whatever its status: it is printed. A receiver that is away is waited for. */
async function untilAnswered(url: string, secret: string, event: Event, terminal: Terminal): Promise<Answered> {
  const { id, type, timestamp, data } = event
  const message = { id, body: JSON.stringify({ type, timestamp, data }) }
  for (let attempt = 1; ; attempt += 1) {
    const forwarded = await forward(url, secret, message)
    if (forwarded.status !== undefined) return forwarded
    if (attempt === 1) terminal.err(`${url} does not answer (${forwarded.reason}). Trying again.`)
    await sleep(Math.min(longestMs, 250 * 2 ** attempt), undefined, { signal: terminal.stopped })
  }
}

const jsonLine = ({ cursor: _, ...event }: Event, forwarded: Answered): string =>
  JSON.stringify({ event, response: forwarded })

function lineOf({ id, type, timestamp }: Event, { status, ms }: Answered): string {
  const cells = [timestamp, type, id, `${status}`, `${ms} ms`].map(printable)
  return columns([cells]).join('')
}
