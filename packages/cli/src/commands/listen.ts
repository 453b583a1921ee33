import type { Causeway, Event } from '@causeway/client'
import { type Command, type Given, UsageError } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { followEvents } from '../listen/follow-events.ts'
import { type Answered, startForwarder, waitForLastForwarder } from '../listen/forwarder.ts'
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
    if (given.flag('print-secret')) {
      await client.tenants.get(tenantId) // a secret for a tenant that is not there would sign nothing, ever
      return terminal.out((file.read() ?? begin(file)).secret)
    }
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
  const { stopped } = terminal
  await waitForLastForwarder(file.path, stopped, () => terminal.err(waitingFor(file.read()?.sending)))
  const { cursor } = await startingState(client, tenantId, file, terminal)
  const assignment = { statePath: file.path, target }
  const notices = noticesOn(target, terminal)
  const forwarder = await startForwarder({ program: terminal.program, assignment, notices, stopped })
  const onAway = (isAway: boolean) =>
    terminal.err(isAway ? 'The deployment does not answer. Trying again.' : 'The deployment answers again.')
  const watch = { tenantId, after: cursor ?? undefined, stopped, everyMs, onAway }
  try {
    for await (const event of followEvents(client, watch)) {
      const answered = await forwarder.send({ message: messageOf(event), cursor: event.cursor })
      terminal.out(given.flag('json') ? jsonLine(event, answered) : lineOf(event, answered))
    }
  } finally {
    forwarder.letGo()
  }
}

/** Whoever listens for the first time wants what happens from now on; after that, everything since the last time. */
async function startingState(client: Causeway, tenantId: string, file: StateFile, terminal: Terminal) {
  const known = file.read() ?? begin(file)
  const isFirst = known.cursor === undefined
  const state = isFirst ? { ...known, cursor: await newestCursor(client, tenantId) } : known
  if (isFirst) file.write(state)
  terminal.err(`Listening to events of ${tenantId}. Messages are signed with ${state.secret}`)
  if (state.last) terminal.err(`Continuing after ${state.last.id}, which was answered with ${state.last.status}.`)
  if (state.sending) {
    terminal.err(`${state.sending} may have arrived before its connection broke. It is sent again, with the same id.`)
  }
  return state
}

/** Null: there is no event yet. */
async function newestCursor({ send }: Causeway, tenantId: string): Promise<string | null> {
  const { data } = await send('listEvents', { params: { tenantId }, query: { order: 'newest', limit: 1 } })
  return data[0]?.cursor ?? null
}

const waitingFor = (id: string | undefined) =>
  `${id ?? 'A message'} is still on its way from the last run. Waiting for your server to answer it.`

const noticesOn = (url: string, { err }: Terminal) => ({
  onAway: (reason: string) => err(`${url} does not answer (${reason}). Trying again.`),
  onWaiting: () => err(`${url} has the message and has not answered for half a minute. Still waiting.`),
})

const messageOf = ({ id, type, timestamp, data }: Event) => ({ id, body: JSON.stringify({ type, timestamp, data }) })

const jsonLine = ({ cursor: _, ...event }: Event, answered: Answered): string =>
  JSON.stringify({ event, response: answered })

function lineOf({ id, type, timestamp }: Event, { status, ms }: Answered): string {
  const cells = [timestamp, type, id, `${status}`, `${ms} ms`].map(printable)
  return columns([cells]).join('')
}
