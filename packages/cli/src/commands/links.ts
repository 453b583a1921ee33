import { setTimeout as sleep } from 'node:timers/promises'
import type { Link } from '@causeway/client'
import type { Command } from '../command.ts'
import { openClient } from '../credentials.ts'
import { printList } from '../print.ts'
import { columns, printable } from '../table.ts'

const statuses = ['pending', 'linked', 'cancelled', 'denied', 'abandoned', 'failed', 'needs_attention'] as const
type Status = (typeof statuses)[number]

const filters = {
  tenant: { type: 'string', value: 'ID', summary: 'Only links of this tenant.' },
  status: { type: 'string', value: 'STATUS', summary: 'Only links with this status.', choices: statuses },
} as const

const rowOf = (link: Link) => ({
  created: link.createdAt,
  id: link.id,
  tenant: link.tenantId,
  integration: link.integrationId,
  user: link.endUser.id,
  status: link.status,
  cause: link.cause?.code,
})

const maxLinks = 50

export const links: Command = {
  name: 'links',
  summary: `List the newest ${maxLinks} links.`,
  options: filters,
  async run(given, terminal) {
    const status = given.text('status') as Status | undefined
    const query = { tenantId: given.text('tenant'), status, limit: maxLinks }
    const { data } = await openClient(terminal).send('listLinks', { query })
    await printList(data, rowOf, { given, terminal, none: 'There are no links yet.' })
  },
}

const pollMs = 2_000

export const linksTail: Command = {
  name: 'links tail',
  summary: 'Print links as they start, change and end, until you press Ctrl-C.',
  options: { tenant: filters.tenant },
  async run(given, terminal) {
    const { send } = openClient(terminal)
    const news = changedLinks()
    const query = { tenantId: given.text('tenant'), limit: maxLinks }
    let isFirst = true
    while (!terminal.stopped.aborted) {
      const { data } = await send('listLinks', { query }, { signal: terminal.stopped })
      const changed = news(data)
      if (!isFirst) for (const link of changed) terminal.out(given.flag('json') ? JSON.stringify(link) : lineOf(link))
      if (isFirst) terminal.err('Watching links. Press Ctrl-C to stop.')
      isFirst = false
      await sleep(pollMs, undefined, { signal: terminal.stopped })
    }
  },
}

/** Returns the links that are new or changed since the previous page, oldest first. */
function changedLinks(): (page: readonly Link[]) => Link[] {
  let seen = new Map<string, string>()
  return (page) => {
    const before = seen
    seen = new Map(page.map(({ id, updatedAt }) => [id, updatedAt]))
    return page.filter(({ id, updatedAt }) => before.get(id) !== updatedAt).reverse()
  }
}

function lineOf(link: Link): string {
  const { tenant, integration, user, status, cause = '' } = rowOf(link)
  const cells = [link.updatedAt, link.id, tenant, integration, user, status, link.step, cause].map(printable)
  return columns([cells]).join('')
}
