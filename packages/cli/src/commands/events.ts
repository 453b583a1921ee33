import type { Causeway, Event } from '@causeway/client'
import type { Command } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import { forwarder, signingSecret } from '../listen/forward.ts'
import { printList } from '../print.ts'
import { tenantOf } from '../tenant.ts'
import { jsonLine, targetOf, textLine } from './listen.ts'

const tenant = { type: 'string', value: 'ID', summary: 'The tenant. Required if your key can read several.' } as const

const maxEvents = 50

export const events: Command = {
  name: 'events',
  summary: `List the newest ${maxEvents} events.`,
  options: { tenant },
  async run(given, terminal) {
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const query = { order: 'newest', limit: maxEvents } as const
    const { data } = await client.send('listEvents', { params: { tenantId }, query })
    const rowOf = ({ timestamp, type, id }: Event) => ({ timestamp, type, id })
    await printList(data, rowOf, { given, terminal, none: 'There are no events yet.' })
  },
}

export const eventsResend: Command = {
  name: 'events resend',
  summary: 'Send an event to your machine again.',
  arguments: ['EVENT_ID'],
  options: {
    'forward-to': { type: 'string', value: 'URL', summary: 'Target, such as http://localhost:3000/webhooks.' },
    tenant,
  },
  async run(given, terminal) {
    const { stopped, err, out } = terminal
    const client = openClient(terminal)
    const target = targetOf(given)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const event = await findEvent(client, tenantId, given.arguments[0] ?? '')
    const secret = signingSecret(readCredentials(terminal), tenantId)
    const answer = await forwarder({ target, secret, stopped, report: err })(event)
    out(given.flag('json') ? jsonLine(event, answer) : textLine(event, answer))
  },
}

async function findEvent({ events: { list } }: Causeway, tenantId: string, id: string): Promise<Event> {
  for await (const event of list(tenantId, { order: 'newest', limit: 100 })) if (event.id === id) return event
  throw new CommandError(`${tenantId} has no event ${id}. Events are kept for 30 days; causeway events lists them.`)
}
