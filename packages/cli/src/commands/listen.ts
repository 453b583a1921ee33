import type { Event } from '@causeway/client'
import { type Command, type Given, UsageError } from '../command.ts'
import { openClient, readCredentials } from '../credentials.ts'
import { CommandError } from '../errors.ts'
import { followEvents, startingCursor } from '../listen/follow-events.ts'
import { type Answer, forwarder, signingSecret } from '../listen/forward.ts'
import { columns, printable } from '../table.ts'
import { tenantOf } from '../tenant.ts'
import type { Terminal } from '../terminal.ts'

export const listen: Command = {
  name: 'listen',
  summary: 'Forward the events of a tenant to your machine, and run your server with their secret.',
  options: {
    'forward-to': { type: 'string', value: 'URL', summary: 'Target, such as http://localhost:3000/webhooks.' },
    tenant: { type: 'string', value: 'ID', summary: 'The tenant. Required if your key can read several.' },
    since: { type: 'string', value: 'TIME', summary: 'Start with past events: 30s, 10m, 2h, 7d or an ISO time.' },
    'print-secret': { type: 'boolean', summary: 'Print the signing secret and exit.' },
  },
  program: 'PROGRAM …',
  async run(given, terminal) {
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    const secret = signingSecret(readCredentials(terminal), tenantId)
    if (given.flag('print-secret')) {
      await client.tenants.get(tenantId) // fails if the tenant does not exist
      return terminal.out(secret)
    }
    const target = targetOf(given)
    const { err, out } = terminal
    const after = await startingCursor(client, tenantId, sinceOf(given))
    err(`Listening to events of ${tenantId}. Messages are signed with ${secret}`)
    await besideProgram(given.program, secret, terminal, async (stopped) => {
      const forward = forwarder({ target, secret, stopped, report: err })
      for await (const event of followEvents(client, { tenantId, after, stopped, report: err })) {
        const answer = await forward(event)
        out(given.flag('json') ? jsonLine(event, answer) : textLine(event, answer))
      }
    })
  },
}

/** Acts while the program runs. Without a program, acts until the command is stopped. */
async function besideProgram(
  words: readonly string[],
  secret: string,
  terminal: Terminal,
  act: (stopped: AbortSignal) => Promise<void>,
): Promise<void> {
  if (words.length === 0) return act(terminal.stopped)
  const ending = new AbortController()
  const stop = () => ending.abort()
  terminal.stopped.addEventListener('abort', stop, { once: true })
  const program = terminal.run(words, { CAUSEWAY_WEBHOOK_SECRET: secret }, ending.signal).finally(stop)
  program.catch(() => {}) // awaited below
  try {
    await act(ending.signal)
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    stop()
  }
  const code = await program
  if (code && !terminal.stopped.aborted) throw new CommandError(`${words[0]} exited with code ${code}.`)
}

export function targetOf(given: Given): string {
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

export const jsonLine = ({ cursor: _, ...event }: Event, response: Answer): string =>
  JSON.stringify({ event, response })

export function textLine({ id, type, timestamp }: Event, { status, ms }: Answer): string {
  return columns([[timestamp, type, id, `${status}`, `${ms} ms`].map(printable)]).join('')
}
