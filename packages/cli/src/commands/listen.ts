import type { Event } from '@causeway/client'
import { type Command, type Given, UsageError } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { followEvents, startingCursor } from '../listen/follow-events.ts'
import { type Answer, forwarder, signingSecret } from '../listen/forward.ts'
import { columns, printable } from '../table.ts'
import { tenantOf } from '../tenant.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'Forward the events of a tenant to your machine, in order.',
  options: {
    'forward-to': { type: 'string', value: 'URL', summary: 'Target, such as http://localhost:3000/webhooks.' },
    tenant: { type: 'string', value: 'ID', summary: 'The tenant. Required if your key can read several.' },
    since: { type: 'string', value: 'TIME', summary: 'Start with past events: 30s, 10m, 2h, 7d or an ISO time.' },
    'print-secret': { type: 'boolean', summary: 'Print the signing secret and exit.' },
  },
  async run(given, terminal) {
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const secret = signingSecret(readCredentials(terminal), tenantId)
    if (given.flag('print-secret')) {
      await client.tenants.get(tenantId) // fails if the tenant does not exist
      return terminal.out(secret)
    }
    const target = targetOf(given)
    const { stopped, err, out } = terminal
    const after = await startingCursor(client, tenantId, sinceOf(given))
    err(`Listening to events of ${tenantId}. Messages are signed with ${secret}`)
    const forward = forwarder({ target, secret, stopped, report: err })
    for await (const event of followEvents(client, { tenantId, after, stopped, report: err })) {
      const answer = await forward(event)
      out(given.flag('json') ? jsonLine(event, answer) : textLine(event, answer))
    }
  },
}

function targetOf(given: Given): string {
  const target = given.text('forward-to')
  if (!target) throw new UsageError('Name the target: causeway listen --forward-to http://localhost:3000/webhooks')
  const { protocol } = URL.canParse(target) ? new URL(target) : { protocol: '' }
  if (protocol !== 'http:' && protocol !== 'https:') throw new UsageError(`“${target}” is not an http(s) address.`)
  return target
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function sinceOf(given: Given): Date | undefined {
  const since = given.text('since')
  if (since === undefined) return undefined
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(since) ?? []
  const at = new Date(amount ? Date.now() - Number(amount) * unitMs[unit as keyof typeof unitMs] : since)
  if (Number.isNaN(at.getTime())) throw new UsageError(`“${since}” is not a time. Use 30s, 10m, 2h, 7d or an ISO time.`)
  return at
}

const jsonLine = ({ cursor: _, ...event }: Event, response: Answer): string => JSON.stringify({ event, response })

function textLine({ id, type, timestamp }: Event, { status, ms }: Answer): string {
  return columns([[timestamp, type, id, `${status}`, `${ms} ms`].map(printable)]).join('')
}
